#include <map>
#include <set>

#include "tests/support/weft_test.h"
#include "tests/unit/workloads/onnx/onnx_text.h"

namespace weft {
namespace {

using nlohmann::json;

// A run of a network in ONNX's textual syntax: run.yaml, batch 2, by the equations.
class OfText : public test::WeftTest {
 public:
  explicit OfText(const std::string& graph, const std::string& more = "") {
    std::ofstream(dir_.path() / "net.onnx", std::ios::binary) << workloads::model_of(graph).SerializeAsString();
    dir_.write("run.yaml", "extends: resnet20-u250\nname: t\nnetwork: ./net.onnx\nbatch: 2\nrung: analytical\n" + more);
  }
  json timeline(const Words& sets = {}) const { return json_of(words(sets)); }
  std::string error(const Words& sets) const { return refused(words(sets)); }

 private:
  static Words words(const Words& sets) { return with({"timeline", "run.yaml"}, sets); }
  void TestBody() override {}  // not a test of its own
};

// Two outputs: a 1x1 layer `a` is followed by `b`, which leads to z, and by a matrix product, which leads to y.
constexpr const char* kTwoOutputs = R"(g (float[N,4,8,8] x, float[8,4,1,1] w1, float[8,8,1,1] w2, float[512,10] w3)
    => (float[] y, float[] z) {
  a = Conv(x, w1)
  b = Conv(a, w2)
  z = Relu(b)
  f = Flatten(a)
  y = MatMul(f, w3)
})";

// Three layers of one size in sequence.
constexpr const char* kChain = R"(g (float[N,4,8,8] x, float[4,4,3,3] w1, float[4,4,3,3] w2, float[4,4,3,3] w3,
      float[256,10] w4) => (float[] y) {
  a = Conv<pads=[1,1,1,1]>(x, w1)
  b = Conv<pads=[1,1,1,1]>(a, w2)
  c = Conv<pads=[1,1,1,1]>(b, w3)
  f = Flatten(c)
  y = MatMul(f, w4)
})";

// Loads that take no time and clear no memory of the card.
const std::vector<std::string> kFreeLoads{"schedule.load=region", "host.reconfiguration.region.low=0",
                                          "host.reconfiguration.region.seconds=0"};

// Counts the pairs of transfers in both directions at once on one memory channel.
int crossing_pairs(const json& timeline) {
  int pairs = 0;
  for (const json& in : timeline.at("steps")) {
    if (in.at("activity") != "H2C") continue;
    for (const json& out : timeline.at("steps")) {
      if (out.at("activity") != "C2H" || out.at("memory_channel") != in.at("memory_channel")) continue;
      pairs += in.at("start_ps") < out.at("end_ps") && out.at("start_ps") < in.at("end_ps") ? 1 : 0;
    }
  }
  return pairs;
}

std::int64_t steps_of(const json& timeline, const std::string& activity) {
  const json& steps = timeline.at("steps");
  return std::count_if(steps.begin(), steps.end(), [&](const json& step) { return step.at("activity") == activity; });
}

class Timeline : public test::WeftTest {
 protected:
  json timeline(const std::string& run, const Words& sets = {}) const {
    return json_of(with({"timeline", run, "--rung", "analytical"}, sets));
  }
};

