#include "model/fpgpt/exact/sight.h"

#include <algorithm>

namespace weft::fpgpt::exact {

namespace {

std::uint8_t back(std::int64_t behind) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(behind, 0, kFarthest));
}

}  // namespace

Looked looked(const Plan& plan, const Kernel& kernel, const Anchor& from) {
  Looked looked;
  looked.windows = kernel.inp.reader.handed_on_index(plan.inp) - from.inp_range(plan) + 1;
  if (plan.gw()) {
    looked.passes =
        static_cast<std::int32_t>(kernel.kern.reader.handed_on_index(plan.kern) - from.kern_range(plan) + 1);
  } else {
    looked.rounds = static_cast<std::int32_t>(kernel.kern.feeder_fgi.round(plan) - from.round + 1);
  }
  return looked;
}

bool holds(const Plan& plan, const Anchor& anchor, const Looked& looked) {
  return anchor.window(plan) + looked.windows < plan.inp.count() &&
         anchor.round + looked.rounds <= plan.passes * plan.groups &&
         (!plan.gw() || anchor.pass(plan) + looked.passes < plan.kern.count());
}

Sight sight_back(const Setting& setting, const Kernel& kernel, const Anchor& anchor) {
  const Plan& plan = *setting.plan;
  const std::int64_t inp =
      std::min(kernel.inp.decode.range_index(plan.inp), kernel.inp.construct.range_index(plan.inp));
  Sight sight;
  sight.rounds_back = back(ceil_div(anchor.inp_range(plan) - inp, setting.cut.round_windows()));
  if (plan.gw()) sight.passes_back = back(anchor.kern_range(plan) - kernel.kern.decode.range_index(plan.kern));
  return sight;
}

ReaderSight sight_back(const Setting& setting, std::size_t port, const stream::DdrReader& reader,
                       const Anchor& anchor) {
  const std::int64_t behind = setting.first_range(port, anchor) - reader.receive_index(setting.loop(port));
  return {0, back(port == 0 ? ceil_div(behind, setting.cut.round_windows()) : behind)};
}

}  // namespace weft::fpgpt::exact
