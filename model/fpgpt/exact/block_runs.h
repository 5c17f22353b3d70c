#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "model/fpgpt/kernel.h"
#include "model/fpgpt/result.h"

namespace weft::fpgpt::exact {

// FIFOs of a block, each with the index of the block at its other end.
struct BlockFifos {
  struct End {
    FifoId fifo{};
    std::size_t other = 0;
  };
  std::array<End, 2> in{};
  std::size_t ins = 0;
  End out{};
  bool gives = false;  // has an output
};

constexpr BlockFifos fifos_of(Block block) {
  const auto index_of = [](std::string_view name) {
    std::size_t i = 0;
    while (name != kBlockInfos[i].name) ++i;
    return i;
  };
  BlockFifos found;
  for (std::size_t i = 0; i < kFifos; ++i) {
    const auto fifo = static_cast<FifoId>(i);
    const std::size_t producer = index_of(kFifoInfos[i].producer), consumer = index_of(kFifoInfos[i].consumer);
    if (consumer == static_cast<std::size_t>(block)) found.in[found.ins++] = {fifo, producer};
    if (producer != static_cast<std::size_t>(block)) continue;
    found.out = {fifo, consumer};
    found.gives = true;
  }
  return found;
}

// Steps a kernel in timing mode over cycles for which all data and responses of its ports are known: each block by
// itself, as far as the tokens of its neighbours are known, and only in cycles in which it may act. The result equals
// stepping all blocks cycle by cycle: the action of a block depends on its own state, on the tokens and slots of its
// FIFOs, and on its port. A FIFO records the cycle of each push and pop, so that both sides see its state of their own
// cycle.
template <class Sent>
class BlockRuns {
 public:
  // `sent(port, cycle)` is called after each cycle in which a block with a port was active, in order for each port. It
  // may add responses that become visible in later cycles.
  BlockRuns(Kernel& kernel, BlockActivities& activities, Sent sent)
      : kernel_(kernel), activities_(activities), sent_(std::move(sent)) {}

  // Advances from the start of cycle `now` to the earliest of: the start of cycle `end`, the end of the convolution,
  // the end of the cycle in which im2col has emitted `windows` windows, no active block. Returns the next cycle.
  Cycles run(Cycles now, Cycles end, std::int64_t windows) {
    at_.fill(now);
    active_until_ = end_ = now;
    while (!kernel_.done()) {
      // At most one column per cycle from im2col, one beat from the writer.
      const Cycles columns = kernel_.inp.im2col.columns_until(*kernel_.plan, windows);
      const Cycles beats = std::max<Cycles>(kernel_.out.writer.beats_left(kernel_.plan->out), 1);
      const Cycles next = end_ + std::min({end - end_, columns, beats});
      if (next == end_ || active_until_ < end_) break;
      end_ = next;
      for (may_go_on_ = kAll; may_go_on_ != 0;) run_all(std::make_index_sequence<kBlocks>());
      if (std::any_of(at_.begin(), at_.end(), [this](Cycles at) { return at != end_; })) {
        throw std::logic_error("blocks wait for each other");
      }
    }
    return end_;
  }
  // Returns the first cycle after the last active one of the last run().
  Cycles active_until() const { return active_until_; }

 private:
  template <std::size_t... kIndex>
  void run_all(std::index_sequence<kIndex...>) {
    ((may_go_on_ >> kIndex & 1 ? run_block<static_cast<Block>(kIndex)>() : void()), ...);
  }

