#include "model/systemc/memory_module.h"

#include <algorithm>

namespace weft::systemc {

using fpgpt::Port;
using fpgpt::port_id;
using sc_core::sc_time;

class MemoryModule::PortTarget : public tlm::tlm_fw_transport_if<AxiProtocol> {
 public:
  PortTarget(const char* name, MemoryModule& owner, Port port) : socket(name), owner_(owner), port_(port) {
    socket.bind(*this);
  }
  AxiTargetSocket socket;

  tlm::tlm_sync_enum nb_transport_fw(AxiTransfer& transfer, AxiPhase& phase, sc_time&) override {
    memory::Memory& memory = *owner_.memory_;
    memory::Store* const store = owner_.store(port_);
    switch (phase) {
      case AxiPhase::ReadAddress:
        memory.send_read(port_id(port_), transfer.cycle, transfer.address, transfer.beats);
        if (store) transfer.words = store->words(transfer.address);
        break;
      case AxiPhase::WriteAddress:
        memory.send_write(port_id(port_), transfer.cycle, transfer.address, transfer.beats);
        break;
      case AxiPhase::WriteData:
        memory.send_write_beat(port_id(port_), transfer.cycle);
        if (store) {
          std::copy_n(transfer.words + transfer.first_lane, transfer.lanes,
                      store->words(transfer.address) + transfer.first_lane);
        }
        break;
      case AxiPhase::ReadData:
      case AxiPhase::WriteResponse:
        SC_REPORT_FATAL("weft.memory.protocol", "a kernel sent a phase that only memory sends");
        break;
    }
    return tlm::TLM_ACCEPTED;
  }
  void b_transport(AxiTransfer&, sc_time&) override {
    SC_REPORT_FATAL("weft.memory.protocol", "the ports are cycle-accurate: use nb_transport");
  }
  bool get_direct_mem_ptr(AxiTransfer&, tlm::tlm_dmi&) override { return false; }
  // The words from `address` on, to be read or written in no simulated time; beats = words that may be used.
  unsigned transport_dbg(AxiTransfer& transfer) override {
    memory::Store* const store = owner_.store(port_);
    if (!store || transfer.address < 0 || transfer.address >= store->bytes()) return 0;
    transfer.words = store->words(transfer.address);
    return static_cast<unsigned>((store->bytes() - transfer.address) / 4);
  }

 private:
  MemoryModule& owner_;
  Port port_;
};

MemoryModule::MemoryModule(const sc_core::sc_module_name& name, EventClock& clock) : Stepped(name, clock) {
  for (std::size_t i = 0; i < fpgpt::kPorts; ++i) {
    targets_[i] = std::make_unique<PortTarget>(fpgpt::kPortNames[i], *this, static_cast<Port>(i));
  }
  SC_HAS_PROCESS(MemoryModule);
  SC_METHOD(step);
  sensitive << clock.tick();
  dont_initialize();
}

MemoryModule::~MemoryModule() = default;

AxiTargetSocket& MemoryModule::socket(Port port) {
  return targets_[static_cast<std::size_t>(port)]->socket;
}

void MemoryModule::load(memory::Memory& memory, std::vector<memory::Store>* channels,
                        const std::array<int, fpgpt::kPorts>& channel_of_port) {
  memory_ = &memory;
  channels_ = channels;
  channel_of_port_ = channel_of_port;
  memory_->reset();
}

memory::Store* MemoryModule::store(Port port) {
  if (!channels_) return nullptr;
  return &(*channels_)[static_cast<std::size_t>(channel_of_port_[static_cast<std::size_t>(port)])];
}

void MemoryModule::step() {
  if (waking()) return;
  // What becomes visible in the next cycle depends on nothing that is sent in this one, so it can be handed on now,
  // whichever process of this cycle runs first.
  memory_->advance(now() + 1);
  for (const Port port : {Port::Inp, Port::Kern, Port::Out}) deliver(port);
}

void MemoryModule::deliver(Port port) {
  AxiTransfer run;
  AxiPhase phase = port == Port::Out ? AxiPhase::WriteResponse : AxiPhase::ReadData;
  const auto flush = [&] {
    if (run.beats == 0) return;
    sc_time delay = sc_core::SC_ZERO_TIME;
    socket(port)->nb_transport_bw(run, phase, delay);
    run.beats = 0;
  };
  const memory::PortId id = port_id(port);
  for (;;) {
    const Cycles visible = port == Port::Out ? memory_->next_write_response(id) : memory_->next_read_beat(id);
    if (visible == kNever) break;
    if (port == Port::Out) {
      memory_->take_write_response(id, visible);
    } else {
      memory_->take_read_beat(id, visible);
    }
    if (run.beats > 0 && run.cycle + run.beats != visible) flush();
    if (run.beats++ == 0) run.cycle = visible;
  }
  flush();
}

}  // namespace weft::systemc
