#include <limits>

#include "platform/catalogue/designs.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "tests/support/files.h"
#include "tests/support/texts.h"
#include "tests/support/work_case.h"

namespace weft::config {
namespace {

const Library kProject{WEFT_CONFIG_DIR};

// A run without default values, so that a lost key is noticed.
const std::string kEverything = test::read_text_file(WEFT_SOURCE_DIR "/tests/unit/platform/config/everything.yaml");

RunConfig read(const std::string& text, const std::vector<Override>& overrides = {}) {
  const test::TemporaryDirectory dir;
  return design::load_run(dir.write("run.yaml", text).string(), overrides, kProject);
}

TEST(ResolvedConfig, ReadsBackAsTheIdenticalRunWhateverItsValues) {
  const RunConfig run = read(kEverything);
  const std::string resolved = resolved_yaml(run);
  EXPECT_EQ(resolved_yaml(read(resolved)), resolved);
}

// A comparison of texts would miss a key that is read and never written: every leaf of the file must be written again.
TEST(ResolvedConfig, KeepsEveryValueOfTheFile) {
  const auto source = std::make_shared<Source>(Source{"everything", "", false});
  const Node given = parse_yaml(kEverything, source);
  const Node resolved = parse_yaml(resolved_yaml(read(kEverything)), source);
  const auto canonical = [](const std::string& text) {
    const auto exact = parse_exact(text);
    return exact ? exact_text(*exact) : text;
  };
  int leaves = 0;
  const auto compare = [&](const auto& self, const Node& want, const Node* have, const std::string& path) -> void {
    if (path == "kernel.profile.base" || path.find("layers") != std::string::npos) return;  // spelt out; tested below
    ASSERT_NE(have, nullptr) << path;
    if (want.kind == Node::Kind::Scalar) {
      EXPECT_EQ(canonical(have->text), canonical(want.text)) << path;
      ++leaves;
    }
    for (std::size_t i = 0; i < want.children.size(); ++i) {
      const Node& child = want.children[i];
      if (want.kind == Node::Kind::Map) {
        self(self, child, have->find(child.key), path.empty() ? child.key : path + "." + child.key);
      } else {
        ASSERT_LT(i, have->children.size()) << path;
        self(self, child, &have->children[i], path);
      }
    }
  };
  compare(compare, given, &resolved, "");
  EXPECT_GT(leaves, 100);
}

TEST(ResolvedConfig, IsSelfContained) {
  const RunConfig run = test::run_of("conv-small", {"kernel.array.x=5", "memory.latency_cycles=9"});
  const Library nothing{"/nonexistent"};
  const test::TemporaryDirectory dir;
  const RunConfig again = design::load_run(dir.write("config.yaml", resolved_yaml(run)).string(), {}, nothing);
  EXPECT_EQ(resolved_yaml(again), resolved_yaml(run));
  EXPECT_EQ(again.name, "conv-small");
  EXPECT_EQ(fpgpt::KernelConfig::of(again).x, 5);
  EXPECT_EQ(std::get<IdealMemory>(again.board.memory).latency_cycles, 9);
}

TEST(RunConfig, APortHasAChannelOfItsOwnAsFarAsThereAreChannels) {
  const auto channels = [](const std::vector<std::string>& sets) {
    return port_channels(test::run_of("googlenet-u250", sets));
  };
  EXPECT_EQ(channels({"memory.channels=2"}), (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(channels({"memory.channels=1"}), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(channels({"memory.kind=ideal"}), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(channels({"kernel.ports.out.channel=0"}), (std::vector<int>{0, 1, 0}));
}

TEST(RunConfig, TheDramClockIsExactlyHalfTheDataRate) {
  const RunConfig run = test::run_of("googlenet-u250", {"memory.data_rate_mtps=6400/3"});
  EXPECT_EQ(std::get<Ddr4Memory>(run.board.memory).clock(), (Frequency{3200, 3}));
}

TEST(RunConfig, AlphaCarriesEveryKeyOfTheKernel) {
  const RunConfig run = read(kEverything);
  const fpgpt::Alpha alpha = fpgpt::alpha_of(fpgpt::KernelConfig::of(run));
  EXPECT_EQ(alpha.x, 3);
  EXPECT_EQ(alpha.y, 5);
  EXPECT_EQ(alpha.z, 7);
  EXPECT_EQ(alpha.z_channel, 0);  // shared: fitted later
  EXPECT_EQ(alpha.k_range, 99);
  EXPECT_EQ(alpha.kern_words, 12345678901);
  EXPECT_TRUE(fpgpt::KernelConfig::of(run).split_by == fpgpt::Split::Filters);
  EXPECT_EQ(alpha.bus_bits, 8 * 32);
  EXPECT_EQ(alpha.bits_of(fpgpt::Port::Kern), 4 * 32);
  EXPECT_EQ(alpha.bits_of(fpgpt::Port::Out), 8 * 32);
  EXPECT_EQ(alpha.variant, fpgpt::Variant::GW);
  EXPECT_EQ(alpha.clock, (Frequency{1000, 3}));
  EXPECT_TRUE(alpha.profile.exact_bursts && alpha.profile.overlap_drain && alpha.profile.early_kern_feed);
  EXPECT_FALSE(alpha.profile.wide_kern_load);
  EXPECT_EQ(alpha.fifo[fpgpt::FifoId::OutBeat], 12);
  EXPECT_EQ(alpha.inp_port.max_burst_beats, 2);
  EXPECT_EQ(alpha.kern_port.outstanding, 5);
  EXPECT_EQ(alpha.out_port.max_burst_beats, 6);
  EXPECT_EQ(alpha.inp_storage, fpgpt::Storage::URAM);
  EXPECT_EQ(alpha.out_storage, fpgpt::Storage::URAM);
}

TEST(RunConfig, BoardsWithUnmodelledMemoryAreReadAndRefusedOnlyForSimulation) {
  for (const char* board : {"u50", "u280", "vc709", "agfb014"}) {
    const RunConfig run = test::run_of("googlenet-u250", {std::string("board=") + board});
    EXPECT_THROW(require_simulated_memory(run), Error) << board;
    const RunConfig ideal = test::run_of("googlenet-u250", {std::string("board=") + board, "memory={kind: ideal}"});
    EXPECT_NO_THROW(require_simulated_memory(ideal)) << board;
  }
  for (const char* board : {"u250", "kcu1500", "vu9p_f1", "arria10_10ax115"}) {
    const RunConfig run = test::run_of("googlenet-u250", {std::string("board=") + board});
    EXPECT_NO_THROW(require_simulated_memory(run)) << board;
  }
}

// YAML files have the limits of ONNX files: 2^24 channels, 2^31 - 1 filters, 2^40 words of a tensor.
TEST(RunConfig, InlineLayersHaveTheLimitsOfOnnxFiles) {
  const auto layer = [](const std::string& sizes) {
    return inline_layers(read("extends: conv-small\nbatch: 1\nnetwork:\n  layers:\n    - {name: big, " + sizes +
                              ", kernel: 1}\n"))
        .at(0);
  };
  EXPECT_EQ(layer("channels: 16777216, h: 1, w: 1, filters: 65536").channels, 1 << 24);
  EXPECT_EQ(layer("channels: 512, h: 1, w: 1, filters: 2147483647").filters, 2147483647);
  EXPECT_EQ(layer("channels: 1, h: 1048576, w: 1048576, filters: 1").w.size, 1 << 20);
  const auto refusal = [&](const std::string& sizes) { return test::message_of([&] { layer(sizes); }); };
  EXPECT_TRUE(test::has(refusal("channels: 16777216, h: 1, w: 1, filters: 2147483647"),
                        "network: at batch 1, layer big: its weights have more than 2^40 words, the most that are "
                        "allowed"));
  EXPECT_TRUE(
      test::has(refusal("channels: 1, h: 1048576, w: 1048577, filters: 1"), "layer big: its input has more than 2^40"));
  EXPECT_TRUE(test::has(refusal("channels: 1, h: 1, w: 1, filters: 2147483648"),
                        "filters: must be a whole number from 1 to 2147483647"));
  EXPECT_TRUE(test::has(refusal("channels: 1, h: 2147483647, w: 1, filters: 1, pad: [0, 0, 1, 0]"),
                        "pad: makes 2147483648 samples of h, but at most 2147483647 are allowed"));
}

TEST(RunConfig, CountsTheIterationsOfAnyDataSet) {
  RunConfig run;
  run.batch = 3;
  run.dataset_images = 6;
  EXPECT_EQ(run.iterations_per_epoch(), 2);
  run.dataset_images = 7;
  EXPECT_EQ(run.iterations_per_epoch(), 3);
  run.dataset_images = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(run.iterations_per_epoch(), 3074457345618258603);
}

}  // namespace
}  // namespace weft::config
