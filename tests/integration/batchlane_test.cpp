#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/sparse/mask_file.h"
#include "tests/support/run_binary.h"

// The sparse batch lanes through the commands that are generic over designs.
namespace weft {
namespace {

using nlohmann::json;
using test::Outcome;

class Batchlane : public testing::Test {
 protected:
  Outcome weft(const std::vector<std::string>& arguments) const {
    return test::run_program(WEFT_BINARY, arguments, directory_.path());
  }
  Outcome run(const std::vector<std::string>& arguments) const {
    return weft(test::joined({"run", "vgg11-deephi", "--no-save"}, arguments));
  }
  std::string refused(const std::vector<std::string>& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  }
  const test::TemporaryDirectory directory_;
};

// docs/batchlane.md: every row of F and GI within 5 % where PEs bound it, within 15 % where memory does.
TEST_F(Batchlane, MeetsThePublishedTable) {
  const Outcome csv = run({"--format", "csv"});
  ASSERT_EQ(csv.exit_code, 0) << csv.err;
  const std::string file = directory_.write("run.csv", csv.out).string();
  const std::string docs = WEFT_DOCS_DIR;
  const Outcome table = test::run_program(
      "/usr/bin/awk", {"-f", docs + "/deephi_table.awk", docs + "/deephi_table.csv", file}, directory_.path());
  EXPECT_EQ(table.exit_code, 0) << table.out;
  EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n'), 33) << table.out;  // 32 convolutions
  // The one constant: 32 cycles on a closed row, in the mean from 31 to 35.
  const Outcome text = run({});
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
      const Outcome outcome = run(test::joined({"--rung", rung, "--format", "json"}, settings));
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      return outcome.exit_code == 0 ? json::parse(outcome.out)["convolutions"] : json::array();
    };
    const json exact = rows("exact"), systemc = rows("systemc");
    ASSERT_FALSE(exact.empty());
    ASSERT_EQ(exact.size(), systemc.size());
    for (std::size_t i = 0; i < exact.size(); ++i) {
      for (const char* key : {"cycles", "limiter", "blocks", "memory", "pe_cycles", "data"}) {
        EXPECT_EQ(exact[i].value(key, json()), systemc[i].value(key, json())) << i << " " << key;
      }
    }
  }
}

// The dense alpha of the family: no number of it is held to a publication, and it says so.
TEST_F(Batchlane, RunsItsDenseRelativeOnEveryRungAndCallsItsFiguresUnverified) {
  const auto rows = [&](const std::vector<std::string>& settings) {
    const Outcome outcome = weft(test::joined(
        {"run", "vgglike-darkfpga", "--no-save", "--format", "json", "--only", "features.12:F,features.12:GW"},
        settings));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? json::parse(outcome.out)["convolutions"] : json::array();
  };
  const json exact = rows({}), systemc = rows({"--rung", "systemc"});
  ASSERT_EQ(exact.size(), 2U);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    for (const char* key : {"cycles", "blocks", "memory", "pe_cycles"}) EXPECT_EQ(exact[i][key], systemc[i][key]);
    // 512 outputs of 64 pixels, 9 taps, 16 groups of 32 channels
    EXPECT_GE(exact[i]["cycles"].get<std::int64_t>(), 512 * 64 * 9 * 16);
  }
  const std::string out = weft({"run", "vgglike-darkfpga", "--no-save", "--rung", "analytical"}).out;
  EXPECT_NE(out.find("context      1417 GOP/s and 13.5 W are said of it: unverified, and compared with nothing"),
            std::string::npos)
      << out;
  const std::string sparse = weft({"run", "vgglike-darkfpga", "--no-save", "--set", "sparsity={density: 0.5}"}).err;
  EXPECT_NE(sparse.find("kernel.across channels computes every weight"), std::string::npos) << sparse;
}

