#include <array>
#include <iterator>
#include <map>

#include "model/sparse/mask.h"
#include "tests/support/weft_test.h"

// The sparse batch lanes through the commands that all designs share.
namespace weft {
namespace {

using nlohmann::json;
using test::Outcome;

class Batchlane : public test::WeftTest {
 protected:
  static Words run_words(const Words& arguments) {
    return test::joined({"run", "vgg11-deephi", "--no-save"}, arguments);
  }
};

// docs/explanation/batchlane.md: every row of F and GI within 5 % where PEs bound it, within 15 % where memory does.
TEST_F(Batchlane, MeetsThePublishedTable) {
  const Outcome csv = ok(run_words({"--format", "csv"}));
  const std::string file = dir_.write("run.csv", csv.out).string();
  const std::string docs = WEFT_SOURCE_DIR "/docs/data";
  const Outcome table = test::run_program(
      "/usr/bin/awk", {"-f", docs + "/deephi_table.awk", docs + "/deephi_table.csv", file}, dir_.path());
  EXPECT_EQ(table.exit_code, 0) << table.out;
  EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n'), 33) << table.out;  // 32 convolutions
  const Outcome text = weft(run_words({}));
  EXPECT_TRUE(test::has(text.out,
                        "published    DSP 1030 (ours 1024, -0.6 %), BRAM36 1060 (ours 1090, +2.8 %), LUT 199111 (ours "
                        "149200, -25.1 %), FF 249122 (ours 199504, -19.9 %)"));
  EXPECT_FALSE(
      test::has(weft(run_words({"--rung", "analytical", "--set", "kernel.lanes=16"})).out, "published    DSP"));
  // The one constant: 32 cycles on a closed row, on average 31 to 35.
  const std::size_t at = text.out.find("round trip   ");
  ASSERT_NE(at, std::string::npos) << text.out;
  const double mean = std::stod(text.out.substr(at + 13));
  EXPECT_GE(mean, 31);
  EXPECT_LE(mean, 35);
}

TEST_F(Batchlane, TakesTheSameOnEveryRungThatSimulatesIt) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{},
        {"--set", "sparsity.mask=random", "--set", "kernel.ahead=1", "--set", "batch=40"},
        {"--set", "mode=data", "--only", "features.16"}}) {
    const auto rows = [&](const char* rung) {
      return json_of(run_words(test::joined({"--rung", rung}, settings)))["convolutions"];
    };
    expect_same(rows("exact"), rows("systemc"));
  }
}

// The dense alpha of the family: its numbers are not compared with a publication, and the output says so.
TEST_F(Batchlane, RunsItsDenseRelativeOnEveryRungAndCallsItsFiguresUnverified) {
  const auto rows = [&](const std::vector<std::string>& settings) {
    return json_of(test::joined({"run", "vgglike-darkfpga", "--no-save", "--only", "features.12:F,features.12:GW"},
                                settings))["convolutions"];
  };
  const json exact = rows({});
  expect_same(exact, rows({"--rung", "systemc"}));
  ASSERT_EQ(exact.size(), 2U);
  // 512 outputs of 64 pixels, 9 taps, 16 groups of 32 channels
  for (const json& row : exact) EXPECT_GE(row["cycles"].get<std::int64_t>(), 512 * 64 * 9 * 16);
  // Only 128 x 32 is marked so (tests/golden/outputs/run/darkfpga.txt), no other array.
  const std::string other =
      weft({"run", "vgglike-darkfpga", "--no-save", "--rung", "analytical", "--set", "kernel.pes=16"}).out;
  EXPECT_FALSE(test::has(other, "unverified"));
}

const std::vector<std::string> kSmallSpace{"dse",
                                           "darkfpga",
                                           "--no-save",
                                           "--rerank",
                                           "0",
                                           "--set",
                                           "dse.space.lanes={from: 32, to: 128, step: 32}",
                                           "--set",
                                           "dse.space.pes={from: 16, to: 128, step: 16}"};

