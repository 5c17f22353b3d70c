#include "tests/support/weft_test.h"

// Barista through the commands that all designs share.
namespace weft {
namespace {

using nlohmann::json;
using test::Outcome;

// Two kinds of layers that training needs, strided and grouped, with real memory and a batch.
const char* const kRun = R"(
name: two
board: vu9p_f1
kernel: barista-16x16x64
network:
  layers:
    - {name: strided, channels: 5, h: 9, w: 11, filters: 20, kernel: 3, stride: 2, pad: 1}
    - {name: grouped, channels: 8, h: 7, w: 7, filters: 8, groups: 4, kernel: 3}
batch: 3
rung: exact
gi_first: true
)";

class Barista : public test::WeftTest {
 protected:
  json run(const Words& arguments) const { return json_of(test::joined({"run", "--no-save"}, arguments)); }

  const std::string config_ = dir_.write("two.yaml", kRun).string();
};

TEST_F(Barista, TakesTheSameOnEveryRungThatSimulatesIt) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{},
        {"--set", "kernel.ports.b.channel=1", "--set", "kernel.ports.c.channel=2"},
        {"--set", "kernel.band=1", "--set",
         "kernel.ports={a: {max_burst_beats: 16, outstanding: 1}, b: "
         "{max_burst_beats: 16, outstanding: 1}}"},
        {"--set", "mode=data"}}) {
    expect_same(run(test::joined({config_}, settings))["convolutions"],
                run(test::joined({config_, "--rung", "systemc"}, settings))["convolutions"]);
  }
}

// A row is the sequence of the GEMMs of its images and groups, each from cycle 0.
TEST_F(Barista, ARowIsAsManyGemmsAsImagesAndGroups) {
  const json one = run({config_, "--set", "batch=1"}), three = run({config_});
  for (std::size_t i = 0; i < 6; ++i) {
    const auto& a = one["convolutions"][i];
    const auto& b = three["convolutions"][i];
    EXPECT_EQ(b["cycles"], 3 * a["cycles"].get<std::int64_t>());
    EXPECT_EQ(b["macs"], 3 * a["macs"].get<std::int64_t>());
    EXPECT_EQ(a["launches"], i < 3 ? 1 : 4);
    EXPECT_EQ(b["launches"], i < 3 ? 3 : 12);
  }
}

// The PE-cycles of a row are Tr * Tc times its cycles, and those of products are its multiply-accumulates.
TEST_F(Barista, PeCyclesAddUp) {
  for (const json& row : run({config_})["convolutions"]) {
    std::int64_t sum = 0;
    for (const auto& each : row["pe_cycles"].items()) sum += each.value().get<std::int64_t>();
    EXPECT_EQ(sum, 256 * row["cycles"].get<std::int64_t>());
    EXPECT_EQ(row["pe_cycles"]["useful"].get<std::int64_t>() + row["pe_cycles"]["zeros"].get<std::int64_t>(),
              row["macs"]);
  }
}

TEST_F(Barista, DataOfRowsIsRightAndTheSameEachTime) {
  const json first = run({config_, "--set", "mode=data"}),
             again = run({config_, "--set", "mode=data", "--workers", "1"});
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LT(first["convolutions"][i]["data"]["largest_error"].get<double>(), 1e-6);
    EXPECT_EQ(first["convolutions"][i]["data"], again["convolutions"][i]["data"]);
  }
  const json other = run({config_, "--set", "mode=data", "--set", "seed=2"});
  EXPECT_NE(first["convolutions"][0]["data"]["out_digest"], other["convolutions"][0]["data"]["out_digest"]);
}

// The whole of ResNet-20, from its file: the equations where they apply. GI of layer1 is bound by the mesh and its
// final adds: 215 cycles for each of 9 * 64 tiles of C, for each of 256 images; the simulation adds a little for the
// loads and the tail.
TEST_F(Barista, RunsResnet20) {
  const json result = run({"resnet20-barista", "--only", "layer1.0.conv1"});
  ASSERT_EQ(result["convolutions"].size(), 3U);
  const json& gi = result["convolutions"][1];
  EXPECT_EQ(gi["kind"], "GI");
  EXPECT_EQ(gi["launches"], 256);
  EXPECT_EQ(gi["gamma"]["compute"], 256 * 576 * 215);
  EXPECT_GT(gi["cycles"], 256 * 576 * 215);
  EXPECT_LT(gi["cycles"], 256 * 576 * 216);
  EXPECT_EQ(gi["limiter"], "mesh");
}

