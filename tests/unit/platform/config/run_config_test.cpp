#include <limits>

#include "platform/catalogue/designs.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "tests/support/texts.h"
#include "tests/support/work_case.h"

namespace weft::config {
namespace {

const Library kProject{WEFT_CONFIG_DIR};

// A run without default values, so that a lost key is noticed.
const char* const kEverything = R"(
name: everything
title: "All keys: none at its default"
board:
  name: b
  title: a board
  part: p
  dsp: {total: 10, usable: 9}
  m20k: {total: 8, usable: 7}
  uram: {total: 6, usable: 5}
  slrs: 3
  memory:
    kind: ddr4
    channels: 3
    data_rate_mtps: 6400/3
    bytes_per_channel: 1048576
    organisation: {ranks: 2, bank_groups: 2, banks_per_group: 8, rows: 65536, columns: 2048, data_bits: 32, device_bits: 8,
                   burst_length: 16}
    timing_nCK: {CL: 18, CWL: 13, AL: 1, tRCD: 16, tRP: 15, tRAS: 40, tRC: 57, tRRD_S: 5, tRRD_L: 7, tFAW: 19, tCCD_S: 8,
                 tCCD_L: 9, tWR: 20, tWTR_S: 2, tWTR_L: 11, tRTP: 10, tREFI: 9361, tRFC: 421, read_to_write: 14}
    address_map: RCB
    auto_precharge_a3: true
    queues: {read: 33, write: 34, per_bank: 7}
    write_drain: {high: 27, low: 5}
    row_hit_limit: 17
    controller_latency_ns: 55.5
    shell_latency_cycles: 48
  pcie: {generation: 4, lanes: 8, max_payload_bytes: 512, max_read_request_bytes: 1024,
         read_completion_boundary_bytes: 128, write_overhead_bytes: 25, read_overhead_bytes: 26,
         completion_overhead_bytes: 21, dllp_bytes: 9, dllp_interval_bytes: 190, skp_symbols: 5,
         skp_interval_symbols: 1539, posted_credits: {headers: 33, data: 1000}, nonposted_credits: 34,
         credit_return_ns: 10.001, read_round_trip_ns: 1100.5, host_write_latency_ns: 500, card_write_latency_ns: 1,
         card_read_latency_ns: 2, dma: {tags: 31, buffer_bytes: 65537, descriptor_bytes: 33, descriptors_per_fetch: 30,
         descriptor_max_bytes: 8192, host_page_bytes: 16384}}
  network: {connector: QSFP, ports: 3, gbits_per_s_per_port: 40.5, overhead_bytes_per_packet: 67,
            round_trip_direct_us: 1.1, round_trip_switch_us: 2.8}
  assumed: [memory.queues.read, pcie]
host:
  name: h
  title: a host
  cpu: "a cpu @ 1 GHz"
  threads: 7
  peak_gflops: 326.5
  memory_gbytes_per_s: 102.5
  operators:
    convolution: {compute: 0.51, memory: 0.61, call_us: 1.000001}
    fully_connected: {compute: 0.52, memory: 0.62, call_us: 2}
    matrix_product: {compute: 0.53, memory: 0.63, call_us: 3}
    elementwise: {compute: 0.54, memory: 0.64, call_us: 4}
    pool: {compute: 0.55, memory: 0.65, call_us: 5}
    normalisation: {compute: 0.56, memory: 0.66, call_us: 6}
    softmax: {compute: 0.57, memory: 0.67, call_us: 7}
    reduction: {compute: 0.58, memory: 0.68, call_us: 8}
    copy: {compute: 0.59, memory: 0.69, call_us: 9}
    accumulate: {compute: 0.6, memory: 0.7, call_us: 10}
    optimiser: {compute: 0.000001, memory: 0.71, call_us: 11}
    unknown: {compute: 0.62, memory: 1, call_us: 0}
  calls:
    opencl: {to_card_us: 1, to_host_us: 2, launch_us: 3, launch_pipelined_us: 4, register_write_us: 5,
             register_read_us: 6}
    xrt: {to_card_us: 7, to_host_us: 8, launch_us: 9, launch_pipelined_us: 10, register_write_us: 11,
          register_read_us: 12.5}
  unaligned_copy: {to_card_gbytes_per_s: 2.9, to_host_gbytes_per_s: 1.2}
  im2col_gbytes_per_s: 0.55
  reconfiguration:
    card: {seconds: 1.5, low: 1.25, high: 9}
    region: {seconds: 0.5, low: 0.25, high: 0.75}
  measured:
    - {network: n, operator: a F, direction: forward, occurrence: 1, batch: 3, threads: 2, ns: 123456789, kernel: "jit:x",
       plain_loop: true}
  assumed: [operators.pool]
kernel:
  name: k
  title: a kernel
  array: {x: 3, y: 5}
  z: 7
  z_channel: shared
  k_range: 99
  kern_words: 12345678901
  out_words: shared
  band: 8
  variant: gw
  clock_mhz: 1000/3
  profile: {base: rtl, wide_kern_load: false}
  fifo: {inp_beat: 1, inp_word: 2, inp_group: 3, inp_column: 5, kern_beat: 6, kern_word: 7, kern_row: 9, out_row: 10,
         out_group: 11, out_beat: 12}
  ports:
    inp: {max_burst_beats: 2, outstanding: 3, channel: 2}
    kern: {max_burst_beats: 4, outstanding: 5, channel: 1}
    out: {max_burst_beats: 6, outstanding: 7, channel: 1}
  storage: {inp: uram, kern: uram, out: uram}
network:
  name: "n: 1"
  layers:
    - {name: a, channels: 4, h: 9, w: 11, filters: 6, kernel: [3, 5], stride: [2, 1], pad: [1, 2, 0, 1],
       dilation: [1, 2], groups: 2, graph_input: false}
    - {name: "b c", channels: 6, h: 5, w: 3, filters: 2, kernel: 1, graph_input: true}
batch: 12
rung: analytical
mode: data
kinds: [GW, F]
only: "a:GW,b*"
gi_first: true
lower_fc: true
seed: 123456789012345
workers: 3
output: some dir/out
readings: {burst: printed, decode: words}
strict_fit: true
dataset_images: 50000
)";

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
  EXPECT_EQ(alpha.bus_bits, 8 * 32);
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
