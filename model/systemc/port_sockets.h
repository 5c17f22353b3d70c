#pragma once

#include "model/stream/ports.h"
#include "model/systemc/axi_port.h"
#include "model/systemc/axi_tlm.h"

namespace weft::systemc {

// The socket of a block's read port: what comes back goes straight to the port.
class ReadSocket : public AxiInitiator {
 public:
  ReadSocket(const char* name, stream::ReadPort& port) : socket(name), port_(port) { socket.bind(*this); }
  AxiInitiatorSocket socket;

  // Whether a burst is open then.
  bool forward(Cycles now) {
    forward_read(socket, port_, now);
    return port_.outstanding > 0;
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(AxiTransfer& transfer, AxiPhase&, sc_core::sc_time&) override {
    port_.data.push(transfer.cycle, transfer.beats);
    return tlm::TLM_ACCEPTED;
  }

  stream::ReadPort& port_;
};

// The socket of a write port.
class WriteSocket : public AxiInitiator {
 public:
  WriteSocket(const char* name, stream::WritePort& port) : socket(name), port_(port) { socket.bind(*this); }
  AxiInitiatorSocket socket;

  bool forward(Cycles now) {
    forward_write(socket, port_, now);
    return port_.outstanding > 0;
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(AxiTransfer& transfer, AxiPhase&, sc_core::sc_time&) override {
    port_.responses.push(transfer.cycle, transfer.beats);
    return tlm::TLM_ACCEPTED;
  }

  stream::WritePort& port_;
};

}  // namespace weft::systemc
