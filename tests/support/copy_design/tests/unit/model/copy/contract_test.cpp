// The rules of kernels/copy/CONTRACT.md that the model alone shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>

#include "model/copy/analytical/equations.h"
#include "model/copy/kernel.h"
#include "model/core/error.h"
#include "model/memory/config.h"
#include "model/stream/port_traffic.h"
#include "tests/support/random_memory.h"

namespace weft::copy {
namespace {

Alpha small() {
  Alpha alpha;
  alpha.band = 4;
  return alpha;
}

Cycles cycles_of(const Alpha& alpha, Words words, Cycles latency) {
  memory::MemoryConfig config;
  config.kind = memory::MemoryKind::ideal;
  config.beat_bytes = alpha.beat_bytes();
  config.port_channel = {0, 0};
  config.ideal_latency_cycles = latency;
  return run_exact(make_plan(alpha, {0, 0, words}, false), *memory::make_memory(config), nullptr).cycles;
}

// Cycles of each event of a launch on memory of latency 0.
std::map<std::string, std::vector<Cycles>> trace(const Alpha& alpha, Words words) {
  Kernel kernel(std::make_shared<const Plan>(make_plan(alpha, {0, 4096, words}, false)));
  test::RandomMemory memory(0, 0, 1);
  std::map<std::string, std::vector<Cycles>> at;
  for (Cycles now = 0; !kernel.done() && now < 1000; ++now) {
    const Fifo& fifo = kernel.fifos[FifoId::Beat];
    const auto pushed = fifo.pushed(), popped = fifo.popped();
    kernel.for_each_port([&](memory::PortId id, auto& port) { stream::deliver(memory, id, port); });
    kernel.step(now);
    kernel.for_each_port([&](memory::PortId id, auto& port) { stream::send(memory, id, port, now, nullptr); });
    const auto note = [&](const std::string& what, bool happened) {
      if (happened) at[what].push_back(now);
    };
    note("push", fifo.pushed() != pushed);
    note("pop", fifo.popped() != popped);
    note("read address", kernel.in.requested);
    note("write address", kernel.out.requested);
    note("response", kernel.out.response_taken);
    note("reader idle", kernel.activity[0] == Activity::Idle);
    note("two words", kernel.out.beat_sent && kernel.out.lanes == 2);
  }
  return at;
}

using At = std::vector<Cycles>;

// Section 5, line by line; COPY-1, COPY-2, COPY-3.
TEST(CopyContract, TheWorkedLaunchTakesSixCycles) {
  auto at = trace(small(), 10);
  EXPECT_EQ(at["read address"], At{0});
  EXPECT_EQ(at["push"], (At{1, 2, 3}));
  EXPECT_EQ(at["reader idle"], (At{4, 5}));
  EXPECT_EQ(at["write address"], At{2});
  EXPECT_EQ(at["pop"], (At{2, 3, 4}));
  EXPECT_EQ(at["two words"], At{4});
  EXPECT_EQ(at["response"], At{5});
  EXPECT_EQ(cycles_of(small(), 10, 0), 6);
  EXPECT_EQ(equations(small(), 10, 0).cycles, 6);
}

// COPY-4, on random kernels and tensors.
TEST(CopyContract, TheEquationsAreExactWhereTheContractSaysAndALowerBoundElsewhere) {
  std::mt19937_64 random(1);
  const auto pick = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  int exact = 0, stalled = 0, longer = 0;
  for (int i = 0; i < 2000; ++i) {
    Alpha alpha;
    alpha.band = 1 << pick(0, 5);
    alpha.fifo[FifoId::Beat] = pick(0, 2) ? pick(2, 9) : 1;
    const bool powers = pick(0, 3) != 0;
    for (stream::PortConfig* port : {&alpha.in, &alpha.out}) {
      *port = {powers ? 1 << pick(0, 6) : pick(1, 70), pick(1, 8)};
    }
    const Words words = pick(1, 300 * alpha.band);
    const Cycles latency = pick(0, 40);
    const EquationTerms terms = equations(alpha, words, latency);
    const Cycles cycles = cycles_of(alpha, words, latency);
    if (powers && std::min(terms.in_stalls, terms.out_stalls) == 0) {
      ASSERT_EQ(terms.cycles, cycles) << "case " << i;
      ++exact;
      stalled += terms.in_stalls + terms.out_stalls > 0;
    } else {
      ASSERT_LE(terms.cycles, cycles) << "case " << i;
      longer += terms.cycles < cycles;
    }
  }
  EXPECT_GT(exact, 500);
  EXPECT_GT(stalled, 100);
  EXPECT_GT(longer, 20);
}

// Section 2.
TEST(CopyContract, OnlyTensorsOfTheContractArePlanned) {
  for (const Beta& beta : {Beta{4, 0, 1}, Beta{0, 2048, 1}, Beta{0, 0, 0}, Beta{0, 0, kMostWords + 1}}) {
    EXPECT_THROW(make_plan(small(), beta, false), Error);
  }
  EXPECT_EQ(make_plan(small(), {4096, 8192, kMostWords}, false).out.run_words, kMostWords);
}

}  // namespace
}  // namespace weft::copy
