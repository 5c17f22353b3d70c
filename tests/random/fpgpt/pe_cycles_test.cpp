#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <vector>

#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/exact/exact.h"
#include "model/fpgpt/result.h"
#include "model/memory/config.h"
#include "tests/support/random_case.h"
#include "tests/support/special_values.h"

namespace weft::fpgpt {
namespace {

// Observes the array of a clocked kernel with data and classifies each PE in each cycle: by the fill of the FIFOs, by
// the rules of the contract, and, for useful products, by the actual words.
class Oracle {
 public:
  explicit Oracle(const Plan& plan) : plan_(plan), rounds_(array_rounds(plan)) {}

  // Called before the kernel is stepped.
  void see(const Fifos& fifos, Cycles now) {
    const std::int64_t pes = std::int64_t{plan_.alpha.x} * plan_.alpha.y;
    if (round_ == rounds_.rounds) {
      count(PeClass::Idle, pes);
    } else if (gives() && !fifos[FifoId::OutRow].can_push(now)) {
      count(PeClass::BlockedOutRow, pes);
    } else if (takes_column() && !fifos[FifoId::InpColumn].can_pop(now)) {
      count(PeClass::StarvedInpColumn, pes);
    } else if (takes_row() && !fifos[FifoId::KernRow].can_pop(now)) {
      count(PeClass::StarvedKernRow, pes);
    } else {
      advance(fifos);
    }
  }
  const PeCycles& counted() const { return counted_; }
  bool agrees() const { return agrees_; }

 private:
  struct Tokens {
    std::vector<float> column, row;  // empty: none is taken
  };

  void count(PeClass pe_class, std::int64_t cycles) { counted_[static_cast<std::size_t>(pe_class)] += cycles; }

  // ARR-1..3.
  bool takes_column() const { return q_ < plan_.spacing * rounds_.sets && q_ % plan_.spacing < plan_.m; }
  bool takes_row() const {
    return plan_.alpha.profile.overlap_drain ? takes_column() : q_ < plan_.spacing * rounds_.sets + plan_.alpha.y;
  }
  bool gives() const {
    const std::int64_t since = q_ - plan_.m - plan_.alpha.format.final_add_cycles();
    return since >= 0 && since / plan_.spacing < rounds_.sets && since % plan_.spacing < plan_.alpha.y;
  }

  void advance(const Fifos& fifos) {
    const auto words = [](const Fifo& fifo) { return test::floats(fifo.front(), fifo.width()); };
    Tokens tokens;
    if (takes_column()) tokens.column = words(fifos[FifoId::InpColumn]);
    if (takes_row()) tokens.row = words(fifos[FifoId::KernRow]);
    taken_.push_front(std::move(tokens));
    if (taken_.size() > static_cast<std::size_t>(plan_.alpha.y)) taken_.pop_back();
    test::add_array_cycle(plan_, round_, q_, counted_);
    for (int row = 0; row < plan_.alpha.y; ++row) {
      for (int column = 0; column < plan_.alpha.x; ++column) {
        const bool useful = test::class_of(plan_, round_, q_, row, column) == PeClass::Useful;
        agrees_ = agrees_ && useful == multiplies(row, column);
      }
    }
    if (++q_ < rounds_.cycles) return;
    q_ = 0;
    ++round_;
    taken_.clear();
  }

  // INP moves down one row per array cycle. KERN was delayed by the feeder or, with overlap_drain, by the array.
  bool multiplies(int row, int column) const {
    const auto behind = static_cast<std::size_t>(row);
    if (behind >= taken_.size()) return false;
    const std::vector<float>& inp = taken_[behind].column;
    const std::vector<float>& kern = taken_[plan_.alpha.profile.overlap_drain ? behind : 0].row;
    return !inp.empty() && !kern.empty() && inp[static_cast<std::size_t>(column)] != 0 && kern[behind] != 0;
  }

  const Plan& plan_;
  ArrayRounds rounds_;
  std::int64_t round_ = 0, q_ = 0;
  std::deque<Tokens> taken_;  // tokens of the last Y array cycles, the newest first
  PeCycles counted_{};
  bool agrees_ = true;
};

// Random layers, kinds, groups, sizes, profiles, depths and ports, with memory from very fast to very slow.
TEST(PeCycles, AreThoseOfEveryPeInEveryCycleOnTheClockedAndTheExactRung) {
  PeCycles all{};
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase data = test::random_case(seed, 60000);
    const Plan& plan = data.plan;
    memory::MemoryConfig config = test::memory_of(plan.alpha);
    config.kind = seed % 3 == 0 ? memory::MemoryKind::ideal : memory::MemoryKind::ddr4;
    config.latency_cycles = config.ideal_latency_cycles = static_cast<Cycles>(seed % 40);

    const auto memory = memory::make_memory(config);
    memory->reset();
    Kernel kernel(std::make_shared<const Plan>(plan));
    BlockActivities activities{};
    Oracle oracle(plan);
    Cycles cycles = 0;
    for (; !kernel.done(); ++cycles) {
      oracle.see(kernel.fifos, cycles);
      exact::step(kernel, *memory, cycles, &data.memory, activities);
    }
    ASSERT_TRUE(oracle.agrees()) << "what is useful and what the words say";
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kPeClasses; ++i) {
      sum += oracle.counted()[i];
      all[i] += oracle.counted()[i];
    }
    EXPECT_EQ(sum, std::int64_t{plan.alpha.x} * plan.alpha.y * cycles);
    EXPECT_EQ(collect(kernel, activities, cycles, *memory).pe_cycles, oracle.counted());

    Plan timing = plan;
    timing.with_data = false;
    engine::ExactOptions options;
    options.interval_cycles = 200;
    options.verify = 3;
    const exact::ExactResult exact = exact::run_exact(timing, config, options);
    EXPECT_EQ(exact.convolution.cycles, cycles);
    EXPECT_EQ(exact.convolution.pe_cycles, oracle.counted());
  }
  for (std::size_t i = 0; i < kPeClasses; ++i) EXPECT_GT(all[i], 1000) << kPeClassInfos[i].name;
}

}  // namespace
}  // namespace weft::fpgpt