TEST_F(Batchlane, ReadsMasksOfAFileAndRefusesThoseOfAnotherLayer) {
  const auto file = [&](const char* layer, int inputs) {
    const std::string bytes = sparse::mask_file({{layer, sparse::Mask(10, inputs, true)}});
    return directory_.write("masks", bytes).string();
  };
  // Of one layer alone: a run of it has no other.
  const std::string one = R"(
name: one
board: kcu1500
kernel: batchlane-32x32
network: {layers: [{name: last, channels: 512, h: 1, w: 1, filters: 10, kernel: 1}]}
batch: 32
rung: exact
sparsity: {mask: file, file: masks}
)";
  const std::string config = directory_.write("one.yaml", one).string();
  file("last", 512);
  EXPECT_EQ(weft({"run", config, "--no-save"}).exit_code, 0);
  const auto message = [&] { return weft({"run", config, "--no-save"}).err; };
  file("last", 500);
  EXPECT_NE(message().find("one.yaml:8: sparsity.file: "), std::string::npos) << message();
  EXPECT_NE(message().find("the mask of layer 'last' has 10 outputs x 500 inputs; allowed: 10 x 512"),
            std::string::npos)
      << message();
  file("other", 512);
  EXPECT_NE(message().find("has no mask of layer 'last'; it has other"), std::string::npos) << message();
  directory_.write("masks", "WEFTMASK\x09");
  EXPECT_NE(message().find("is no file of masks: byte 8: ends within the length of a name"), std::string::npos)
      << message();
}

// MSK-6. Two outputs, three inputs, kernels of 1 x 2: [1,0] [0,0] [-0,0] and [0,0] [0,2] [0,0] keep 2 of 6. The file is
// written as protobuf has it: a field is its number and kind, its length, its bytes.
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
    directory_.write("pruned.onnx", field(7, field(5, tensor)));  // ModelProto.graph, GraphProto.initializer
  };
  const std::string config = directory_
                                 .write("onnx.yaml", R"(
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
  const Outcome run = weft({"run", config, "--no-save", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["convolutions"][0]["macs"], 2 * 4 * 32);  // kernels, pixels, images
  write(raw.substr(4));
  EXPECT_NE(
      weft({"run", config, "--no-save"}).err.find("initializer a.weight: does not have its 12 values in the file"),
      std::string::npos);
}

TEST_F(Batchlane, RefusesBadInputInOneLine) {
  EXPECT_NE(
      refused({"--set", "sparsity.density=1.5"}).find("sparsity.density: must be a number from 0 to 1, not '1.5'"),
      std::string::npos);
  EXPECT_NE(refused({"--set", "sparsity.density={conv9: 0.5}"}).find("sparsity.density.conv9: no such layer"),
            std::string::npos);
  EXPECT_NE(refused({"--set", "kernel.tile_pixels=16"})
                .find("--set kernel.tile_pixels=16: kernel.tile_pixels: 16 is too few for layer 'features.0': the "
                      "accumulators of an output hold less than a row; allowed: 32 or more"),
            std::string::npos);
  const std::string few = directory_.write("few.yaml", "extends: vgg11-deephi\nkernel:\n  tile_pixels: 8\n").string();
  const std::string message = weft({"run", few, "--no-save"}).err;
  EXPECT_NE(message.find("few.yaml:3: kernel.tile_pixels: 8 is too few for layer 'features.0'"), std::string::npos)
      << message;
  EXPECT_NE(refused({"--set", "sparsity.mask=block"}).find("must be one of random, balanced, file, not 'block'"),
            std::string::npos);
  const Outcome dense = weft({"run", "conv-small", "--no-save", "--set", "sparsity={density: 0.5}"});
  EXPECT_EQ(dense.exit_code, 2);
  EXPECT_NE(dense.err.find("sparsity: design fpgpt computes every weight; allowed: leave it out, or a kernel of design "
                           "batchlane"),
            std::string::npos)
      << dense.err;
}

}  // namespace
}  // namespace weft
