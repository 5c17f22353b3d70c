#pragma once

#include <cstddef>
#include <systemc>
#include <tlm>

#include "model/core/units.h"
#include "model/memory/config.h"
#include "model/stream/ports.h"

namespace weft::systemc {

// One step of an AXI4 burst between a kernel's port and the memory. The TLM-2.0 base protocol has one response per
// transaction, but a cycle-accurate port needs the cycle of every beat; so these sockets have their own types. Cycles
// are exact integers of the kernel clock; no phase depends on sc_time.
struct AxiTransfer {
  Address address = 0;
  int beats = 0;     // WriteData: beats in one cycle, 1 except for a DMA engine
  Cycles cycle = 0;  // handshake (towards memory), or first cycle in which the beats may be taken (towards the kernel)
  const std::byte* memory = nullptr;  // data mode: ReadAddress returns the location of the burst's beats here
  const Word* words = nullptr;        // data mode: words of a WriteData beat
  int first_lane = 0, lanes = 0;      // WriteData: strobes
};

enum class AxiPhase { ReadAddress, ReadData, WriteAddress, WriteData, WriteResponse };

struct AxiProtocol {
  using tlm_payload_type = AxiTransfer;
  using tlm_phase_type = AxiPhase;
};

// Wide enough for any port; the kernel defines how many bits a port uses.
inline constexpr unsigned kBusBits = 8 * memory::kWidestBeat;
using AxiInitiatorSocket = tlm::tlm_initiator_socket<kBusBits, AxiProtocol>;
using AxiTargetSocket = tlm::tlm_target_socket<kBusBits, AxiProtocol>;

// Kernel side of a socket; receives only beats and responses.
class AxiInitiator : public virtual tlm::tlm_bw_transport_if<AxiProtocol> {
 public:
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

inline void forward(AxiInitiatorSocket& socket, AxiTransfer& transfer, AxiPhase phase) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->nb_transport_fw(transfer, phase, delay);
}

// Sends the burst that a reader requested in cycle `now`, if any.
inline void send(AxiInitiatorSocket& socket, stream::ReadPort& port, Cycles now) {
  if (!port.requested) return;
  AxiTransfer transfer{port.request.address, port.request.beats, now};
  forward(socket, transfer, AxiPhase::ReadAddress);
  if (transfer.memory) port.data.push_words(transfer.memory, port.request.beats);
}

// Sends the address and the beat that a writer offered in cycle `now`, if any.
inline void send(AxiInitiatorSocket& socket, const stream::WritePort& port, Cycles now) {
  if (port.requested) {
    AxiTransfer transfer{port.request.address, port.request.beats, now};
    forward(socket, transfer, AxiPhase::WriteAddress);
  }
  if (!port.beat_sent) return;
  AxiTransfer transfer{port.beat_address, 1, now};
  transfer.words = port.beat.data();
  transfer.first_lane = port.first_lane;
  transfer.lanes = port.lanes;
  forward(socket, transfer, AxiPhase::WriteData);
}

}  // namespace weft::systemc