  // Calls visit(first cycle with a token or a slot, block at the other end) for each FIFO of a block with a depth.
  template <Block kBlock, class Visit>
  void for_each_fifo(Visit visit) {
    static constexpr BlockFifos kOf = fifos_of(kBlock);
    const auto end_of = [&](const BlockFifos::End& end, bool in) {
      const Fifo& fifo = kernel_.fifos[end.fifo];
      if (fifo.depth() > 0) visit(in ? fifo.pop_from() : fifo.push_from(), end.other);
    };
    if constexpr (kOf.ins > 0) end_of(kOf.in[0], true);
    if constexpr (kOf.ins > 1) end_of(kOf.in[1], true);
    if constexpr (kOf.gives) end_of(kOf.out, false);
  }
  // Returns true if the tokens and slots of the block's FIFOs in cycle `now` are known. A missing token or slot that
  // the other block may provide before `end` is awaited. The FIFOs connect the blocks as a tree, so that no two blocks
  // wait for each other.
  template <Block kBlock>
  bool knows(Cycles now) {
    bool known = true;
    for_each_fifo<kBlock>([&](Cycles from, std::size_t other) {
      known = known && (from <= now || (from == kNever ? at_[other] == end_ : at_[other] >= now));
    });
    return known;
  }
  // Returns the first cycle after `now` in which a block that was not active in `now` may act.
  template <Block kBlock>
  Cycles next_of(Cycles now) {
    Cycles next = end_;
    for_each_fifo<kBlock>([&](Cycles from, std::size_t /*other*/) {
      if (from > now) next = std::min(next, from);
    });
    const Plan& plan = *kernel_.plan;
    const auto reads = [&](const auto& of, const stream::RangeLoop& loop, FifoId fifo) {
      next = std::min(next, of.reader.quiet_until(now + 1, loop, of.port, kernel_.fifos[fifo]));
    };
    if constexpr (kBlock == Block::InpReader) reads(kernel_.inp, plan.inp, FifoId::InpBeat);
    if constexpr (kBlock == Block::KernReader) reads(kernel_.kern, plan.kern, FifoId::KernBeat);
    if constexpr (kBlock == Block::OutWriter) {
      next = std::min(next, kernel_.out.writer.quiet_until(now + 1, kernel_.out.port));
    }
    return next;
  }

  template <Block kBlock>
  void run_block() {
    constexpr auto kIndex = static_cast<std::size_t>(kBlock);
    may_go_on_ &= ~(1U << kIndex);
    Cycles now = at_[kIndex], active = 0;
    Activities& counts = activities_[kIndex];
    while (now < end_ && knows<kBlock>(now)) {
      kernel_.step<kBlock>(now);
      const Activity activity = kernel_.last(kBlock);
      if (activity == Activity::Active) {
        if constexpr (kBlock == Block::InpReader) sent_(Port::Inp, now);
        if constexpr (kBlock == Block::KernReader) sent_(Port::Kern, now);
        if constexpr (kBlock == Block::OutWriter) sent_(Port::Out, now);
        ++active;
        ++now;
        active_until_ = std::max(active_until_, now);
        continue;
      }
      const Cycles next = next_of<kBlock>(now);
      counts.add(activity, next - now);
      kernel_.count(kBlock, next - now);
      const auto wait = [&](auto& port) {
        if (port.outstanding > 0) port.wait_cycles += next - now - 1;  // the step has counted the first
      };
      if constexpr (kBlock == Block::InpReader) wait(kernel_.inp.port);
      if constexpr (kBlock == Block::KernReader) wait(kernel_.kern.port);
      if constexpr (kBlock == Block::OutWriter) wait(kernel_.out.port);
      now = next;
    }
    if (now == at_[kIndex]) return;
    counts.add(Activity::Active, active);
    at_[kIndex] = now;
    for_each_fifo<kBlock>([this](Cycles, std::size_t other) { may_go_on_ |= 1U << other; });
  }

  Kernel& kernel_;
  BlockActivities& activities_;
  Sent sent_;
  Cycles end_ = 0, active_until_ = 0;
  std::array<Cycles, kBlocks> at_{};  // next cycle of each block
  static constexpr std::uint32_t kAll = (1U << kBlocks) - 1;
  std::uint32_t may_go_on_ = 0;  // blocks with a neighbour that has advanced since
};

}  // namespace weft::fpgpt::exact
