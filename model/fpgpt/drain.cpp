#include "model/fpgpt/drain.h"

#include <memory>
#include <stdexcept>
#include <utility>

namespace weft::fpgpt {

namespace {

// One reader that discards what comes.
class Rest {
 public:
  Rest(stream::DdrReader reader, stream::ReadPort port, const stream::RangeLoop& loop, Port id)
      : reader_(std::move(reader)), port_(std::move(port)), loop_(loop), id_(port_id(id)) {
    port_.ready = true;
    if (reader_.handed_on_index(loop_) != loop_.count())
      throw std::logic_error("OUT is complete before what it is made of");
  }

  bool over() const { return reader_.done(loop_); }
  void step(Cycles now, memory::Memory& memory) {
    for (Cycles visible; (visible = memory.next_read_beat(id_)) != kNever;) {
      memory.take_read_beat(id_, visible);
      port_.data.push(visible);
    }
    reader_.step(now, loop_, port_, nowhere_);
    if (port_.requested) memory.send_read(id_, now, port_.request.address, port_.request.beats);
  }

 private:
  stream::DdrReader reader_;
  stream::ReadPort port_;
  const stream::RangeLoop& loop_;
  memory::PortId id_;
  Fifo nowhere_;  // what is still to come is discarded
};

}  // namespace

Cycles drain_cycles(const Kernel& kernel, const memory::Memory& memory, Cycles end) {
  const Plan& plan = *kernel.plan;
  if (kernel.inp.reader.done(plan.inp) && kernel.kern.reader.done(plan.kern)) return 0;
  Rest inp(kernel.inp.reader, kernel.inp.port, plan.inp, Port::Inp);
  Rest kern(kernel.kern.reader, kernel.kern.port, plan.kern, Port::Kern);
  const std::unique_ptr<memory::Memory> rest = memory.copy();
  Cycles now = end;
  for (; !inp.over() || !kern.over(); ++now) {
    rest->advance(now);
    inp.step(now, *rest);
    kern.step(now, *rest);
  }
  return now - end;
}

}  // namespace weft::fpgpt