TEST_F(Barista, SweepsExplainsComparesAndReports) {
  const std::string sweep =
      dir_.write("sweep.yaml", "name: s\nrun: two.yaml\nspace: {kernel.tile.p: [32, 64], kernel.band: [4, 16]}\n")
          .string();
  ok({"sweep", sweep});
  const Outcome points = weft({"show", "results/s.db", "--format", "csv"});
  EXPECT_EQ(std::count(points.out.begin(), points.out.end(), '\n'), 5) << points.out << points.err;
  const Outcome explained = ok({"explain", config_, "--set", "batch=1", "--no-save"});
  EXPECT_TRUE(test::has(explained.out, "larger_c"));
  EXPECT_TRUE(test::has(explained.out, "What limits it"));
  ok({"run", config_});
  ok({"compare", "results/two", config_, "--format", "json"});
  ok({"report", "results/two"});
  const Outcome shown = ok({"show", "results/two"});
  EXPECT_TRUE(test::has(shown.out, "final_add"));
}

TEST_F(Barista, IsComparedWithFpgptOnTheSameNetwork) {
  const json both = json_of({"compare", "resnet20-u250", "resnet20-barista"});
  EXPECT_EQ(both["convolutions"].size(), 62U);  // each has its partner
  EXPECT_TRUE(both["only_a"].empty() && both["only_b"].empty());
  const json b = run({"resnet20-barista"});
  EXPECT_EQ(both["totals"]["all GI"]["b"]["cycles"], b["totals"]["GI"]["cycles"]);
}

// Table 4.1 from the network itself: the equations for the published tiles, each within 2.5 %.
TEST_F(Barista, ExploresTilesBesideThoseOfTable41) {
  const Outcome outcome = ok({"dse", "barista-alexnet_cifar10", "--no-save", "--format", "json"});
  const json found = json::parse(outcome.out);
  ASSERT_EQ(found["layers"].size(), 5U);
  for (const json& layer : found["layers"]) {
    const double published = layer["published"]["published_gops_per_watt"];
    EXPECT_NEAR(layer["published"]["gops_per_watt"], published, 0.025 * published) << layer["layer"];
    EXPECT_GE(layer["optimal"]["gops_per_watt"], layer["published"]["gops_per_watt"]);
  }
  EXPECT_NEAR(found["network_tile"]["highest_mean"]["published"]["gops_per_watt"], 0.22, 0.005);
  // The result does not depend on the number of workers.
  EXPECT_EQ(weft({"dse", "barista-alexnet_cifar10", "--no-save", "--format", "json", "--workers", "1"}).out,
            outcome.out);
}

// The kernels that an exploration finds can be run: each convolution on its tile, with the equations' cycles.
TEST_F(Barista, FoundTilesAreKernelsOfATimeline) {
  ok({"dse", "barista-alexnet_cifar10", "--set", "batch=1"});
  const json timeline = json_of({"timeline", "resnet20-barista", "--set", "network=alexnet_cifar10", "--set", "batch=1",
                                 "--set", "schedule.kernels={dse: barista-alexnet_cifar10, own: true}", "--no-save"});
  EXPECT_GT(timeline["kernels"], 1);
}

