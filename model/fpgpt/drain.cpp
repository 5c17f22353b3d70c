#include "model/fpgpt/drain.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "model/stream/port_traffic.h"

namespace weft::fpgpt {

namespace {

// A reader that discards its beats.
class Rest {
 public:
  Rest(const stream::DdrReader& reader, stream::ReadPort port, const stream::RangeLoop& loop, Port id)
      : reader_(reader), port_(std::move(port)), loop_(loop), id_(port_id(id)) {
    port_.ready = true;
    if (reader_.handed_on_index(loop_) != loop_.count())
      throw std::logic_error("OUT is complete before INP and KERN are read");
  }

  bool over() const { return reader_.done(loop_); }
  void step(Cycles now, memory::Memory& memory) {
    stream::deliver(memory, id_, port_);
    reader_.step(now, loop_, port_, nowhere_);
    stream::send(memory, id_, port_, now, nullptr);
  }

 private:
  stream::DdrReader reader_;
  stream::ReadPort port_;
  const stream::RangeLoop& loop_;
  memory::PortId id_;
  Fifo nowhere_;  // the remaining beats are discarded
};

// Both readers on a copy of the memory.
class Drain {
 public:
  Drain(const Kernel& kernel, const memory::Memory& memory, Cycles end)
      : inp_(kernel.inp.reader, kernel.inp.port, kernel.plan->inp, Port::Inp),
        kern_(kernel.kern.reader, kernel.kern.port, kernel.plan->kern, Port::Kern),
        memory_(memory.copy()),
        now_(end) {}

  // Returns the first cycle in which both readers have nothing to do.
  Cycles run(DmaTransfers* transfers) {
    for (; !inp_.over() || !kern_.over(); ++now_) {
      memory_->advance(now_);
      inp_.step(now_, *memory_);
      kern_.step(now_, *memory_);
      if (transfers) memory::step(transfers->master, *memory_, kDmaRead, kDmaWrite, now_);
    }
    const Cycles drained = now_;
    if (transfers) finish(*transfers);
    return drained;
  }

 private:
  void finish(DmaTransfers& transfers) {
    while (!transfers.master.done()) {
      memory_->advance(now_);
      memory::step(transfers.master, *memory_, kDmaRead, kDmaWrite, now_);
      const Cycles next = std::min(transfers.master.quiet_until(now_ + 1), memory_->next_event());
      now_ = std::max(now_ + 1, next == kNever ? 0 : next);
    }
    memory_->finish();
    transfers.stats = memory_->stats(kDmaRead);
    transfers.stats += memory_->stats(kDmaWrite);
  }

  Rest inp_, kern_;
  std::unique_ptr<memory::Memory> memory_;
  Cycles now_;
};

}  // namespace

Cycles drain_cycles(const Kernel& kernel, const memory::Memory& memory, Cycles end) {
  if (kernel.inp.reader.done(kernel.plan->inp) && kernel.kern.reader.done(kernel.plan->kern)) return 0;
  return Drain(kernel, memory, end).run(nullptr) - end;
}

Cycles drain_cycles(const Kernel& kernel, const memory::Memory& memory, Cycles end, DmaTransfers& transfers) {
  return Drain(kernel, memory, end).run(&transfers) - end;
}

}  // namespace weft::fpgpt
