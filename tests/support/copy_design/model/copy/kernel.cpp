#include "model/copy/kernel.h"

#include <algorithm>
#include <utility>

namespace weft::copy {

Kernel::Kernel(std::shared_ptr<const Plan> plan_of_launch)
    : plan(std::move(plan_of_launch)),
      reader(plan->in, plan->alpha.in, plan->alpha.beat_bytes()),
      writer(plan->out, plan->alpha.out, plan->alpha.beat_bytes()),
      fifos{{Fifo(plan->alpha.fifo[FifoId::Beat], plan->alpha.band, plan->with_data)}} {
  in.data = stream::BeatQueue(stream::Lanes::of_words(plan->with_data ? plan->alpha.band : 0));
}

Cycles Kernel::quiet_until(Cycles now) const {
  return std::min(reader.quiet_until(now, plan->in, in, fifos[FifoId::Beat]), writer.quiet_until(now, out));
}

Result collect(Kernel& kernel, const ActivitiesOf<Kernel>& activities, Cycles cycles, memory::Memory& memory) {
  return stream::counted<Result>(kernel, activities, cycles, memory);
}

Result run_exact(const Plan& plan, memory::Memory& memory, DataMemory* data, const stream::SteppingOptions& options) {
  Kernel kernel(std::make_shared<const Plan>(plan));
  return stream::run_stepped(kernel, topology(), memory, data, options);
}

}  // namespace weft::copy
