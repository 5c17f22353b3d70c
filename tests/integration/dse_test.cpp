#include <set>

#include "tests/support/weft_test.h"

namespace weft {
namespace {

using nlohmann::json;
using test::joined;
using test::Outcome;

const std::vector<std::string> kOptimaOnly{"--set", "dse.penalties_percent=[]", "--set", "batch=1"};

const std::string kSmallNetwork =
    "network={layers: [{name: a, channels: 3, h: 9, w: 7, filters: 6, kernel: 3, pad: 1}]}";

class Dse : public test::WeftTest {
 protected:
  static Words dse(const Words& arguments) { return joined({"dse"}, arguments); }
  json dse_json(const Words& arguments) const {
    const std::vector<std::string> before = dir_.listing();
    json found = json_of(dse(joined(arguments, {"--no-save"})));
    EXPECT_EQ(dir_.listing(), before);
    return found;
  }
  json rerank_small(const Words& more) const {
    return dse_json(joined({"resnet20", "--set", kSmallNetwork, "--set", "dse.penalties_percent=[]", "--set",
                            "dse.rerank.batch=2", "--rerank", "3"},
                           more));
  }
};

// Seed 004, section 5.6.2; the same space, limited to arrays that have the DSPs: X * Y <= 341.
TEST_F(Dse, CountsTheThesis12424Arrays) {
  const json result = dse_json(joined({"googlenet", "--only", "inception3b.branch3.1.conv:F"}, kOptimaOnly));
  ASSERT_EQ(result["convolutions"].size(), 1U);
  const json& convolution = result["convolutions"][0];
  EXPECT_EQ(convolution["arrays"], 12424);
  int within = 0;
  for (int x = 1; x <= 341; ++x) {
    for (int y = 1; y <= 96; ++y) within += x * y >= 4 && x * y <= 341;
  }
  EXPECT_EQ(convolution["within_dsp"], within);
}

// The exploration's optimum has the cycles of `weft run --rung analytical` for that kernel.
TEST_F(Dse, AgreesWithTheAnalyticalRungAboutItsKernels) {
  const json result = dse_json(joined({"googlenet", "--only", "inception3b.branch3.1.conv"}, kOptimaOnly));
  ASSERT_EQ(result["convolutions"].size(), 3U);
  for (const json& c : result["convolutions"]) {
    const json& kernel = c["optimal"]["kernel"];
    const json row =
        json_of(with({"run", "googlenet-u250", "--rung", "analytical", "--no-save", "--only",
                      c["layer"].get<std::string>() + ":" + c["kind"].get<std::string>()},
                     {"batch=1", "kernel.array.x=" + kernel["x"].dump(), "kernel.array.y=" + kernel["y"].dump(),
                      "kernel.z=" + kernel["z"].dump()}))["convolutions"][0];
    EXPECT_EQ(row["cycles"], c["optimal"]["cycles"]);
    EXPECT_EQ(row["limiter"], c["optimal"]["limiter"]);
    EXPECT_EQ(row["kernel"]["z_channel"], kernel["z_channel"]);
    EXPECT_EQ(row["kernel"]["out_words"], kernel["out_words"]);
    EXPECT_EQ(row["resources"]["dsp"]["used"], c["optimal"]["resources"]["dsp"]);
  }
}

// 21 layers have 63 convolutions with a GI for the first, as the thesis counts (section 6.2). The numbers of kernels
// are this program's results; they change with any reading, order or tie.
TEST_F(Dse, OfResNet20FindsTheKernelsItFoundBefore) {
  const json result = dse_json({"resnet20", "--set", "dse.penalties_percent=[0, 5, 20]"});
  EXPECT_EQ(result["optimal"]["convolutions"], 63);
  EXPECT_EQ(result["optimal"]["misfits"], 0);
  EXPECT_EQ(result["published"]["kernels"], 17);
  std::vector<int> heuristic, fewest;
  for (const json& sharing : result["sharing"]) {
    heuristic.push_back(sharing["heuristic"]["kernels"]);
    fewest.push_back(sharing["minimum"]["kernels"]);
    EXPECT_EQ(sharing["minimum"]["kernels"], sharing["minimum"]["at_least"]);
    EXPECT_LE(fewest.back(), heuristic.back());
    for (const char* which : {"heuristic", "minimum"}) {
      std::set<std::string> names;
      for (const json& group : sharing[which]["groups"]) {
        EXPECT_LE(group["worst_penalty"].get<double>() * 100, sharing["penalty_percent"].get<double>());
        for (const json& name : group["convolutions"]) EXPECT_TRUE(names.insert(name).second) << name;
      }
      EXPECT_EQ(names.size(), 63U) << which;
    }
  }
  EXPECT_EQ(heuristic, (std::vector<int>{7, 6, 6}));
  EXPECT_EQ(fewest, (std::vector<int>{6, 5, 5}));
  EXPECT_EQ(result["sharing"][0]["minimum"]["cycles"], result["optimal"]["cycles"]);
  EXPECT_EQ(result["sharing"][0]["heuristic"]["cycles"], result["optimal"]["cycles"]);
}

TEST_F(Dse, GivesTheSameBytesForAnyNumberOfWorkers) {
  std::string first;
  for (const char* workers : {"1", "2", "5"}) {
    const Outcome outcome = ok(dse({"squeezenet1_1", "--only", "features.3.*", "--set", "dse.penalties_percent=[0, 10]",
                                    "--no-save", "--format", "json", "--workers", workers}));
    if (first.empty()) first = outcome.out;
    EXPECT_EQ(outcome.out, first) << workers;
  }
}

// The exact rung is the default.
TEST_F(Dse, RanksTheSameOnBothRungs) {
  const json exact = rerank_small({}), systemc = rerank_small({"--set", "dse.rerank.rung=systemc"});
  EXPECT_EQ(exact["rerank"]["rung"], "exact");
  EXPECT_EQ(exact["rerank"]["convolutions"], systemc["rerank"]["convolutions"]);
}

TEST_F(Dse, RanksTheBestByTheirSimulation) {
  const json result = rerank_small({"--set", "dse.rerank.rung=systemc"});
  EXPECT_EQ(result["rerank"]["rung"], "systemc");
  EXPECT_EQ(result["rerank"]["batch"], 2);
  ASSERT_EQ(result["rerank"]["convolutions"].size(), 3U);
  for (const json& one : result["rerank"]["convolutions"]) {
    ASSERT_EQ(one["designs"].size(), 3U);
    std::set<int> ranks;
    std::int64_t before = 0;
    for (const json& design : one["designs"]) {
      ranks.insert(design["rank"].get<int>());
      EXPECT_GE(design["simulated_cycles"].get<std::int64_t>(), before);
      before = design["simulated_cycles"];
      // The same convolution and kernel in weft run.
      const json& kernel = design["kernel"];
      const json row = json_of(with(
          {"run", "resnet20-u250", "--rung", "systemc", "--no-save", "--only", one["convolution"].get<std::string>()},
          {kSmallNetwork, "gi_first=true", "batch=2", "kernel.array.x=" + kernel["x"].dump(),
           "kernel.array.y=" + kernel["y"].dump(), "kernel.z=" + kernel["z"].dump()}))["convolutions"][0];
      EXPECT_EQ(row["cycles"], design["simulated_cycles"]);
      EXPECT_EQ(row["analytical_cycles"], design["equations_cycles"]);
    }
    EXPECT_EQ(ranks, (std::set<int>{1, 2, 3}));
  }
}

TEST_F(Dse, SavesAResultThatReproducesItselfAndThatShowKnows) {
  const std::vector<std::string> arguments{"resnet20", "--only", "layer1.0.*", "--set",
                                           "dse.penalties_percent=[0, 2.5]"};
  const Outcome first = ok(dse(joined(arguments, {"--out", "first", "--format", "json"})));
  EXPECT_EQ(dir_.listing(),
            (std::vector<std::string>{"first", "first/config.yaml", "first/convolutions.csv", "first/result.json"}));
  EXPECT_EQ(text("first/result.json"), first.out);
  const Outcome again = weft(dse({"first/config.yaml", "--no-save", "--format", "json"}));
  const auto without_inputs = [](const std::string& text) { return text.substr(0, text.rfind("\"inputs\"")); };
  EXPECT_EQ(without_inputs(again.out), without_inputs(first.out)) << again.err;
  const Outcome shown = ok({"show", "first/config.yaml"});
  EXPECT_TRUE(test::has(shown.out, "exploration resnet20"));
  EXPECT_TRUE(test::has(shown.out, "penalties of 0%, 2.5%"));
}

TEST_F(Dse, ComparesSeveralExplorations) {
  const std::vector<std::string> arguments{
      "alexnet_cifar10",          "resnet20", "--no-save", "--set", "dse.penalties_percent=[0]", "--set",
      "dse.sharing.minimum=false"};
  const Outcome table = ok(dse(arguments));
  EXPECT_TRUE(test::has(table.out, "exploration           convs"));
  const Outcome csv = weft(dse(joined(arguments, {"--format", "csv"})));
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 1 + 14 + 63);
  EXPECT_EQ(json_of(dse(arguments)).size(), 2U);
}

// Seed 004, section 5.7.1: VGG's on-chip memory is more than a U250 has.
TEST_F(Dse, NamesConvolutionsThatNoKernelHolds) {
  const json result =
      dse_json({"alexnet", "--set", "network=vgg16", "--set", "dse.sharing.minimum=false", "--set",
                "dse.penalties_percent=[0]", "--set", "dse.budget.uram=0", "--only", "features.0*,features.28*"});
  EXPECT_EQ(result["optimal"]["misfits"], 3);
  int shown = 0;
  for (const json& c : result["convolutions"]) {
    if (c.contains("optimal")) continue;
    EXPECT_EQ(c["layer"], "features.28");
    EXPECT_GT(c["smallest"]["bram18"].get<int>(), 1344);
    ++shown;
  }
  EXPECT_EQ(shown, 3);
}

}  // namespace
}  // namespace weft
