#pragma once

#include <gtest/gtest.h>

#include "model/fpgpt/result.h"

namespace weft::test {

// What two rungs must agree in: everything but how much was skipped.
inline void expect_same(const fpgpt::ConvolutionResult& a, const fpgpt::ConvolutionResult& b) {
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.drain_cycles, b.drain_cycles);
  EXPECT_EQ(a.limiter, b.limiter);
  for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) {
    EXPECT_EQ(a.activities[block].cycles, b.activities[block].cycles) << "block " << block;
  }
  EXPECT_EQ(a.array_starved, b.array_starved);
  for (std::size_t i = 0; i < fpgpt::kPeClasses; ++i) {
    EXPECT_EQ(a.pe_cycles[i], b.pe_cycles[i]) << fpgpt::kPeClassInfos[i].name;
  }
  for (std::size_t port = 0; port < fpgpt::kPorts; ++port) {
    for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
      EXPECT_EQ(a.ports[port].*field.count, b.ports[port].*field.count)
          << fpgpt::to_string(static_cast<fpgpt::Port>(port)) << " " << field.name;
    }
  }
}

}  // namespace weft::test