// DN-2: ceil(B / T_B) * D * P * k^2 * ceil(C / T_I) cycles, C and D swapped in GI; with unlimited memory only the array
// decides, except for the fill before and the drain after it, less than 6 % of these layers.
TEST_F(Batchlane, ExploresTheArraysOfItsDenseRelativeAsTheEquationsHaveThem) {
  const json found =
      json_of(test::joined(kSmallSpace, {"--only", "features.2,features.5,features.7,features.10,features.12", "--set",
                                         "dse.budget={dsp: 6840, bram18: 1000000, uram: 1000000}"}));
  EXPECT_EQ(found["combinations"], 32);
  EXPECT_EQ(found["fitting"], 8 + 6 + 4 + 3);  // 6,840 DSPs: all 8 of 32 lanes, up to 106, 71 and 53 PEs of the others
  const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::map<std::string, std::array<std::int64_t, 3>> layers{{"features.2", {128, 128, 1024}},  // C, D, P
                                                                  {"features.5", {128, 256, 256}},
                                                                  {"features.7", {256, 256, 256}},
                                                                  {"features.10", {256, 512, 64}},
                                                                  {"features.12", {512, 512, 64}}};
  ASSERT_EQ(found["convolutions"].size(), 3 * layers.size());
  for (const json& each : found["convolutions"]) {
    const auto& [c, d, pixels] = layers.at(each["layer"]);
    const bool gi = each["kind"] == "GI";
    const auto cycles = [&, c = c, d = d, pixels = pixels](std::int64_t lanes, std::int64_t pes) {
      return up(128, lanes) * (gi ? c : d) * pixels * 9 * up(gi ? d : c, pes);
    };
    std::int64_t least = cycles(32, 16);
    for (std::int64_t lanes = 32; lanes <= 128; lanes += 32) {
      for (std::int64_t pes = 16; pes <= 128 && lanes * pes <= 6840; pes += 16) {
        least = std::min(least, cycles(lanes, pes));
      }
    }
    const json& best = each["optimal"];
    EXPECT_EQ(cycles(best["kernel"]["lanes"], best["kernel"]["pes"]), least) << each["layer"] << each["kind"];
    EXPECT_GE(best["cycles"], least);
    EXPECT_LT(best["cycles"], least + least * 6 / 100);
  }
}

// Golden result of this search; it changes with any equation, shape of a memory, order or tie.
TEST_F(Batchlane, ExploresWhatItExploredBeforeAndAsRunsSay) {
  const Outcome csv = ok(test::joined(kSmallSpace, {"--format", "csv"}));
  std::ifstream golden(WEFT_SOURCE_DIR "/tests/golden/analytical/batchlane_darkfpga_arrays.csv");
  EXPECT_EQ(csv.out, std::string(std::istreambuf_iterator<char>(golden), {}));
  const json found = json::parse(weft(test::joined(kSmallSpace, {"--format", "json", "--workers", "1"})).out);
  const json& best = found["network_kernels"][0];
  std::int64_t cycles = 0;
  const json run = json::parse(
      weft({"run", "vgglike-darkfpga", "--no-save", "--rung", "analytical", "--format", "json", "--set",
            "kernel.lanes=" + best["kernel"]["lanes"].dump(), "--set", "kernel.pes=" + best["kernel"]["pes"].dump()})
          .out);
  for (const json& row : run["convolutions"]) {
    cycles += row["cycles"].get<std::int64_t>();
    EXPECT_LE(row["resources"]["bram18"]["used"], best["resources"]["bram18"]);
  }
  EXPECT_EQ(best["cycles"], cycles);
}

