#include "model/batchlane/result_writer.h"

namespace weft::batchlane {

stream::Transfer ResultWriter::next(const Plan& plan) const {
  if (of_strips(plan)) return plan.sum_transfer(at_);
  const auto block = static_cast<int>(at_ / plan.units_per_block());
  return plan.result_transfer(at_, block * plan.block_outputs + output_);
}

Activity ResultWriter::step(Cycles now, const Plan& plan, bool granted, stream::WritePort& port, Fifo& bank, Fifo& sum,
                            Buffers& buffers) {
  const bool finished = done(plan);
  if (granted) transfer_.begin(next(plan));
  const bool was_busy = busy();
  const bool moved = transfer_.step(now, port, [&](Bytes offset, int, int) { fill(plan, port, offset, buffers); });
  if (was_busy && !busy()) {
    const bool last = of_strips(plan) || ++output_ == plan.outputs_of(static_cast<int>(at_ / plan.units_per_block()));
    if (last) {
      if (of_strips(plan) && plan.with_data) buffers.drop_sums(at_);
      source(plan, bank, sum).pop(now);
      output_ = 0;
      ++at_;
      skip_empty(plan);
    }
  }
  if (moved) return Activity::Active;
  return finished ? Activity::Idle : Activity::Starved;
}

void ResultWriter::fill(const Plan& plan, stream::WritePort& port, Bytes offset, Buffers& buffers) const {
  if (!plan.with_data) return;
  Bytes first = offset;
  if (!of_strips(plan)) first += 4 * Bytes{output_} * plan.pixels(plan.tiles.front()) * plan.alpha.lanes;
  const Buffers::Sums& sums = of_strips(plan) ? buffers.sums(at_) : buffers.bank(at_);
  port.beat.resize(static_cast<std::size_t>(Alpha::kBeatBytes) / sizeof(Word));
  for (int lane = 0; lane < port.lanes; ++lane) {
    const std::int32_t value = sums[static_cast<std::size_t>(first) / 4 + static_cast<std::size_t>(lane)];
    port.beat[static_cast<std::size_t>(port.first_lane) + static_cast<std::size_t>(lane)] = {
        static_cast<std::uint32_t>(value)};
  }
}

}  // namespace weft::batchlane
