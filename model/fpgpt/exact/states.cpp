#include "model/fpgpt/exact/states.h"

namespace weft::fpgpt::exact {

std::uint32_t KernelStates::number(Kernel& kernel, const Anchor& anchor) {
  std::string bytes;
  Relative state(bytes, false);
  kernel.relative(state, anchor);
  const std::uint32_t number = kernel_.number(bytes);
  if (lookaheads_.size() <= number) lookaheads_.resize(number + 1);
  const Lookahead back = look_back(*setting_, kernel, anchor);
  lookaheads_[number].rounds_back = back.rounds_back;
  lookaheads_[number].passes_back = back.passes_back;
  return number;
}

std::uint32_t KernelStates::number(std::size_t port, ReaderState reader, const Anchor& anchor) {
  const stream::RangeLoop& loop = setting_->loop(port);
  const std::int64_t first = setting_->first_range(port, anchor);
  std::string bytes;
  Relative state(bytes, false);
  reader.relative(state, loop, first);
  const std::uint32_t number = readers_[port].number(bytes);
  if (reader_lookaheads_[port].size() <= number) reader_lookaheads_[port].resize(number + 1);
  reader_lookaheads_[port][number].back = look_back(*setting_, port, reader.reader, anchor).back;
  return number;
}

void KernelStates::evict() {
  kernel_ = {};
  lookaheads_.clear();
  readers_ = {};
  for (auto& lookaheads : reader_lookaheads_) lookaheads.clear();
}

void KernelStates::evict_except(std::uint32_t& state, std::array<std::uint32_t, 2>& readers) {
  const std::string kernel = bytes(state);
  const std::array<std::string, 2> of_readers{bytes(0, readers[0]), bytes(1, readers[1])};
  // Only the look-back is kept; the look-ahead is recorded again.
  Lookahead lookahead;
  lookahead.rounds_back = lookaheads_[state].rounds_back;
  lookahead.passes_back = lookaheads_[state].passes_back;
  const std::array<ReaderLookahead, 2> back{ReaderLookahead{0, reader_lookaheads_[0][readers[0]].back},
                                            ReaderLookahead{0, reader_lookaheads_[1][readers[1]].back}};
  evict();
  state = kernel_.number(kernel);
  lookaheads_.assign(1, lookahead);
  for (std::size_t port = 0; port < 2; ++port) {
    readers[port] = readers_[port].number(of_readers[port]);
    reader_lookaheads_[port].assign(1, back[port]);
  }
}

std::size_t KernelStates::memory() const {
  return kernel_.memory() + readers_[0].memory() + readers_[1].memory();
}

}  // namespace weft::fpgpt::exact