// layer1.0.conv1 at batch 1, tiles <16, 16, 64>, 3.75 ns per word and 0.5 GB/s of im2col. F is 16 x 144 x 1024: 1, 64,
// 3 tiles, A 3, B 192 and C 64 of them; GI 144 x 16 x 1024: 9, 64, 1, A 9, B 64, C 576; GW 16 x 1024 x 144: 1, 9, 16, A
// 16, B 144, C 9. Tiles of A and B have 1024 words, those of C 256; the matrix of im2col 144 * 1024.
TEST_F(Barista, ATimelineHasTheHostsWorkAroundEachLaunch) {
  const json timeline = json_of({"timeline", "resnet20-barista", "--set", "batch=1", "--no-save"});
  constexpr std::int64_t kWord = 3750, kBeat = 64, kMatrix = 144 * 1024;
  struct Expected {
    const char* op;
    std::int64_t im2col, tiled, untiled, migrated;
  };
  const std::int64_t f_c = 64 * 256, gi_c = 576 * 256, gw_c = 9 * 256;
  for (const Expected& each : {Expected{"layer1.0.conv1 F", kMatrix * 4 * 2000, (195 * 1024 + f_c) * kWord, f_c * kWord,
                                        (195 * 1024 + f_c) * 4 + kBeat},
                               Expected{"layer1.0.conv1 GI", 0, (73 * 1024 + gi_c) * kWord, (gi_c + kMatrix) * kWord,
                                        (73 * 1024 + gi_c) * 4 + kBeat},
                               Expected{"layer1.0.conv1 GW", kMatrix * 4 * 2000, (160 * 1024 + gw_c) * kWord,
                                        gw_c * kWord, (160 * 1024 + gw_c) * 4 + kBeat}}) {
    std::map<std::string, std::int64_t> ps, bytes, steps;
    for (const json& step : timeline["steps"]) {
      if (step["operator"] != each.op) continue;
      const std::string activity = step["activity"];
      ps[activity] += step["end_ps"].get<std::int64_t>() - step["start_ps"].get<std::int64_t>();
      bytes[activity] += step.value("bytes", std::int64_t{0});
      ++steps[activity];
    }
    EXPECT_EQ(ps["im2col"], each.im2col) << each.op;
    EXPECT_EQ(ps["tiling"], each.tiled) << each.op;
    EXPECT_EQ(ps["untiling"], each.untiled) << each.op;
    EXPECT_EQ(bytes["H2C"], each.migrated) << each.op;
    EXPECT_EQ(bytes["C2H"], each.migrated) << each.op;
    EXPECT_EQ(steps["H2C"], 4);
    EXPECT_EQ(steps["C2H"], 4);
    EXPECT_EQ(steps["call"], 9);
    EXPECT_EQ(steps["kernel"], 1);
  }
  // The host serves each image separately, so two images take twice the time of one.
  const json two = json_of({"timeline", "resnet20-barista", "--set", "batch=2", "--no-save"});
  for (const char* part : {"kernels", "precompute", "H2C", "C2H", "calls", "im2col", "tiling", "untiling"}) {
    EXPECT_EQ(two["where_ps"][part], 2 * timeline["where_ps"][part].get<std::int64_t>()) << part;
  }
}

// The trace is equal on both rungs; it is simulated cycle by cycle.
TEST_F(Barista, ShowsAWindowOfItsCyclesAsATrace) {
  for (const char* rung : {"systemc", "exact"}) {
    const std::vector<std::string> of{config_, "--only", "strided:F", "--rung", rung};
    EXPECT_EQ(run(test::joined(of, {"--perfetto", rung, "--from", "1000", "--cycles", "900"})), run(of));
  }
  const std::string trace = text("systemc");
  EXPECT_EQ(trace, text("exact"));
  for (const char* word : {"mesh", "a_tile", "strided:F image 1", "starved"}) {
    EXPECT_TRUE(test::has(trace, word));
  }
}

TEST_F(Barista, SynthSaysHowWrongItsEstimateIs) {
  const Outcome outcome = ok({"synth", "--errors", "--design", "barista", "--format", "csv"});
  EXPECT_EQ(outcome.out.rfind("set,tile_r,tile_c,tile_p,partial_sums,band,dsp,dsp_model,lut,lut_model,", 0), 0U)
      << outcome.out;
  EXPECT_TRUE(test::has(outcome.out, "\ntest,16,16,64,11,16,"));
  refused({"synth", "barista-16x16x64", "--design", "barista"}, "a KERNEL has its own");
  EXPECT_EQ(refused({"synth", "barista-16x16x64-32bit"}),
            "weft: error: band: the RTL's bus has 4, 8, 16 or 32 words a beat, not 1\n");
}

}  // namespace
}  // namespace weft
