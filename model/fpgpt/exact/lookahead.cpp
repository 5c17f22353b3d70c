#include "model/fpgpt/exact/lookahead.h"

#include <algorithm>

namespace weft::fpgpt::exact {

namespace {

std::uint8_t back(std::int64_t distance) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(distance, 0, kMaxLookahead));
}

}  // namespace

Footprint footprint(const Plan& plan, const Kernel& kernel, const Anchor& from) {
  Footprint footprint;
  footprint.windows = kernel.inp.reader.handed_on_index(plan.inp) - from.inp_range(plan) + 1;
  if (plan.gw()) {
    footprint.passes =
        static_cast<std::int32_t>(kernel.kern.reader.handed_on_index(plan.kern) - from.kern_range(plan) + 1);
  } else {
    footprint.rounds = static_cast<std::int32_t>(kernel.kern.feeder_fgi.round(plan) - from.round + 1);
  }
  return footprint;
}

bool fits(const Plan& plan, const Anchor& anchor, const Footprint& footprint) {
  return anchor.window(plan) + footprint.windows < plan.inp.count() &&
         anchor.round + footprint.rounds <= plan.passes * plan.groups &&
         (!plan.gw() || anchor.pass(plan) + footprint.passes < plan.kern.count());
}

Lookahead look_back(const Setting& setting, const Kernel& kernel, const Anchor& anchor) {
  const Plan& plan = *setting.plan;
  const std::int64_t inp =
      std::min(kernel.inp.decode.range_index(plan.inp), kernel.inp.construct.range_index(plan.inp));
  Lookahead lookahead;
  lookahead.rounds_back = back(ceil_div(anchor.inp_range(plan) - inp, setting.partition.round_windows()));
  if (plan.gw()) lookahead.passes_back = back(anchor.kern_range(plan) - kernel.kern.decode.range_index(plan.kern));
  return lookahead;
}

ReaderLookahead look_back(const Setting& setting, std::size_t port, const stream::DdrReader& reader,
                          const Anchor& anchor) {
  const std::int64_t distance = setting.first_range(port, anchor) - reader.receive_index(setting.loop(port));
  return {0, back(port == 0 ? ceil_div(distance, setting.partition.round_windows()) : distance)};
}

}  // namespace weft::fpgpt::exact