TEST_F(Timeline, OfGoogLeNetHasAllConvolutionsAndEveryOperatorOfTheHost) {
  const json all = timeline("googlenet-u250");
  std::set<std::string> convolutions, host;
  std::map<std::string, std::int64_t> sums;
  for (const json& step : all.at("steps")) {
    const std::string activity = step.at("activity");
    sums[activity] += step.at("end_ps").get<std::int64_t>() - step.at("start_ps").get<std::int64_t>();
    if (activity == "kernel") convolutions.insert(step.at("operator"));
    if (activity == "host operator") host.insert(step.at("operator"));
  }
  EXPECT_EQ(convolutions.size(), 170U);
  EXPECT_EQ(all.at("launches"), 170);
  // Each operator of the training graph has a step, including views.
  std::map<std::string, std::int64_t> graph, steps;
  const json operators = json_of({"show", "googlenet", "--training", "--batch", "256"}).at("operators");
  for (const json& op : operators)
    graph[op.at("operator").get<std::string>() + op.at("direction").get<std::string>()] += 1;
  for (const json& step : all.at("steps")) {
    if (step.at("activity") != "kernel" && step.at("activity") != "host operator") continue;
    steps[step.at("operator").get<std::string>() + step.at("direction").get<std::string>()] += 1;
  }
  EXPECT_EQ(steps, graph);
  EXPECT_TRUE(std::any_of(operators.begin(), operators.end(), [](const json& op) { return op.at("class") == "view"; }));
  // One step at a time: no overlap and no idle time.
  std::int64_t where = 0;
  for (const auto& [name, time] : all.at("where_ps").items()) where += time.get<std::int64_t>();
  EXPECT_EQ(where, all.at("iteration_ps").get<std::int64_t>());
  EXPECT_EQ(all.at("where_ps").at("idle"), 0);
  EXPECT_EQ(sums["kernel"], all.at("where_ps").at("kernels").get<std::int64_t>());
  // Bytes counted by weft run: 15,378 MB to the card and 7,946 MB back.
  EXPECT_EQ(all.at("bytes_to_card").get<std::int64_t>() / 1'000'000, 15378);
  EXPECT_EQ(all.at("bytes_to_host").get<std::int64_t>() / 1'000'000, 7946);
  for (const char* op : {"conv1.conv/BatchNormalization", "Dropout", "fc F", "fc GW"}) {
    EXPECT_TRUE(std::any_of(host.begin(), host.end(), [&](const std::string& each) {
      return each.find(op) != std::string::npos;
    })) << op;
  }
}

TEST_F(Timeline, StepsOfAResourceNeverOverlapAndFollowTheGraph) {
  for (const std::vector<std::string>& sets : {std::vector<std::string>{},
                                               {"schedule.overlap=double_buffer", "schedule.load=region"},
                                               {"schedule.order=fewest_loads", "schedule.load_time=ahead"},
                                               {"schedule.transfers=keep_activations"}}) {
    const json all = timeline("resnet20-u250", sets);
    std::map<std::string, std::int64_t> free;
    for (const json& step : all.at("steps")) {
      const std::int64_t start = step.at("start_ps"), end = step.at("end_ps");
      ASSERT_GE(start, free[step.at("resource")]);
      ASSERT_TRUE(end > start || (end == start && step.at("class") == "view"));
      free[step.at("resource")] = end;
    }
    std::int64_t last = 0;
    for (const auto& [resource, time] : free) last = std::max(last, time);
    EXPECT_EQ(last, all.at("iteration_ps").get<std::int64_t>());
  }
}

// With a result of weft run the timeline equals that of its own simulation, because the cycles are those of the run.
TEST_F(Timeline, FromAResultIsTheSameAsItsOwnSimulation) {
  const std::vector<std::string> run{"resnet20-u250", "--set", "batch=2", "--set", "kernel.array.x=8"};
  ok(test::joined({"run"}, test::joined(run, {"--out", "made"})));
  const auto csv = [&](const std::vector<std::string>& more) {
    return ok(test::joined({"timeline"}, test::joined(run, test::joined({"--format", "csv"}, more)))).out;
  };
  const std::string own = csv({});
  EXPECT_EQ(csv({"--from", "made"}), own);
  EXPECT_EQ(csv({"--workers", "1"}), own);
  EXPECT_NE(csv({"--from", "made", "--set", "schedule.calls=xrt"}), own);
  refused({"timeline", "resnet20-u250", "--set", "batch=2", "--from", "made"},
          "of another run: 'kernel.array.x' differs");
}

