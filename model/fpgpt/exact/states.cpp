#include "model/fpgpt/exact/states.h"

namespace weft::fpgpt::exact {

std::uint32_t KernelStates::number(Kernel& kernel, const Anchor& anchor) {
  std::string bytes;
  Relative state(bytes, false);
  kernel.relative(state, anchor);
  const std::uint32_t number = kernel_.number(bytes);
  if (sights_.size() <= number) sights_.resize(number + 1);
  const Sight back = sight_back(*setting_, kernel, anchor);
  sights_[number].rounds_back = back.rounds_back;
  sights_[number].passes_back = back.passes_back;
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
  reader_sights_[port][number].back = sight_back(*setting_, port, reader.reader, anchor).back;
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