// The equations give channel buffers no cost: the simulation ranks them, and the saved result shows the same.
TEST_F(Batchlane, ExploresWhatEquationsDoNotKnowBySimulating) {
  const std::vector<std::string> small{
      "dse",    "deephi",
      "--only", "features.16:F",
      "--set",  "batch=32",
      "--set",  "sparsity.mask=random",
      "--set",  "dse.space={lanes: {from: 32, to: 32}, pes: {from: 32, to: 32}, ahead: {from: 1, to: 3}}"};
  const Outcome printed = ok(test::joined(small, {"--out", "found", "--rerank", "1"}));
  const json found = json_of({"show", "found"});
  ASSERT_EQ(found["network_kernels"].size(), 3U);
  for (int i = 0; i < 3; ++i) {
    const json& each = found["network_kernels"][static_cast<std::size_t>(i)];
    EXPECT_EQ(each["kernel"]["ahead"], 3 - i);
    const json run = json_of(with({"run", "vgg11-deephi", "--no-save", "--only", "features.16:F"},
                                  {"sparsity.mask=random", "kernel.ahead=" + std::to_string(3 - i)}));
    EXPECT_EQ(each["simulated_cycles"], run["convolutions"][0]["cycles"]);
  }
  ok({"report", "found"});
  const std::string message = weft(test::joined(small, {"--no-save", "--rerank", "0"})).err;
  EXPECT_TRUE(
      test::has(message, "space: the equations do not depend on ahead; allowed: one value of it, or rerank.count 1"));
}

TEST_F(Batchlane, ReadsMasksOfAFileAndRefusesThoseOfAnotherLayer) {
  const auto file = [&](const char* layer, int inputs) {
    const std::string bytes = sparse::mask_file({{layer, sparse::Mask(10, inputs, true)}});
    return dir_.write("masks", bytes).string();
  };
  // One layer: a run of it has no others.
  const std::string one = R"(
name: one
board: kcu1500
kernel: batchlane-32x32
network: {layers: [{name: last, channels: 512, h: 1, w: 1, filters: 10, kernel: 1}]}
batch: 32
rung: exact
sparsity: {mask: file, file: masks}
)";
  const std::string config = dir_.write("one.yaml", one).string();
  file("last", 512);
  ok({"run", config, "--no-save"});
  const auto message = [&] { return weft({"run", config, "--no-save"}).err; };
  file("last", 500);
  EXPECT_TRUE(test::has(message(), "one.yaml:8: sparsity.file: "));
  EXPECT_TRUE(test::has(message(), "the mask of layer 'last' has 10 outputs x 500 inputs; allowed: 10 x 512"));
  file("other", 512);
  EXPECT_TRUE(test::has(message(), "has no mask of layer 'last'; masks in this file: other"));
  dir_.write("masks", "WEFTMASK\x09");
  EXPECT_TRUE(test::has(message(), "is no file of masks: byte 8: the file ends within the length of a name"));
}

