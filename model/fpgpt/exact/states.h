#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/core/intern.h"
#include "model/fpgpt/exact/lookahead.h"
#include "model/fpgpt/exact/read_ahead.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/kernel.h"

namespace weft::fpgpt::exact {

// Numbers of the states of a kernel and, separately, its readers at interval boundaries, with their look-ahead.
class KernelStates {
 public:
  // Begins a convolution. States do not contain tensor addresses: convolutions that differ only in these share numbers.
  void begin(const Setting& setting) { setting_ = &setting; }

  std::uint32_t number(Kernel& kernel, const Anchor& anchor);
  std::uint32_t number(std::size_t port, ReaderState reader, const Anchor& anchor);
  std::string bytes(std::uint32_t state) const { return kernel_.bytes(state); }
  std::string bytes(std::size_t port, std::uint32_t state) const { return readers_[port].bytes(state); }
  // The state determines the look-back; recording an interval adds the look-ahead.
  Lookahead& lookahead(std::uint32_t state) { return lookaheads_[state]; }
  ReaderLookahead& lookahead(std::size_t port, std::uint32_t state) { return reader_lookaheads_[port][state]; }

  void evict();
  // Evicts everything but these states, which get new numbers.
  void evict_except(std::uint32_t& state, std::array<std::uint32_t, 2>& readers);
  std::size_t memory() const;  // approximate bytes

 private:
  const Setting* setting_ = nullptr;
  States kernel_;
  std::vector<Lookahead> lookaheads_;
  std::array<States, 2> readers_;
  std::array<std::vector<ReaderLookahead>, 2> reader_lookaheads_;
};

}  // namespace weft::fpgpt::exact
