#include <map>
#include <set>

#include "tests/support/weft_test.h"

// Kernels of `weft dse` as the kernels of a training iteration.

namespace weft {
namespace {

using nlohmann::json;
using test::joined;
using test::Outcome;

constexpr std::int64_t kPsPerCycle = 10000;  // 100 MHz

class KernelSet : public test::WeftTest {
 protected:
  KernelSet() {
    ok({"dse", "alexnet_cifar10", "--out", "explored", "--set", "dse.penalties_percent=[0, 20]", "--set",
        "dse.compare_reading=none"});
    explored_ = result("explored");
  }

  json timeline(const std::vector<std::string>& sets) const {
    return json_of(with({"timeline", "table59-alexnet-cifar10"}, sets));
  }

  json explored_;
};

// Returns the bitstream of each launch, in the order of time.
std::vector<int> kernels_in_order(const json& timeline) {
  std::vector<std::pair<std::int64_t, int>> launches;
  for (const json& step : timeline["steps"]) {
    if (step["activity"] == "kernel") launches.emplace_back(step["start_ps"].get<std::int64_t>(), step["kernel"]);
  }
  std::sort(launches.begin(), launches.end());
  std::vector<int> order;
  order.reserve(launches.size());
  for (const auto& [start, kernel] : launches) order.push_back(kernel);
  return order;
}

// Returns the loads of an iteration that follows an equal one: its first launch finds the kernel of its last.
std::int64_t changes(const std::vector<int>& order) {
  std::int64_t count = order.front() != order.back() ? 1 : 0;
  for (std::size_t i = 1; i < order.size(); ++i) count += order[i] != order[i - 1] ? 1 : 0;
  return count;
}

TEST_F(KernelSet, HasTheKernelsOfEachPenaltyAndLoadsThemWhereTheyChange) {
  std::map<int, std::int64_t> kernel_ps, cycles;
  for (const std::size_t at : {0U, 1U}) {
    const json& shared = explored_["sharing"][at];
    const int percent = shared["penalty_percent"];
    const json result =
        timeline({"schedule.kernels.dse=explored/", "schedule.kernels.penalty_percent=" + std::to_string(percent)});
    EXPECT_EQ(result["kernels"], shared["minimum"]["kernels"]);
    const std::vector<int> order = kernels_in_order(result);
    ASSERT_FALSE(order.empty());
    EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), shared["minimum"]["kernels"].get<std::size_t>());
    EXPECT_EQ(result["loads"]["count"], changes(order));
    EXPECT_GE(result["loads"]["count"], result["loads"]["at_least"]);
    EXPECT_GE(result["loads"]["at_least"], shared["minimum"]["kernels"]);
    kernel_ps[percent] = result["where_ps"]["kernels"];
    cycles[percent] = shared["minimum"]["cycles"];
  }
  EXPECT_GT(explored_["sharing"][0]["minimum"]["kernels"], explored_["sharing"][1]["minimum"]["kernels"]);
  // Sharing costs the same cycles in the iteration as in the exploration; the rest of a launch is equal.
  EXPECT_EQ(kernel_ps[20] - kernel_ps[0], (cycles[20] - cycles[0]) * kPsPerCycle);
}

TEST_F(KernelSet, OfOwnKernelsHasOneForEachDifferentOptimum) {
  std::set<json> different;
  for (const json& each : explored_["convolutions"]) different.insert(each["optimal"]["kernel"]);
  const json result =
      timeline({"schedule.kernels={dse: explored/result.json, own: true}", "schedule.order=fewest_loads"});
  EXPECT_EQ(result["kernels"], different.size());
  EXPECT_LE(result["loads"]["count"], result["loads"]["in_order_of_graph"]);
  EXPECT_GE(result["loads"]["count"], result["loads"]["at_least"]);
}

TEST_F(KernelSet, OfAnExplorationMadeForTheRunIsThatOfItsResult) {
  const json made = timeline({"schedule.kernels.dse=alexnet_cifar10"});
  const json read = timeline({"schedule.kernels.dse=explored/"});
  EXPECT_FALSE(made["steps"].empty());
  EXPECT_EQ(made["steps"], read["steps"]);
  // The card multiplies, and the host makes the matrices.
  const json products = timeline({"schedule.im2col=cpu"});
  EXPECT_GT(products["where_ps"]["im2col"], 0);
}

TEST_F(KernelSet, ThatMissesAConvolutionOfTheRunIsRefused) {
  const std::string said =
      refused(with({"timeline", "table59-alexnet-cifar10"}, {"schedule.kernels.dse=explored/", "gi_first=true"}),
              "schedule.kernels.dse: ");
  EXPECT_TRUE(test::has(said, "has no kernel for 1 of"));
  EXPECT_TRUE(test::has(said, ":GI'"));
}

}  // namespace
}  // namespace weft
