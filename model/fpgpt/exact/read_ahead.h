#pragma once

#include <string>
#include <vector>

#include "model/fpgpt/exact/interval.h"

namespace weft::fpgpt::exact {

// Reader of a port with its outstanding requests.
struct ReaderState {
  stream::DdrReader reader;
  stream::ReadPort port;

  void relative(Relative& state, const stream::RangeLoop& loop, std::int64_t first_range) {
    reader.relative(state, loop, first_range);
    port.relative(state);
  }
};

// Runs the reader of port INP or KERN from the state `bytes` at `anchor` for `cycles`, with a beat consumed in each
// cycle of `consumed`. Fills `ahead` except `next`; returns the reader at the end.
ReaderState run_reader(const Plan& plan, Port port, std::string& bytes, const Anchor& anchor, Cycles cycles,
                       const std::vector<engine::Run>& consumed, ReadAhead& ahead);

}  // namespace weft::fpgpt::exact