// Shared sizes: two kernels, one of F and GI and one of GW. All of F and GI can precede all of GW.
TEST_F(Timeline, TwoKernelsAreLoadedTwiceInTheRightOrder) {
  const std::vector<std::string> shared{"kernel.z=shared", "kernel.z_channel=shared", "kernel.k_range=shared",
                                        "kernel.kern_words=shared", "kernel.out_words=shared"};
  const json graph = timeline("resnet20-u250", shared);
  ASSERT_EQ(graph.at("kernels"), 2);
  EXPECT_GT(graph.at("loads").at("count"), 2);
  const json few = timeline("resnet20-u250", test::joined(shared, {"schedule.order=fewest_loads"}));
  EXPECT_EQ(few.at("loads").at("count"), 2);
  EXPECT_EQ(few.at("loads").at("at_least"), 2);
  EXPECT_EQ(few.at("loads").at("in_order_of_graph"), graph.at("loads").at("count"));
  // Exactly the loads are saved, to the picosecond.
  const std::int64_t saved = graph.at("loads").at("count").get<std::int64_t>() - 2;
  EXPECT_EQ(graph.at("iteration_ps").get<std::int64_t>() - few.at("iteration_ps").get<std::int64_t>(),
            saved * 1'400'000'000'000);
}

// Both settings of each switch.
TEST_F(Timeline, EachSwitchMovesWhatItSays) {
  const json base = timeline("resnet20-u250");
  const auto part = [](const json& of, const char* name) { return of.at("where_ps").at(name).get<std::int64_t>(); };
  const json region = timeline("resnet20-u250", {"schedule.load=region"});
  EXPECT_EQ(part(region, "reconfiguration") * 4, part(base, "reconfiguration"));
  const json xrt = timeline("resnet20-u250", {"schedule.calls=xrt"});
  EXPECT_LT(part(xrt, "calls"), part(base, "calls"));
  const json copied = timeline("resnet20-u250", {"schedule.host_buffers=copied"});
  EXPECT_GT(part(copied, "calls"), part(base, "calls"));
  EXPECT_EQ(part(copied, "H2C"), part(base, "H2C"));
  const json kept = timeline("resnet20-u250", {"schedule.transfers=keep_activations", "schedule.load=region"});
  EXPECT_LT(kept.at("bytes_to_card"), base.at("bytes_to_card"));
  const json cpu = timeline("resnet20-u250", {"schedule.im2col=cpu"});
  EXPECT_GT(part(cpu, "im2col"), 0);
  EXPECT_GT(cpu.at("bytes_to_card"), base.at("bytes_to_card"));
  EXPECT_EQ(part(base, "im2col"), 0);
  const json first = timeline("resnet20-u250", {"gi_first=true"});
  EXPECT_EQ(first.at("launches").get<int>(), base.at("launches").get<int>() + 1);
  const json ahead = timeline("resnet20-u250", {"schedule.load_time=ahead"});
  EXPECT_LT(ahead.at("iteration_ps"), base.at("iteration_ps"));
  const json buffered = timeline("resnet20-u250", {"schedule.overlap=double_buffer", "schedule.load=region"});
  EXPECT_GT(buffered.at("prefetches"), 0);
  EXPECT_LT(buffered.at("iteration_ps"), region.at("iteration_ps"));
}

// a: F and GW, b: F alone, because b does not lead to the loss: 2 x 2 x 8 x 64 operations per channel of the input; a
// has 4 and b has 8.
TEST_F(Timeline, GopsAreOfTheConvolutionsThatAreInTheIteration) {
  const json all = OfText(kTwoOutputs).timeline({"schedule.loss=y"});
  EXPECT_EQ(steps_of(all, "kernel"), 3);
  EXPECT_DOUBLE_EQ(all.at("gops").get<double>() * all.at("iteration_seconds").get<double>(), 2048 * (4 + 4 + 8) / 1e9);
}

// The kernel multiplies zeros if the host makes the im2col of GI of a layer with a stride.
TEST_F(Timeline, GopsCountNoZerosOfIm2col) {
  const auto operations = [](const json& of) {
    return of.at("gops").get<double>() * of.at("iteration_seconds").get<double>();
  };
  const double card = operations(timeline("resnet20-u250", {"batch=4"}));
  EXPECT_NEAR(operations(timeline("resnet20-u250", {"batch=4", "schedule.im2col=cpu"})), card, 1e-12 * card);
}

