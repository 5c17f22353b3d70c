#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "model/stream/observer.h"
#include "platform/hardware/cosim/case.h"

namespace weft::test {

// Checks the places of the tokens of each FIFO in a convolution: the first has zeros, no other has these, and the loops
// end with the last token.
inline void expect_places(const cosim::Case& convolution, const cosim::AxiEnvironment& environment,
                          std::vector<memory::Store> stores) {
  struct Counter : stream::Observer {
    std::vector<std::int64_t> pushes;
    bool after(Cycles, const stream::CycleEvents& events) override {
      pushes.resize(events.fifos.size());
      for (std::size_t i = 0; i < pushes.size(); ++i) pushes[i] += events.fifos[i].push;
      return true;
    }
  } counter;
  convolution.run_model(environment, stores, counter);
  for (std::size_t fifo = 0; fifo < counter.pushes.size(); ++fifo) {
    SCOPED_TRACE(convolution.topology().fifos[fifo].name);
    const cosim::Place first = convolution.place(fifo, 0, {});
    for (const auto& [name, index] : first) EXPECT_EQ(index, 0) << name;
    std::int64_t same = 0;
    for (std::int64_t token = 1; token < counter.pushes[fifo]; ++token) {
      same += convolution.place(fifo, token, {}) == first;
    }
    EXPECT_EQ(same, 0);
    EXPECT_EQ(convolution.place(fifo, counter.pushes[fifo], {}), first) << "after the last token";
  }
}

}  // namespace weft::test
