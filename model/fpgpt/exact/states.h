#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/engine/intern.h"
#include "model/fpgpt/exact/lookahead.h"
#include "model/fpgpt/exact/read_ahead.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/kernel.h"

namespace weft::fpgpt::exact {

// The states at anchors of a kernel and, by themselves, of its readers of INP and KERN: numbers for them, and how far
// what begins in each of them looks.
class KernelStates {
 public:
  // Whose states are numbered from now on: the plan of a convolution that differs from the one before, if there was
  // one, in where its tensors lie alone. No state tells that.
  void begin(const Setting& setting) { setting_ = &setting; }

  std::uint32_t number(Kernel& kernel, const Anchor& anchor);
  std::uint32_t number(std::size_t port, ReaderState reader, const Anchor& anchor);
  std::string bytes(std::uint32_t state) const { return kernel_.bytes(state); }
  std::string bytes(std::size_t port, std::uint32_t state) const { return readers_[port].bytes(state); }
  // How far back is told by the state itself; whoever learns what begins in it adds how far ahead.
  Lookahead& lookahead(std::uint32_t state) { return lookaheads_[state]; }
  ReaderLookahead& lookahead(std::size_t port, std::uint32_t state) { return reader_lookaheads_[port][state]; }

  void evict();
  // Everything but these states, which get new numbers.
  void evict_except(std::uint32_t& state, std::array<std::uint32_t, 2>& readers);
  std::size_t memory() const;  // bytes that are remembered, about

 private:
  const Setting* setting_ = nullptr;
  engine::States kernel_;
  std::vector<Lookahead> lookaheads_;
  std::array<engine::States, 2> readers_;
  std::array<std::vector<ReaderLookahead>, 2> reader_lookaheads_;
};

}  // namespace weft::fpgpt::exact
