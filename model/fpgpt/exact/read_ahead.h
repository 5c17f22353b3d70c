#pragma once

#include <string>
#include <vector>

#include "model/fpgpt/exact/interval.h"

namespace weft::fpgpt::exact {

// The reader of a port by itself, with what it has asked for.
struct ReaderState {
  stream::DdrReader reader;
  stream::ReadPort port;

  void relative(Relative& state, const stream::RangeLoop& loop, std::int64_t first_range) {
    reader.relative(state, loop, first_range);
    port.relative(state);
  }
};

// Runs the reader of port INP or KERN from the state `bytes` at `anchor` up to `end`, while a beat is taken in each
// cycle of `consumed`; returns the reader as it is then.
ReaderState run_reader(const Plan& plan, Port port, std::string& bytes, const Anchor& anchor, Cycles cycles,
                       const std::vector<engine::Run>& consumed, ReadAhead& ahead);

}  // namespace weft::fpgpt::exact