TEST_F(Timeline, SameBankMakesAllCallsAndSendsNothingBeforeItIsThere) {
  const OfText chain(kChain);
  const std::vector<std::string> sets = test::joined(kFreeLoads, {"rung=systemc", "schedule.host_buffers=copied"});
  const json alone = chain.timeline(sets);
  const json both = chain.timeline(test::joined(sets, {"schedule.overlap=same_bank"}));
  EXPECT_GT(both.at("prefetches"), 0);
  EXPECT_EQ(steps_of(both, "call"), steps_of(alone, "call"));
  EXPECT_LT(both.at("iteration_ps"), alone.at("iteration_ps"));
  EXPECT_EQ(crossing_pairs(both), 0);
  // A tensor that is sent again is back on the host before.
  std::map<std::string, std::int64_t> back;
  for (const json& step : both.at("steps")) {
    if (step.at("activity") == "C2H") back[step.at("what")] = step.at("end_ps");
  }
  int again = 0;
  for (const json& step : both.at("steps")) {
    if (step.at("activity") != "H2C" || back.count(step.at("what")) == 0) continue;
    EXPECT_GE(step.at("start_ps").get<std::int64_t>(), back.at(step.at("what")));
    ++again;
  }
  EXPECT_GT(again, 0);
}

TEST_F(Timeline, BothDirectionsTakeTurnsOnAMemoryChannel) {
  for (const char* channels : {"1", "4", "8"}) {
    const json all =
        timeline("googlenet-u250", test::joined(kFreeLoads, {"schedule.overlap=double_buffer", "batch=64",
                                                             std::string("board.memory.channels=") + channels}));
    EXPECT_EQ(crossing_pairs(all), 0) << channels;
  }
}

// A batch that exceeds the card's memory is still a valid run.
TEST_F(Timeline, OfARunMayNotBeKnown) {
  const test::Outcome large = ok({"run", "googlenet-u250", "--no-save", "--rung", "analytical", "--set", "batch=8192"});
  EXPECT_TRUE(test::has(large.out, "\niteration    not known: "));
}

TEST_F(Timeline, FromRefusesCyclesThatNoSimulationHas) {
  const std::vector<std::string> run{"resnet20-u250", "--set", "batch=1"};
  ok(test::joined({"run"}, test::joined(run, {"--out", "made"})));
  const auto file = dir_.path() / "made" / "result.json";
  const json right = json::parse(test::read_text_file(file));
  const auto error_with = [&](const char* key, const json& value) {
    json wrong = right;
    wrong.at("convolutions").at(3)[key] = value;
    dir_.write("made/result.json", wrong.dump());
    const test::Outcome outcome = weft(test::joined({"timeline"}, test::joined(run, {"--from", "made"})));
    EXPECT_EQ(outcome.exit_code, 2) << key << value.dump();
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  };
  const auto has = [](const std::string& text, const std::string& part) { EXPECT_TRUE(test::has(text, part)); };
  has(error_with("launch_cycles", {-100000}),
      "made/result.json: convolutions[3].launch_cycles[0]: must be a whole number from 0 to ");
  has(error_with("launch_cycles", {900000000000000000}),
      "convolutions[3].launch_cycles: sum to 900000000000000000, but ");
  has(error_with("launch_cycles", {5}),
      "convolutions[3].launch_cycles: sum to 5, but 'cycles' and 'drain_cycles' sum to ");
  has(error_with("cycles", -5), "convolutions[3].cycles: must be a whole number from 0 to ");
  has(error_with("cycles", 1.5), "convolutions[3].cycles: must be a whole number from ");
  has(error_with("cycles", 9e18), "convolutions[3].cycles: must be");
  has(error_with("limiter", 7), "convolutions[3].limiter");
  const test::Outcome empty = weft(test::joined({"timeline"}, test::joined(run, {"--from", ""})));
  EXPECT_EQ(empty.exit_code, 2);
  has(empty.err, "--from: '' is not a directory of results");
}

