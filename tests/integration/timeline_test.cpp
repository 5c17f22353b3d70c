#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/support/run_binary.h"

namespace weft {
namespace {

using nlohmann::json;

test::Outcome weft(const std::vector<std::string>& arguments, const std::filesystem::path& directory) {
  return test::run_program(WEFT_BINARY, arguments, directory);
}

std::vector<std::string> with(const std::string& run, const std::vector<std::string>& sets) {
  std::vector<std::string> arguments{"timeline", run, "--rung", "analytical", "--format", "json"};
  for (const std::string& set : sets) {
    arguments.emplace_back("--set");
    arguments.push_back(set);
  }
  return arguments;
}

json timeline(const std::string& run, const std::vector<std::string>& sets = {}) {
  const test::TemporaryDirectory dir;
  const test::Outcome outcome = weft(with(run, sets), dir.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? json::parse(outcome.out) : json();
}

std::string error(const std::string& run, const std::vector<std::string>& sets) {
  const test::TemporaryDirectory dir;
  const test::Outcome outcome = weft(with(run, sets), dir.path());
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out.substr(0, 200);
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  return outcome.err;
}

TEST(Timeline, OfGoogLeNetHasAllConvolutionsAndEveryOperatorOfTheHost) {
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
  // One thing at a time: nothing is hidden behind anything, and nothing is idle.
  std::int64_t where = 0;
  for (const auto& [name, time] : all.at("where_ps").items()) where += time.get<std::int64_t>();
  EXPECT_EQ(where, all.at("iteration_ps").get<std::int64_t>());
  EXPECT_EQ(all.at("where_ps").at("idle"), 0);
  EXPECT_EQ(sums["kernel"], all.at("where_ps").at("kernels").get<std::int64_t>());
  // As weft run counts them: 15,378 MB to the card and 7,946 MB back.
  EXPECT_EQ(all.at("bytes_to_card").get<std::int64_t>() / 1'000'000, 15378);
  EXPECT_EQ(all.at("bytes_to_host").get<std::int64_t>() / 1'000'000, 7946);
  for (const char* op : {"conv1.conv/BatchNormalization", "Dropout", "fc F", "fc GW"}) {
    EXPECT_TRUE(std::any_of(host.begin(), host.end(), [&](const std::string& each) {
      return each.find(op) != std::string::npos;
    })) << op;
  }
}

TEST(Timeline, StepsOfAResourceNeverOverlapAndFollowTheGraph) {
  for (const std::vector<std::string>& sets : {std::vector<std::string>{},
                                               {"schedule.overlap=double_buffer", "schedule.load=region"},
                                               {"schedule.order=fewest_loads", "schedule.load_time=ahead"},
                                               {"schedule.transfers=keep_activations"}}) {
    const json all = timeline("resnet20-u250", sets);
    std::map<std::string, std::int64_t> free;
    for (const json& step : all.at("steps")) {
      const std::int64_t start = step.at("start_ps"), end = step.at("end_ps");
      ASSERT_GE(start, free[step.at("resource")]);
      ASSERT_GT(end, start);
      free[step.at("resource")] = end;
    }
    std::int64_t last = 0;
    for (const auto& [resource, time] : free) last = std::max(last, time);
    EXPECT_EQ(last, all.at("iteration_ps").get<std::int64_t>());
  }
}

// The cycles are those of the run: with a result of weft run the timeline is the same as with its own simulation.
TEST(Timeline, FromAResultIsTheSameAsItsOwnSimulation) {
  const test::TemporaryDirectory dir;
  const std::vector<std::string> run{"resnet20-u250", "--set", "batch=2", "--set", "kernel.array.x=8"};
  const test::Outcome made = weft(test::joined({"run"}, test::joined(run, {"--out", "made"})), dir.path());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto csv = [&](const std::vector<std::string>& more) {
    const test::Outcome outcome =
        weft(test::joined({"timeline"}, test::joined(run, test::joined({"--format", "csv"}, more))), dir.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  const std::string own = csv({});
  EXPECT_EQ(csv({"--from", "made"}), own);
  EXPECT_EQ(csv({"--workers", "1"}), own);
  EXPECT_NE(csv({"--from", "made", "--set", "schedule.calls=xrt"}), own);
  const test::Outcome other = weft({"timeline", "resnet20-u250", "--set", "batch=2", "--from", "made"}, dir.path());
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("of another run: 'kernel.array.x' differs"), std::string::npos) << other.err;
}

TEST(Timeline, EndsTheReportOfAWholeNetworkAndOfNothingElse) {
  const test::TemporaryDirectory dir;
  const auto table = [&](const std::vector<std::string>& arguments) {
    return weft(test::joined({"run", "--no-save", "--rung", "analytical"}, arguments), dir.path()).out;
  };
  EXPECT_NE(table({"googlenet-u250"}).find("\niteration    "), std::string::npos);
  EXPECT_EQ(table({"googlenet-u250", "--only", "conv1.*"}).find("\niteration    "), std::string::npos);
  EXPECT_EQ(table({"conv-small"}).find("\niteration    "), std::string::npos);
}

// Sizes shared: two kernels, one of F and GI and one of GW. All of F and GI can come before all of GW.
TEST(Timeline, TwoKernelsAreLoadedTwiceInTheRightOrder) {
  const std::vector<std::string> shared{"kernel.z=shared", "kernel.z_channel=shared", "kernel.k_range=shared",
                                        "kernel.kern_words=shared", "kernel.out_words=shared"};
  const json graph = timeline("resnet20-u250", shared);
  ASSERT_EQ(graph.at("kernels"), 2);
  EXPECT_GT(graph.at("loads").at("count"), 2);
  const json few = timeline("resnet20-u250", test::joined(shared, {"schedule.order=fewest_loads"}));
  EXPECT_EQ(few.at("loads").at("count"), 2);
  EXPECT_EQ(few.at("loads").at("at_least"), 2);
  EXPECT_EQ(few.at("loads").at("in_order_of_graph"), graph.at("loads").at("count"));
  // What is saved is the loads, to the picosecond.
  const std::int64_t saved = graph.at("loads").at("count").get<std::int64_t>() - 2;
  EXPECT_EQ(graph.at("iteration_ps").get<std::int64_t>() - few.at("iteration_ps").get<std::int64_t>(),
            saved * 1'400'000'000'000);
}

// Both directions of a switch, as an architect would look at them.
TEST(Timeline, EachSwitchMovesWhatItSays) {
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

// A kernel and the transfer of the next one on one channel: only the systemc rung knows what that takes.
TEST(Timeline, SameBankIsForTheSystemcRung) {
  EXPECT_NE(
      error("alexnet-u250", {"schedule.overlap=same_bank", "schedule.load=region"}).find("schedule.overlap: same_bank"),
      std::string::npos);
}

// Hours an epoch of each point are those that weft timeline gives for it.
TEST(Timeline, SweepsVaryHostLinkAndSchedule) {
  const test::TemporaryDirectory dir;
  dir.write("s.yaml", R"(run: resnet20-u250
set: {rung: analytical}
space:
  schedule.load: [card, region]
  host.reconfiguration.region.seconds: [0.35, 1]
  board.pcie.max_payload_bytes: [128, 256]
)");
  const test::Outcome swept = weft({"sweep", "s.yaml", "--out", "s.db"}, dir.path());
  ASSERT_EQ(swept.exit_code, 0) << swept.err;
  const test::Outcome shown = weft({"show", "s.db", "--format", "json"}, dir.path());
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  const json points = json::parse(shown.out).at("rows");
  ASSERT_EQ(points.size(), 8U);
  std::set<double> hours;
  for (const json& point : points) {
    hours.insert(point.at("hours_per_epoch").get<double>());
  }
  EXPECT_EQ(hours.size(), 6U);  // a region's load does not matter where the card is loaded
  const json one = timeline("resnet20-u250", {"schedule.load=region", "host.reconfiguration.region.seconds=1",
                                              "board.pcie.max_payload_bytes=128"});
  EXPECT_EQ(hours.count(one.at("hours_per_epoch").get<double>()), 1U);
}

TEST(Timeline, WhatIsWrongIsSaidInOneLine) {
  EXPECT_NE(error("conv-small", {}).find("has no training iteration"), std::string::npos);
  EXPECT_NE(error("googlenet-u250", {"only=conv1.*"}).find("leaves convolutions out"), std::string::npos);
  EXPECT_NE(error("googlenet-u250", {"schedule.transfer=every_call"}).find("did you mean 'transfers'"),
            std::string::npos);
  EXPECT_NE(error("googlenet-u250", {"schedule.transfers=never"}).find("schedule.transfers"), std::string::npos);
  EXPECT_NE(error("googlenet-u250", {"schedule.loss=nothing"}).find("loss"), std::string::npos);
  EXPECT_NE(error("googlenet-u250", {"batch=8192"}).find("memory channel 2 of the card would hold"), std::string::npos);
  EXPECT_NE(error("googlenet-u250", {"host.peak_gflops=-1"}).find("host.peak_gflops"), std::string::npos);
  EXPECT_NE(error("googlenet-u250", {"schedule.overlap=double_buffer", "schedule.other_channels={nosuch: 3}"})
                .find("schedule.other_channels.nosuch: the kernel has no such port"),
            std::string::npos);
  EXPECT_NE(error("googlenet-u250", {"schedule.overlap=double_buffer", "schedule.other_channels={inp: 1}"})
                .find("would share one"),
            std::string::npos);
}

}  // namespace
}  // namespace weft
