#pragma once

#include "model/stream/ports.h"
#include "model/systemc/axi_tlm.h"

namespace weft::systemc {

inline void forward(AxiInitiatorSocket& socket, AxiTransfer& transfer, AxiPhase phase) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->nb_transport_fw(transfer, phase, delay);
}

// Sends the burst that a reader asked for in cycle `now`, if any.
inline void forward_read(AxiInitiatorSocket& socket, stream::ReadPort& port, Cycles now) {
  if (!port.requested) return;
  AxiTransfer transfer{port.request.address, port.request.beats, now};
  forward(socket, transfer, AxiPhase::ReadAddress);
  if (transfer.memory) port.data.push_words(transfer.memory, port.request.beats);
}

// Sends what a writer offered in cycle `now`: a burst's address, a beat.
inline void forward_write(AxiInitiatorSocket& socket, const stream::WritePort& port, Cycles now) {
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
