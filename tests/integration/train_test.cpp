// weft train from the command line to its result.

#include "tests/support/weft_test.h"

namespace weft {
namespace {

using nlohmann::json;

constexpr const char* kFp32 =
    "run: resnet20-u250\nset: {batch: 128, rung: analytical}\npolicy: muppet\nmuppet: {levels: [fp32]}\n";

class Train : public test::WeftTest {
 protected:
  std::string printed(const Words& arguments) const { return ok(arguments).out; }
  json train(const Words& more) const { return json_of(test::joined({"train", "--no-save"}, more)); }
};

// With FP32 alone only the timeline counts: 45 epochs of ceil(50000 / 128) = 391 iterations, each as in weft timeline,
// and 150 such epochs take 150 / 45 times the hours.
TEST_F(Train, TakesTheIterationOfTheTimeline) {
  dir_.write("t.yaml", kFp32);
  const json saved = train({"t.yaml"});
  const json iteration = json_of(with({"timeline", "resnet20-u250", "--rung", "analytical"}, {"batch=128"}));
  const double seconds = iteration.at("iteration_seconds");
  EXPECT_EQ(saved.at("setups").size(), 1U);
  EXPECT_EQ(saved.at("setups")[0].at("iteration_seconds"), seconds);
  EXPECT_EQ(saved.at("setups")[0].at("loads"), iteration.at("loads").at("count"));
  EXPECT_EQ(saved.at("epochs").size(), 45U);
  EXPECT_EQ(saved.at("iterations_per_epoch"), 391);
  EXPECT_NEAR(saved.at("hours").get<double>(), 45 * 391 * seconds / 3600, 1e-6);
  EXPECT_NEAR(saved.at("speedup").get<double>(), 150.0 / 45, 1e-9);
}

// 45 epochs of ceil(1281167 / 128) = 10010 iterations exceed the 2562 hours that 64 bits of picoseconds hold.
TEST_F(Train, TakesAnyHoursOfImageNet) {
  for (const std::string network : {"googlenet", "alexnet"}) {
    dir_.write("t.yaml", "run: " + network +
                             "-u250\nset: {batch: 128, rung: analytical}\npolicy: muppet\nmuppet: {levels: [fp32]}\n"
                             "time: convolutions\n");
    const json saved = train({"t.yaml"});
    const double seconds = saved.at("setups")[0].at("convolutions_seconds");
    const double hours = 45.0 * 10010 * seconds / 3600;
    EXPECT_GT(hours, 2563) << network;
    EXPECT_NEAR(saved.at("hours").get<double>(), hours, 1e-6 * hours) << network;
    EXPECT_NEAR(saved.at("fp32_alone").at("hours").get<double>(), 150.0 / 45 * hours, 1e-6 * hours) << network;
    double sum = 0;
    for (const json& epoch : saved.at("epochs")) sum += epoch.at("hours").get<double>();
    EXPECT_NEAR(sum, hours, 1e-6 * hours) << network;
  }
}

// 2^62 images at batch 1: two epochs are 2^63 iterations.
TEST_F(Train, RefusesMoreIterationsThanCanBeCounted) {
  const auto file = [](const char* images) {
    return std::string("run: resnet20-card\nset: {batch: 1, rung: analytical, dataset_images: ") + images +
           "}\npolicy: muppet\nmuppet: {levels: [fp32], fp32_epochs: 2}\nfp32_alone_epochs: 1\ntime: convolutions\n";
  };
  dir_.write("t.yaml", file("4611686018427387903"));  // 2^62 - 1
  const json saved = train({"t.yaml"});
  const double seconds = saved.at("setups")[0].at("convolutions_seconds");
  EXPECT_NEAR(saved.at("hours").get<double>() / (0x1p63 * seconds / 3600), 1, 1e-6);
  dir_.write("t.yaml", file("4611686018427387904"));
  refused({"train", "t.yaml", "--no-save"}, "the iterations of all epochs exceed 2^63 - 1");
}

// Convolutions alone: the cycles of weft run at its clock.
TEST_F(Train, TakesTheCyclesOfTheRun) {
  dir_.write("t.yaml", kFp32);
  const json saved = train({"t.yaml", "--set", "train.time=convolutions"});
  const json run = json_of({"run", "resnet20-u250", "--rung", "analytical", "--set", "batch=128", "--no-save"});
  const std::int64_t cycles = run.at("totals").at("network").at("cycles");
  EXPECT_EQ(saved.at("setups")[0].at("cycles"), cycles);
  EXPECT_NEAR(saved.at("hours").get<double>(), 45.0 * 391 * static_cast<double>(cycles) / 100e6 / 3600, 1e-6);
}

// Earliest switches: 9 epochs in each of four levels, 45 in FP32, of 391 iterations each.
TEST_F(Train, AddsUpTheEpochsOfEachLevel) {
  dir_.write("t.yaml",
             "run: resnet20-u250\nset: {batch: 128, rung: analytical}\npolicy: muppet\nswitch_epochs: [9, 18, 27, 36]\n"
             "time: convolutions\n");
  const json saved = train({"t.yaml"});
  double seconds = 0;
  for (const json& level : saved.at("levels")) {
    const double each = level.at("convolutions_seconds");
    seconds += (level.at("level") == "fp32" ? 45 : 9) * 391 * each;
    const json run = json_of({"run", "resnet20-u250", "--rung", "analytical", "--set", "batch=128", "--set",
                              "kernel.format=" + level.at("level").get<std::string>(), "--no-save"});
    EXPECT_NEAR(each, run.at("totals").at("network").at("cycles").get<double>() / 100e6, 1e-9);
  }
  EXPECT_NEAR(saved.at("hours").get<double>(), seconds / 3600, 1e-6);
  EXPECT_EQ(saved.at("setups").size(), 5U);
  EXPECT_EQ(saved.at("epochs").size(), 81U);
}

// In fixed point a timeline contains the host's quantisation; the card reads a quarter of the bytes and writes as many.
TEST_F(Train, TakesTheTimelineOfTheFormat) {
  dir_.write("t.yaml",
             "run: resnet20-card\nset: {batch: 128, rung: analytical}\npolicy: muppet\nswitch_epochs: [9]\n"
             "muppet: {levels: [fxp8, fp32]}\n");
  const auto timeline = [&](const std::string& format) {
    return json_of({"timeline", "resnet20-card", "--rung", "analytical", "--set", "batch=128", "--set",
                    "kernel.format=" + format, "--no-save"});
  };
  const json saved = train({"t.yaml"}), fxp8 = timeline("fxp8"), fp32 = timeline("fp32");
  EXPECT_EQ(saved.at("setups")[0].at("iteration_seconds"), fp32.at("iteration_seconds"));
  EXPECT_EQ(saved.at("setups")[1].at("iteration_seconds"), fxp8.at("iteration_seconds"));
  EXPECT_GT(fxp8.at("where_ps").at("quantise"), 0);
  EXPECT_GT(fxp8.at("where_ps").at("dequantise"), 0);
  EXPECT_FALSE(fp32.at("where_ps").contains("quantise"));
  EXPECT_NEAR(fxp8.at("bytes_to_card").get<double>() / fp32.at("bytes_to_card").get<double>(), 0.25, 0.001);
  EXPECT_EQ(fxp8.at("bytes_to_host"), fp32.at("bytes_to_host"));
  // One kernel: an iteration loads nothing, but each of the two formats is loaded once.
  EXPECT_EQ(saved.at("setups")[1].at("loads"), 0);
  EXPECT_EQ(saved.at("loads"), 2);
  const double loads = 2 * saved.at("setups")[0].at("load_seconds").get<double>();
  EXPECT_NEAR(
      saved.at("hours").get<double>() * 3600,
      391 * (9 * fxp8.at("iteration_seconds").get<double>() + 45 * fp32.at("iteration_seconds").get<double>()) + loads,
      1e-3);
}

// Differences of 0.01 pass: at the third tick, that of epoch 2, GM lowers all that it may from 12 to 8 bits, and in
// epoch 4 all follow MuPPET to FP32.
TEST_F(Train, ReplaysGmFromATraceOfErrors) {
  dir_.write(
      "t.yaml",
      "run: resnet20-u250\nset: {batch: 128, rung: analytical}\npolicy: gm\nswitch_epochs: [4]\nerrors: e.csv\n"
      "time: convolutions\nmuppet: {levels: [fxp12, fp32], fp32_epochs: 2}\ngm: {levels: [fxp8, fxp12, fp32]}\n");
  dir_.write("m.yaml",
             "run: resnet20-u250\nset: {batch: 128, rung: analytical}\npolicy: muppet\nmuppet: {levels: [fp32]}\n");
  std::string errors = "epoch,tick,convolution,level,rae\n";
  const json names = train({"m.yaml"}).at("convolutions");
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (const json& of : names) {
      const std::string line = std::to_string(epoch) + ",0," + of.at("convolution").get<std::string>();
      errors += line;
      errors += ",fxp8,0.02\n";
      errors += line;
      errors += ",fxp12,0.01\n";
    }
  }
  dir_.write("e.csv", errors);
  const json saved = train({"t.yaml"});
  const std::size_t accelerated = saved.at("accelerated").size();
  EXPECT_GT(accelerated, 0U);
  const auto lowered = [&](std::size_t epoch) { return saved.at("epochs")[epoch].at("stretches")[0].at("lowered"); };
  for (const std::size_t epoch : {0U, 1U, 2U, 4U, 5U}) EXPECT_EQ(lowered(epoch), 0) << epoch;
  EXPECT_EQ(lowered(3), accelerated);
  EXPECT_EQ(saved.at("epochs").size(), 6U);

  dir_.write("e.csv", errors.substr(0, errors.find("\n2,0,") + 1));
  refused({"train", "t.yaml", "--no-save"}, "in epoch 2, tick 0, but GM needs one");
}

TEST_F(Train, ShowsWhatItSavedAndReadsItsOwnConfiguration) {
  dir_.write("t.yaml", kFp32);
  const std::string text = printed({"train", "t.yaml", "--out", "r"});
  const std::string shown = printed({"show", "./r"});
  EXPECT_EQ(text.substr(0, shown.size()), shown);
  EXPECT_EQ(printed({"show", "./r", "--format", "json"}),
            printed({"train", "t.yaml", "--no-save", "--format", "json"}));
  EXPECT_EQ(printed({"show", "./r", "--format", "csv"}), printed({"train", "t.yaml", "--no-save", "--format", "csv"}));
  EXPECT_EQ(printed({"train", "r/config.yaml", "--no-save"}), shown);
  printed({"report", "./r"});
  dir_.write("r/config.yaml", "none: 1\n");  // a saved result is complete
  EXPECT_EQ(printed({"show", "./r"}), shown);
  printed({"report", "./r"});
}

}  // namespace
}  // namespace weft
