#include "model/fpgpt/exact/states.h"

#include <algorithm>

namespace weft::fpgpt::exact {

namespace {

std::uint8_t back(std::int64_t behind) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(behind, 0, kFarthest));
}

}  // namespace

std::uint32_t KernelStates::number(Kernel& kernel, const Anchor& anchor) {
  const Plan& plan = *setting_->plan;
  std::string bytes;
  Relative state(bytes, false);
  kernel.relative(state, anchor);
  const std::uint32_t number = kernel_.number(bytes);
  if (sights_.size() <= number) sights_.resize(number + 1);
  const std::int64_t inp =
      std::min(kernel.inp.decode.range_index(plan.inp), kernel.inp.construct.range_index(plan.inp));
  sights_[number].rounds_back = back(ceil_div(anchor.inp_range(plan) - inp, setting_->cut.round_windows()));
  if (plan.gw()) {
    sights_[number].passes_back = back(anchor.kern_range(plan) - kernel.kern.decode.range_index(plan.kern));
  }
  return number;
}

std::uint32_t KernelStates::number(std::size_t port, ReaderState reader, const Anchor& anchor) {
  const stream::RangeLoop& loop = setting_->loop(port);
  const std::int64_t first = setting_->first_range(port, anchor);
  std::string bytes;
  Relative state(bytes, false);
  reader.relative(state, loop, first);
  const std::uint32_t number = readers_[port].number(bytes);
  if (reader_sights_[port].size() <= number) reader_sights_[port].resize(number + 1);
  const std::int64_t behind = first - reader.reader.receive_index(loop);
  reader_sights_[port][number].back = back(port == 0 ? ceil_div(behind, setting_->cut.round_windows()) : behind);
  return number;
}

void KernelStates::forget() {
  kernel_ = {};
  sights_.clear();
  readers_ = {};
  for (auto& sights : reader_sights_) sights.clear();
}

void KernelStates::forget_but(std::uint32_t& state, std::array<std::uint32_t, 2>& readers) {
  const std::string kernel = bytes(state);
  const std::array<std::string, 2> of_readers{bytes(0, readers[0]), bytes(1, readers[1])};
  // How far back each looks; how far ahead is learnt again.
  Sight sight;
  sight.rounds_back = sights_[state].rounds_back;
  sight.passes_back = sights_[state].passes_back;
  const std::array<ReaderSight, 2> back{ReaderSight{0, reader_sights_[0][readers[0]].back},
                                        ReaderSight{0, reader_sights_[1][readers[1]].back}};
  forget();
  state = kernel_.number(kernel);
  sights_.assign(1, sight);
  for (std::size_t port = 0; port < 2; ++port) {
    readers[port] = readers_[port].number(of_readers[port]);
    reader_sights_[port].assign(1, back[port]);
  }
}

std::size_t KernelStates::memory() const {
  return kernel_.memory() + readers_[0].memory() + readers_[1].memory();
}

}  // namespace weft::fpgpt::exact