TEST_F(Timeline, OfUnknownOperatorsSaysWhichAndWhatHelps) {
  const char* const kUnknown = R"(g (float[N,4,8,8] x, float[4,4,1,1] w1, float[256,10] w2) => (float[] y) {
  a = Conv(x, w1)
  b = Frobnicate(a)
  c = Relu(b)
  f = Flatten(c)
  y = MatMul(f, w2)
})";
  const OfText unknown(kUnknown);
  const std::string refused = unknown.error({});
  EXPECT_TRUE(test::has(refused, "schedule.unknown_operators: refuse: "));
  EXPECT_TRUE(test::has(refused, "n1 (Frobnicate: "));
  EXPECT_FALSE(test::has(refused, "backward"));
  EXPECT_TRUE(test::has(refused, "by_bytes prices them"));
  // The size of b is unknown, which does not mean 0 bytes.
  const std::string bytes = unknown.error({"schedule.unknown_operators=by_bytes"});
  EXPECT_TRUE(test::has(bytes, "schedule.unknown_operators: by_bytes: "));
  EXPECT_TRUE(test::has(bytes, "has operators with unknown bytes"));
}

// Lists only assumptions that affect the times, and everything that a program needs to find their origin.
TEST_F(Timeline, SaysWhatItWasMadeOf) {
  const json all = timeline("resnet20-u250");
  const auto assumes = [](const json& of, const std::string& key) {
    const json& keys = of.at("assumed").at("host");
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  EXPECT_TRUE(assumes(all, "calls.opencl.to_card_us"));
  EXPECT_TRUE(assumes(all, "reconfiguration"));
  EXPECT_FALSE(assumes(all, "calls.xrt.to_card_us"));
  EXPECT_FALSE(assumes(all, "calls.opencl.register_read_us"));
  EXPECT_FALSE(assumes(all, "im2col_gbytes_per_s"));
  EXPECT_TRUE(assumes(timeline("resnet20-u250", {"schedule.calls=xrt"}), "calls.xrt.to_card_us"));
  EXPECT_TRUE(assumes(timeline("resnet20-u250", {"schedule.im2col=cpu"}), "im2col_gbytes_per_s"));
  EXPECT_FALSE(assumes(timeline("resnet20-u250", {"schedule.calls=xrt"}), "calls.opencl.to_card_us"));
  EXPECT_EQ(all.at("loads").at("seconds_low"), 1.4);
  EXPECT_EQ(all.at("loads").at("seconds_high"), 8);
  EXPECT_LT(all.at("loads").at("epoch_hours_low"), all.at("loads").at("epoch_hours_high"));
  EXPECT_FALSE(all.at("assumed").at("board").empty());
  for (const json& step : all.at("steps")) {
    EXPECT_EQ(step.contains("priced_by"), step.at("activity") == "host operator");
    EXPECT_EQ(step.contains("memory_channel"), step.at("activity") == "H2C" || step.at("activity") == "C2H");
  }
}

TEST_F(Timeline, SaysWhichPricesWereMeasured) {
  const json base = timeline("resnet20-u250", {"batch=4"});
  const auto entry = [&](const std::string& of, int batch, bool plain) {
    return "{network: resnet20, operator: " + of + ", direction: forward, batch: " + std::to_string(batch) +
           ", threads: 1, ns: 5, plain_loop: " + (plain ? "true" : "false") + "}";
  };
  std::vector<std::string> forward;
  for (const json& step : base.at("steps")) {
    if (step.at("activity") != "host operator" || step.at("direction") != "forward") continue;
    if (step.at("class") != "view") forward.push_back(step.at("operator"));
  }
  std::sort(forward.begin(), forward.end());
  forward.erase(std::unique(forward.begin(), forward.end()), forward.end());
  ASSERT_GT(forward.size(), 2U);
  const std::string measured = "host.measured=[" + entry("'" + forward[0] + "'", 4, true) + ", " +
                               entry("'" + forward[1] + "'", 8, false) + ", " + entry("nobody", 4, false) + "]";
  EXPECT_EQ(timeline("resnet20-u250", {"batch=4", measured}).at("measured"),
            (json{{"operators", 2}, {"scaled", 1}, {"plain_loops", 1}, {"entries_unused", 1}}));
  const test::Outcome table =
      weft({"timeline", "resnet20-u250", "--rung", "analytical", "--set", "batch=4", "--set", measured});
  EXPECT_TRUE(test::has(
      table.out, "measured         2 operators, 1 scaled from another batch, 1 by plain loops, 1 entries unused"))
      << table.err;
}

TEST_F(Timeline, SaysThatABatchHasMoreImagesThanThereAre) {
  const auto table = [&](const char* images) {
    return weft({"timeline", "resnet20-u250", "--rung", "analytical", "--set", "batch=4", "--set",
                 std::string("dataset_images=") + images})
        .out;
  };
  EXPECT_FALSE(test::has(table("4"), "(dataset_images)"));
  EXPECT_TRUE(test::has(table("3"), "the batch of 4 is larger than the data set (dataset_images)"));
}

TEST_F(Timeline, OfTheTablesListsWhatItAssumes) {
  const json all = timeline("table59-resnet20", {"schedule.kernels.own=true"});
  EXPECT_EQ(all.at("assumed").at("schedule"), (json{"overlap", "calls", "host_buffers", "load", "order"}));
  const json other = timeline("table59-resnet20", {"schedule.kernels.own=true", "schedule.calls=xrt"});
  EXPECT_EQ(other.at("assumed").at("schedule"), (json{"overlap", "host_buffers", "load", "order"}));
}

// Hours per epoch of each point equal those of weft timeline.
TEST_F(Timeline, SweepsVaryHostLinkAndSchedule) {
  dir_.write("s.yaml", R"(run: resnet20-u250
set: {rung: analytical}
space:
  schedule.load: [card, region]
  host.reconfiguration.region.seconds: [0.35, 1]
  board.pcie.max_payload_bytes: [128, 256]
)");
  const test::Outcome swept = ok({"sweep", "s.yaml", "--out", "s.db"});
  const json points = json_of({"show", "s.db"}).at("rows");
  ASSERT_EQ(points.size(), 8U);
  std::set<double> hours;
  for (const json& point : points) {
    hours.insert(point.at("epoch_hours").get<double>());
  }
  EXPECT_EQ(hours.size(), 6U);  // the load of a region does not matter where the card is loaded
  const json one = timeline("resnet20-u250", {"schedule.load=region", "host.reconfiguration.region.seconds=1",
                                              "board.pcie.max_payload_bytes=128"});
  EXPECT_EQ(hours.count(one.at("epoch_hours").get<double>()), 1U);
}

// Hours are shown where an axis affects them; where there are none, the whole reason is shown.
TEST_F(Timeline, SweepsShowHoursAndSayWhyThereAreNone) {
  dir_.write("load.yaml", "run: resnet20-u250\nset: {rung: analytical}\nspace: {schedule.load: [card, region]}\n");
  ok({"sweep", "load.yaml", "--out", "load.db"});
  EXPECT_TRUE(test::has(weft({"show", "load.db"}).out, "epoch_hours"));
  dir_.write("batch.yaml", "run: googlenet-u250\nset: {rung: analytical}\nspace: {batch: [4, 8192]}\n");
  const test::Outcome swept = ok({"sweep", "batch.yaml", "--out", "batch.db"});
  EXPECT_TRUE(test::has(swept.out, "2 of 2 points recorded, 1 without hours an epoch;"));
  const json points = json_of({"show", "batch.db"}).at("rows");
  ASSERT_EQ(points.size(), 2U);
  EXPECT_TRUE(points[0].at("epoch_hours").is_number());
  EXPECT_TRUE(points[0].at("iteration_error").is_null());
  EXPECT_TRUE(points[1].at("epoch_hours").is_null());
  EXPECT_TRUE(test::has(points[1].at("iteration_error").get<std::string>(), "memory channel 2 of the card would hold"));
}

TEST_F(Timeline, OfSeveralOutputsNeedsALoss) {
  EXPECT_TRUE(test::has(OfText(kTwoOutputs).error({}),
                        "run.yaml:3: schedule.loss: is missing: the network has several outputs"));
}

}  // namespace
}  // namespace weft