// MSK-6. Two outputs, three inputs, kernels of 1 x 2: [1,0] [0,0] [-0,0] and [0,0] [0,2] [0,0] keep 2 of 6. The file is
// written as protobuf: a field is its number and kind, its length, its bytes.
TEST_F(Batchlane, ReadsTheZeroKernelsOfAnOnnxNetworkAsAMask) {
  const auto field = [](int number, const std::string& bytes) {
    return std::string{static_cast<char>(number * 8 + 2), static_cast<char>(bytes.size())} + bytes;
  };
  const auto integer = [](int number, int value) {
    return std::string{static_cast<char>(number * 8), static_cast<char>(value)};
  };
  const std::vector<float> values{1, 0, 0, 0, -0.0F, 0, 0, 0, 0, 2, 0, 0};
  const std::string raw(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  const auto write = [&](const std::string& data) {  // TensorProto: dims 1, data_type 2, name 8, raw_data 9
    const std::string tensor = integer(1, 2) + integer(1, 3) + integer(1, 1) + integer(1, 2) + integer(2, 1) +
                               field(8, "a.weight") + field(9, data);
    dir_.write("pruned.onnx", field(7, field(5, tensor)));  // ModelProto.graph, GraphProto.initializer
  };
  const std::string config = dir_.write("onnx.yaml", R"(
name: pruned
board: kcu1500
kernel: batchlane-32x32
network: {layers: [{name: a, channels: 3, h: 2, w: 2, filters: 2, kernel: 1}]}
batch: 32
rung: exact
only: a:F
sparsity: {mask: file, file: pruned.onnx}
)")
                                 .string();
  write(raw);
  EXPECT_EQ(json_of({"run", config, "--no-save"})["convolutions"][0]["macs"], 2 * 4 * 32);  // kernels, pixels, images
  write(raw.substr(4));
  EXPECT_TRUE(test::has(weft({"run", config, "--no-save"}).err,
                        "initializer a.weight: does not have its 12 values in the file"));
}

// A matrix of 2 x 2 whose one zero is at [0][1]: Gemm's B not transposed and MatMul's second operand have inputs first,
// so that output 1 omits input 0; transposed, output 0 omits input 1. The results of a run with data distinguish the
// two.
TEST_F(Batchlane, ReadsMatricesOfAnOnnxNetworkTheWayRoundThatOperatorsUseThem) {
  const auto field = [](int number, const std::string& bytes) {
    return std::string{static_cast<char>(number * 8 + 2), static_cast<char>(bytes.size())} + bytes;
  };
  const auto integer = [](int number, int value) {
    return std::string{static_cast<char>(number * 8), static_cast<char>(value)};
  };
  const std::string config = dir_.write("onnx.yaml", R"(
name: pruned
board: kcu1500
kernel: batchlane-32x32
network: {layers: [{name: a, channels: 2, h: 1, w: 1, filters: 2, kernel: 1}]}
batch: 32
rung: exact
mode: data
only: a:F
sparsity: {mask: file, file: pruned.onnx}
)")
                                 .string();
  const std::string tensor = integer(1, 2) + integer(1, 2) + integer(2, 3) + field(8, "a.weight") +
                             field(9, std::string("\1\0\1\1", 4));  // INT8
  const auto node = [&](const char* op, const std::string& in, const std::string& out, const std::string& more = "") {
    return field(1, field(1, in == "w" ? "x" : in) + (in == "w" ? field(1, "a.weight") : "") + field(2, out) +
                        field(4, op) + more);  // NodeProto: inputs 1, output 2, op_type 4, attribute 5
  };
  const auto run = [&](const std::string& nodes) {
    dir_.write("pruned.onnx", field(7, nodes + field(5, tensor)));
    return weft({"run", config, "--no-save", "--format", "json"});
  };
  const auto digest = [&](const std::string& nodes) {
    const Outcome outcome = run(nodes);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? json::parse(outcome.out)["convolutions"][0]["data"]["out_digest"] : json();
  };
  const auto with_mask = [&](int o, int c) {
    sparse::Mask mask(2, 2, true);
    mask.set(o, c, false);
    dir_.write("masks", sparse::mask_file({{"a", mask}}));
    const Outcome outcome = ok(
        {"run", config, "--no-save", "--format", "json", "--set", "sparsity.file=" + (dir_.path() / "masks").string()});
    return json::parse(outcome.out)["convolutions"][0]["data"]["out_digest"];
  };
  const std::string trans_b = field(5, field(1, "transB") + integer(3, 1) + std::string{static_cast<char>(0xA0), 1, 2});
  const json as_stored = with_mask(0, 1), turned = with_mask(1, 0);
  EXPECT_NE(as_stored, turned);
  EXPECT_EQ(digest(node("Gemm", "w", "y", trans_b)), as_stored);
  EXPECT_EQ(digest(node("Gemm", "w", "y")), turned);
  EXPECT_EQ(digest(node("MatMul", "w", "y")), turned);
  EXPECT_EQ(digest(node("Transpose", "a.weight", "t") +
                   field(1, field(1, "x") + field(1, "t") + field(2, "y") + field(4, "MatMul"))),
            as_stored);
  const auto refused_with = [&](const std::string& nodes, const char* why) {
    const std::string message = run(nodes).err;
    EXPECT_TRUE(test::has(
        message, "initializer a.weight: which of its dimensions are outputs is not known: " + std::string(why)));
  };
  refused_with("", "no operator uses it");
  refused_with(node("Add", "w", "y"), "operator Add uses it");
  refused_with(node("Gemm", "w", "y", trans_b) + node("MatMul", "w", "z"), "operators use it in both orders");
}

}  // namespace
}  // namespace weft
