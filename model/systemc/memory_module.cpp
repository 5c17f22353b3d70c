#include "model/systemc/memory_module.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/stream/port_traffic.h"

namespace weft::systemc {

using sc_core::sc_time;

class MemoryModule::PortTarget : public tlm::tlm_fw_transport_if<AxiProtocol> {
 public:
  PortTarget(const PortInfo& info, MemoryModule& owner, memory::PortId port)
      : socket(info.name), direction(info.direction), id(port), owner_(owner) {
    socket.bind(*this);
  }
  AxiTargetSocket socket;
  const PortDirection direction;
  const memory::PortId id;

  tlm::tlm_sync_enum nb_transport_fw(AxiTransfer& transfer, AxiPhase& phase, sc_time&) override {
    memory::Memory& memory = *owner_.memory_;
    memory::Store* const store = this->store();
    switch (phase) {
      case AxiPhase::ReadAddress:
        memory.send_read(id, transfer.cycle, transfer.address, transfer.beats);
        if (store) transfer.memory = store->at(transfer.address);
        break;
      case AxiPhase::WriteAddress:
        memory.send_write(id, transfer.cycle, transfer.address, transfer.beats);
        break;
      case AxiPhase::WriteData:
        for (int beat = 0; beat < transfer.beats; ++beat) memory.send_write_beat(id, transfer.cycle);
        if (store) {
          stream::write_beat(transfer.words, transfer.first_lane, transfer.lanes, store->at(transfer.address));
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
  // Gives access to the memory from `address` on, in zero simulated time; returns the number of bytes available.
  unsigned transport_dbg(AxiTransfer& transfer) override {
    memory::Store* const store = this->store();
    if (!store || transfer.address < 0 || transfer.address >= store->bytes()) return 0;
    transfer.memory = store->at(transfer.address);
    return static_cast<unsigned>(
        std::min<Bytes>(store->bytes() - transfer.address, std::numeric_limits<unsigned>::max()));
  }

 private:
  memory::Store* store() {
    if (!owner_.channels_) return nullptr;
    return &(*owner_.channels_)[static_cast<std::size_t>(owner_.channel_of_port_[static_cast<std::size_t>(id)])];
  }

  MemoryModule& owner_;
};

MemoryModule::MemoryModule(const sc_core::sc_module_name& name, EventClock& clock, const std::vector<PortInfo>& ports)
    : Stepped(name, clock) {
  for (const PortInfo& port : ports) {
    targets_.push_back(std::make_unique<PortTarget>(port, *this, static_cast<memory::PortId>(targets_.size())));
  }
  SC_HAS_PROCESS(MemoryModule);
  SC_METHOD(step);
  sensitive << clock.tick();
  dont_initialize();
}

MemoryModule::~MemoryModule() = default;

AxiTargetSocket& MemoryModule::socket(memory::PortId port) {
  return targets_[static_cast<std::size_t>(port)]->socket;
}

void MemoryModule::load(memory::Memory& memory, std::vector<memory::Store>* channels,
                        std::vector<int> channel_of_port) {
  memory_ = &memory;
  channels_ = channels;
  channel_of_port_ = std::move(channel_of_port);
  memory_->reset();
}

void MemoryModule::step() {
  if (waking()) return;
  // Beats of the next cycle do not depend on requests of this one. So they can be passed on now, independent of the
  // order of this cycle's processes.
  memory_->advance(now() + 1);
  for (std::size_t port = 0; port < channel_of_port_.size(); ++port) deliver(*targets_[port]);
}

void MemoryModule::deliver(PortTarget& target) {
  const bool writes = target.direction == PortDirection::Write;
  AxiTransfer run;
  AxiPhase phase = writes ? AxiPhase::WriteResponse : AxiPhase::ReadData;
  const auto flush = [&] {
    if (run.beats == 0) return;
    sc_time delay = sc_core::SC_ZERO_TIME;
    target.socket->nb_transport_bw(run, phase, delay);
    run.beats = 0;
  };
  for (;;) {
    const Cycles visible = writes ? memory_->next_write_response(target.id) : memory_->next_read_beat(target.id);
    if (visible == kNever) break;
    if (writes) {
      memory_->take_write_response(target.id, visible);
    } else {
      memory_->take_read_beat(target.id, visible);
    }
    if (run.beats > 0 && run.cycle + run.beats != visible) flush();
    if (run.beats++ == 0) run.cycle = visible;
  }
  flush();
}

}  // namespace weft::systemc
