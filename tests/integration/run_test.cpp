#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/run_binary.h"

namespace weft {
namespace {

using nlohmann::json;
using test::Outcome;

Outcome weft_run(const std::vector<std::string>& arguments, const std::filesystem::path& directory) {
  return test::run_program(WEFT_BINARY, test::joined({"run"}, arguments), directory);
}

json run_json(const std::vector<std::string>& arguments, const std::filesystem::path& directory) {
  const Outcome outcome = weft_run(test::joined(arguments, {"--format", "json"}), directory);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? json::parse(outcome.out) : json::object();
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  if (!fields.empty() && !fields.back().empty() && fields.back().back() == 0x0d) fields.back().pop_back();
  return fields;
}

// The golden table calls the components by the thesis' symbols, results by their blocks.
const std::map<std::string, std::string> kBlockOfSymbol{{"INP_DDR", "inp_reader"},         {"INP_DEC", "inp_decode"},
                                                        {"INP_CONSTR", "inp_construct"},   {"INP_I2C", "inp_im2col"},
                                                        {"KERN_DDR", "kern_reader"},       {"KERN_DEC", "kern_decode"},
                                                        {"KERN_FEED", "kern_feeder"},      {"SA", "array"},
                                                        {"OUT_CONSTR", "out_constructor"}, {"OUT_ENC", "out_encode"},
                                                        {"OUT_DDR", "out_writer"}};

std::string block_of(const std::string& symbol) {
  const auto found = kBlockOfSymbol.find(symbol);
  return found == kBlockOfSymbol.end() ? symbol : found->second;
}

// A network of three shapes that the systemc rung runs in a moment: strided, grouped, plain.
const char* const kLayers =
    "network={layers: [{name: a, channels: 3, h: 19, w: 17, filters: 8, kernel: 5, stride: 2, pad: 2}, "
    "{name: b, channels: 8, h: 10, w: 9, filters: 12, kernel: 3, pad: 1, groups: 2}, "
    "{name: c, channels: 12, h: 10, w: 9, filters: 5, kernel: 1}]}";
const std::vector<std::string> kSmallNetwork{
    "googlenet-u250", "--set", kLayers, "--set", "batch=2", "--set", "kernel.array.x=7", "--set", "kernel.array.y=3"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Run, AnalyticalRungPrintsTheGoldenTableOfGoogLeNet) {
  const test::TemporaryDirectory directory;
  const json result = run_json({"googlenet-u250", "--rung", "analytical", "--set", "batch=256", "--set",
                                "kernel.array.x=4", "--set", "kernel.array.y=8"},
                               directory.path());
  std::ifstream golden(WEFT_SOURCE_DIR "/tests/golden/analytical/fpgpt_gammas_googlenet_X4_Y8_B256.csv");
  std::string line;
  std::getline(golden, line);
  const std::vector<std::string> columns = split(line);
  std::map<std::string, json> rows;
  for (const json& row : result["convolutions"]) {
    rows[row["layer"].get<std::string>() + ":" + row["kind"].get<std::string>()] = row;
  }
  int count = 0;
  for (; std::getline(golden, line); ++count) {
    const std::vector<std::string> fields = split(line);
    const std::string name = fields[0] + ":" + fields[1];
    ASSERT_TRUE(rows.count(name)) << name;
    const json& row = rows[name];
    for (std::size_t i = 2; i < columns.size(); ++i) {
      const json& value = columns[i] == "macs" ? row["macs"] : row["gamma"][block_of(columns[i])];
      const bool compute = fields[i] == "KERN_FEED" && fields[1] != "GW";  // feeder and array: one bottleneck (F13)
      EXPECT_EQ(value.is_string() ? value.get<std::string>() : value.dump(),
                compute ? std::string("compute") : block_of(fields[i]))
          << name << " " << columns[i];
    }
    EXPECT_EQ(row["cycles"], row["gamma"]["TOTAL"]);
    EXPECT_EQ(row["limiter"], row["gamma"]["limiter"]);
  }
  EXPECT_EQ(count, 170);
  EXPECT_EQ(rows.size(), 170U);
}

TEST(Run, ResultDirectoryHoldsTheResultAndTheConfigThatReproducesIt) {
  const test::TemporaryDirectory directory;
  const Outcome first = weft_run(with(kSmallNetwork, {"--out", "result"}), directory.path());
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(directory.listing(), (std::vector<std::string>{"result", "result/config.yaml", "result/convolutions.csv",
                                                           "result/result.json"}));
  const std::string result = test::read_text_file(directory.path() / "result/result.json");
  const Outcome again = weft_run({"result/config.yaml", "--format", "json", "--out", "again"}, directory.path());
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, result);
  EXPECT_EQ(test::read_text_file(directory.path() / "again/convolutions.csv"),
            test::read_text_file(directory.path() / "result/convolutions.csv"));
  EXPECT_EQ(json::parse(result)["schema"], 4);
}

TEST(Run, SavesUnderItsNameAndChangedRunsUnderNamesOfTheirOwn) {
  const test::TemporaryDirectory directory;
  EXPECT_EQ(weft_run({"conv-small", "--no-save"}, directory.path()).exit_code, 0);
  EXPECT_TRUE(directory.listing().empty());
  EXPECT_EQ(weft_run({"conv-small"}, directory.path()).exit_code, 0);
  const std::vector<std::string> plain = directory.listing();
  EXPECT_EQ(plain, (std::vector<std::string>{"results", "results/conv-small", "results/conv-small/config.yaml",
                                             "results/conv-small/convolutions.csv", "results/conv-small/result.json"}));
  const std::string before = test::read_text_file(directory.path() / "results/conv-small/result.json");
  EXPECT_EQ(weft_run({"conv-small", "--set", "batch=1"}, directory.path()).exit_code, 0);
  EXPECT_EQ(directory.listing().size(), 2 * plain.size() - 1);
  EXPECT_EQ(test::read_text_file(directory.path() / "results/conv-small/result.json"), before);
}

TEST(Run, BoardsWhoseMemoryIsNotModelledAreCheckedForFitByTheEquationsAndRefusedOtherwise) {
  const test::TemporaryDirectory directory;
  const Outcome checked =
      weft_run({"conv-small", "--set", "board=u50", "--rung", "analytical", "--no-save"}, directory.path());
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_NE(checked.out.find("of 5,952"), std::string::npos) << checked.out;
  const Outcome refused = weft_run({"googlenet-u250", "--set", "board=u50"}, directory.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("hbm"), std::string::npos) << refused.err;
}

TEST(Run, SameBytesForAnyNumberOfWorkers) {
  const test::TemporaryDirectory directory;
  const std::string one = weft_run(with(kSmallNetwork, {"--workers", "1", "--format", "json"}), directory.path()).out;
  EXPECT_FALSE(one.empty());
  for (const char* workers : {"2", "5"}) {
    EXPECT_EQ(weft_run(with(kSmallNetwork, {"--workers", workers, "--format", "json"}), directory.path()).out, one);
  }
}

// Whole convolutions of the headline run, as much of it as the systemc rung does in some seconds: every column, that is
// cycles, what every block did, beats, bursts, row hits, misses and conflicts. docs/performance.md has the command for
// all 170.
TEST(Run, TheExactRungGivesTheRowsOfTheSystemCRungForConvolutionsOfGoogLeNet) {
  const test::TemporaryDirectory directory;
  const auto rows = [&](const char* rung, const char* workers) {
    return weft_run({"googlenet-u250", "--only", "inception4e.branch4.1.conv,inception5b.branch2.*", "--set", "batch=2",
                     "--rung", rung, "--workers", workers, "--no-save", "--format", "csv"},
                    directory.path());
  };
  const Outcome exact = rows("exact", "2");
  ASSERT_EQ(exact.exit_code, 0) << exact.err;
  EXPECT_EQ(exact.out, rows("systemc", "2").out);
  EXPECT_EQ(exact.out, rows("exact", "1").out);
  EXPECT_EQ(exact.out, rows("exact", "5").out);
}

TEST(Run, EveryBlockSumsToTheCyclesAndEveryRequestHitsMissesOrConflicts) {
  const test::TemporaryDirectory directory;
  const json result = run_json(kSmallNetwork, directory.path());
  EXPECT_EQ(result["convolutions"].size(), 8U);  // three layers, no GI of the first
  for (const json& row : result["convolutions"]) {
    for (const auto& [name, block] : row["blocks"].items()) {
      std::int64_t sum = 0;
      for (const auto& [activity, cycles] : block.items()) sum += cycles.get<std::int64_t>();
      EXPECT_EQ(sum, row["cycles"]) << name;
    }
    for (const auto& [name, port] : row["memory"].items()) {
      EXPECT_EQ(port["row_hits"].get<int>() + port["row_misses"].get<int>() + port["row_conflicts"].get<int>(),
                port["read_beats"].get<int>() + port["write_beats"].get<int>())
          << row["layer"] << " " << row["kind"] << " " << name;
    }
    EXPECT_GT(row["macs"], 0);
  }
}

// In JSON, CSV and the table, on every rung. Each layer of the network has as many useful ones in each of its kinds.
TEST(Run, PeCyclesOfEveryRowKindAndTheNetworkSumToThePesTimesTheCycles) {
  const test::TemporaryDirectory directory;
  const auto sum = [](const json& of) {
    std::int64_t all = 0;
    for (const auto& [name, count] : of["pe_cycles"].items()) all += count.get<std::int64_t>();
    return all;
  };
  const json exact = run_json(kSmallNetwork, directory.path());
  const json systemc = run_json(with(kSmallNetwork, {"--rung", "systemc"}), directory.path());
  for (std::size_t i = 0; i < exact["convolutions"].size(); ++i) {
    EXPECT_EQ(exact["convolutions"][i]["pe_cycles"], systemc["convolutions"][i]["pe_cycles"]);
  }
  std::map<std::string, std::int64_t> useful;
  for (const json& row : exact["convolutions"]) {
    EXPECT_EQ(sum(row), row["cycles"].get<std::int64_t>() * 7 * 3) << row["layer"] << " " << row["kind"];
    const auto of_layer = useful.emplace(row["layer"], row["pe_cycles"]["useful"]).first;
    EXPECT_EQ(row["pe_cycles"]["useful"], of_layer->second) << row["layer"];
  }
  for (const auto& [kind, total] : exact["totals"].items()) {
    EXPECT_EQ(sum(total), total["cycles"].get<std::int64_t>() * 7 * 3) << kind;
  }

  const Outcome csv = weft_run(with(kSmallNetwork, {"--format", "csv"}), directory.path());
  std::istringstream lines(csv.out);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> columns = split(line);
  for (const json& row : exact["convolutions"]) {
    std::getline(lines, line);
    const std::vector<std::string> fields = split(line);
    for (const auto& [name, count] : row["pe_cycles"].items()) {
      const auto column = std::find(columns.begin(), columns.end(), "pe_" + name);
      ASSERT_NE(column, columns.end()) << name;
      EXPECT_EQ(fields[static_cast<std::size_t>(column - columns.begin())], count.dump()) << name;
    }
  }

  const json& of_network = exact["totals"]["network"];
  const double share = 100 * of_network["pe_cycles"]["useful"].get<double>() / static_cast<double>(sum(of_network));
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << share << "%\nzeros ";
  EXPECT_NE(weft_run(kSmallNetwork, directory.path()).out.find(text.str()), std::string::npos) << text.str();
}

// The equations know the products, and neither when the array works on them nor what it waits for.
TEST(Run, OfThePeCyclesTheEquationsSayTheProductsAndNoMore) {
  const test::TemporaryDirectory directory;
  const json exact = run_json(kSmallNetwork, directory.path());
  const json equations = run_json(with(kSmallNetwork, {"--rung", "analytical"}), directory.path());
  for (std::size_t i = 0; i < exact["convolutions"].size(); ++i) {
    for (const auto& [name, count] : equations["convolutions"][i]["pe_cycles"].items()) {
      const bool known = name == "useful" || name == "zeros" || name.rfind("unused_", 0) == 0;
      EXPECT_EQ(count, known ? exact["convolutions"][i]["pe_cycles"][name] : json()) << name;
    }
  }
  const Outcome table = weft_run(with(kSmallNetwork, {"--rung", "analytical"}), directory.path());
  EXPECT_NE(table.out.find("\nidle                       -"), std::string::npos) << table.out;
  // As printed, dilation zeros take no time (F4): an array that is given less than its products says nothing of them.
  const json printed =
      run_json(with(kSmallNetwork, {"--rung", "analytical", "--only", "*:GW", "--set", "readings.products=stored"}),
               directory.path());
  bool unknown = false;
  for (const json& row : printed["convolutions"]) unknown = unknown || row["pe_cycles"]["useful"].is_null();
  EXPECT_TRUE(unknown);
}

TEST(Run, DataModeTakesTheCyclesOfTimingModeAndIsRight) {
  const test::TemporaryDirectory directory;
  const json timing = run_json(kSmallNetwork, directory.path());
  const json data = run_json(with(kSmallNetwork, {"--set", "mode=data"}), directory.path());
  const json other = run_json(with(kSmallNetwork, {"--set", "mode=data", "--set", "seed=2"}), directory.path());
  ASSERT_EQ(timing["convolutions"].size(), data["convolutions"].size());
  for (std::size_t i = 0; i < timing["convolutions"].size(); ++i) {
    const json& row = data["convolutions"][i];
    EXPECT_EQ(timing["convolutions"][i]["cycles"], row["cycles"]);
    EXPECT_EQ(timing["convolutions"][i]["blocks"], row["blocks"]);
    EXPECT_EQ(timing["convolutions"][i]["pe_cycles"], row["pe_cycles"]);
    EXPECT_LT(row["data"]["largest_error"], 1e-5);
    EXPECT_NE(row["data"]["out_digest"], other["convolutions"][i]["data"]["out_digest"]);
  }
}

// Outputs that see nothing but padding are zeros, and GI crops (reading F24).
TEST(Run, AcceptsPaddingWiderThanTheKernelAndComputesIt) {
  const test::TemporaryDirectory directory;
  for (const std::string kind : {"F", "GI", "GW"}) {
    const json row = run_json({"conv-small", "--rung", "systemc", "--set", "mode=data", "--set", "batch=1", "--set",
                               "convolution.pad=[4, 5, 3, 7]", "--set", "convolution.kind=" + kind},
                              directory.path())["convolutions"][0];
    EXPECT_LT(row["data"]["largest_error"], 1e-5) << kind;
  }
}

TEST(Run, CsvHasALinePerConvolutionWithTheColumnsOfItsHead) {
  const test::TemporaryDirectory directory;
  const Outcome outcome = weft_run(with(kSmallNetwork, {"--format", "csv"}), directory.path());
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  const std::size_t columns = split(line).size();
  int rows = 0;
  for (; std::getline(lines, line); ++rows) EXPECT_EQ(split(line).size(), columns) << line;
  EXPECT_EQ(rows, 8);
}

TEST(Run, DeadlockEndsWithExitCodeThreeAndNoResult) {
  const test::TemporaryDirectory directory;
  const Outcome outcome = weft_run({"conv-small", "--set", "kernel.fifo.inp_word=0"}, directory.path());
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("inp_decode waits for room in FIFO inp_word (depth 0)"), std::string::npos) << outcome.err;
  EXPECT_TRUE(directory.listing().empty());
}

TEST(Run, StrictFitRefusesWhatIsOtherwiseReported) {
  const test::TemporaryDirectory directory;
  const std::vector<std::string> large{"conv-small",        "--rung", "analytical",       "--set",
                                       "kernel.array.x=64", "--set",  "kernel.array.y=64"};
  const Outcome reported = weft_run(large, directory.path());
  EXPECT_EQ(reported.exit_code, 0) << reported.err;
  EXPECT_NE(reported.out.find("DSP 36,864 of 11,508 (EXCEEDED by convolution:F)"), std::string::npos)
      << reported.out;  // 9 * 64 * 64
  EXPECT_NE(reported.out.find("1 of 1 convolutions (marked !) do not fit the board by Eqs. 5.14-5.22: convolution:F"),
            std::string::npos)
      << reported.out;
  EXPECT_NE(reported.out.find("F !"), std::string::npos) << reported.out;
  const Outcome refused = weft_run(with(large, {"--strict-fit"}), directory.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("needs 36864 DSP"), std::string::npos) << refused.err;
}

TEST(Run, FixedSizesRefuseAConvolutionBeyondThemNamingLayerParameterAndLimit) {
  const test::TemporaryDirectory directory;
  const Outcome outcome = weft_run({"conv-small", "--set", "kernel.z_channel=20"}, directory.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("convolution"), std::string::npos);
  EXPECT_NE(outcome.err.find("z_channel"), std::string::npos);
  EXPECT_NE(outcome.err.find("20"), std::string::npos);
}

// `shared` fits one kernel a variant to the whole run, so fewer kernels are loaded, and hls reads more per window.
TEST(Run, SharedSizesLoadOneKernelPerVariant) {
  const test::TemporaryDirectory directory;
  const auto kernels = [&](const char* fit) {
    std::vector<std::string> arguments = with(kSmallNetwork, {"--rung", "analytical"});
    for (const char* key : {"z", "z_channel", "k_range", "kern_words", "out_words"}) {
      arguments = with(arguments, {"--set", std::string("kernel.") + key + "=" + fit});
    }
    return run_json(arguments, directory.path())["host"];
  };
  EXPECT_EQ(kernels("shared")["kernels"], 2);
  EXPECT_GT(kernels("auto")["kernels"], 2);
  EXPECT_EQ(kernels("auto")["launches"], 11);  // F and GW of a, three times two groups of b, three of c
}

// What a result says of shared sizes is the difference to the run with sizes auto, convolution by convolution.
TEST(Run, SharedSizesSayWhatTheyCostAndWhoPays) {
  const test::TemporaryDirectory directory;
  // A GW kernel for `wide` reads 2048 beats of KERN a pass; `deep` alone would need 48.
  const std::string layers =
      "network={layers: [{name: wide, channels: 4, h: 64, w: 64, filters: 8, kernel: 3, pad: 1}, "
      "{name: deep, channels: 64, h: 4, w: 4, filters: 64, kernel: 1}]}";
  const auto arguments = [&](const char* fit) {
    std::vector<std::string> all{"googlenet-u250", "--rung", "analytical", "--set", layers, "--set", "batch=2"};
    for (const char* key : {"z", "z_channel", "k_range", "kern_words", "out_words"}) {
      all = with(all, {"--set", std::string("kernel.") + key + "=" + fit});
    }
    return all;
  };
  const json shared = run_json(arguments("shared"), directory.path()),
             own = run_json(arguments("auto"), directory.path());
  EXPECT_FALSE(own.contains("shared_sizes"));
  int payers = 0;
  for (std::size_t i = 0; i < own["convolutions"].size(); ++i) {
    const json& row = shared["convolutions"][i];
    EXPECT_EQ(row["analytical_cycles_unshared"], own["convolutions"][i]["cycles"]) << row["layer"];
    if (row["cycles"] > own["convolutions"][i]["cycles"]) ++payers;
  }
  EXPECT_EQ(payers, 1);
  EXPECT_EQ(shared["shared_sizes"]["analytical_cycles"], shared["totals"]["network"]["cycles"]);
  EXPECT_EQ(shared["shared_sizes"]["analytical_cycles_unshared"], own["totals"]["network"]["cycles"]);
  EXPECT_EQ(shared["shared_sizes"]["convolutions_that_pay"], payers);
  const Outcome table = weft_run(with(arguments("shared"), {"--no-save"}), directory.path());
  EXPECT_NE(table.out.find("shared       by the equations "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("; 1 of 5 convolutions pay: deep:GW x"), std::string::npos) << table.out;
}

// The equations stand for the kernel's profile unless a reading is given, and say what they do not know.
TEST(Run, TheEquationsFollowTheProfileOfTheKernel) {
  const test::TemporaryDirectory directory;
  const std::vector<std::string> base = with(kSmallNetwork, {"--rung", "analytical", "--no-save"});
  const auto cycles = [&](const std::vector<std::string>& more) {
    return run_json(with(base, more), directory.path())["totals"]["network"]["cycles"];
  };
  const json hls = cycles({}), rtl = cycles({"--set", "kernel.profile=rtl"});
  EXPECT_LT(rtl, hls);
  EXPECT_EQ(
      rtl,
      cycles({"--set",
              "readings={burst: exact, drain: hidden, kern_load: beats, kern_fill: overlapped, gw_sets: packed}"}));
  EXPECT_EQ(hls, cycles({"--set", "kernel.profile=rtl", "--set",
                         "readings={burst: fixed, drain: per_group, kern_load: words, kern_fill: serial, gw_sets: "
                         "aligned}"}));
  EXPECT_EQ(rtl, cycles({"--set", "kernel.profile=rtl", "--set", "readings.burst=auto"}));
  EXPECT_EQ(rtl, cycles({"--set", "kernel.profile=rtl", "--set", "readings=auto"}));
  const Outcome table =
      weft_run(with(base, {"--set", "kernel.profile=rtl", "--set", "readings.burst=fixed"}), directory.path());
  EXPECT_NE(
      table.out.find("equations    for profile rtl read with burst fixed, drain hidden, kern_load beats, kern_fill "
                     "overlapped, gw_sets packed; they do not know kernel.profile.exact_bursts, memory.*, "
                     "kernel.ports.*, kernel.fifo.*\n"),
      std::string::npos)
      << table.out;
}

// F of `count` layers of 2^18 channels and 2^17 filters over 2^22 pixels: each has 2^57 multiply-accumulates.
std::string huge_network(int count) {
  std::string layers;
  for (int i = 0; i < count; ++i) {
    layers += "{name: l" + std::to_string(i) + ", channels: 262144, h: 1, w: 4194304, filters: 131072, kernel: 1}, ";
  }
  return "network={layers: [" + layers + "]}";
}
std::vector<std::string> huge_run(const std::string& network) {
  return {"conv-small", "--set",     network,  "--set",      "batch=1",
          "--set",      "kinds=[F]", "--rung", "analytical", "--no-save"};
}

TEST(RunLimits, SumsUpToTheLastMultiplyAccumulateAndNoFurther) {
  const test::TemporaryDirectory dir;
  const json run = run_json(huge_run(huge_network(63)), dir.path());
  const json& sum = run.at("totals").at("network");
  EXPECT_EQ(sum.at("macs"), std::int64_t{63} << 57);
  EXPECT_EQ(sum.at("cycles"), 63 * run.at("convolutions").at(0).at("cycles").get<std::int64_t>());
  EXPECT_NEAR(sum.at("array_utilisation").get<double>(),
              0x1p57 / (64 * run.at("convolutions").at(0).at("cycles").get<double>()), 1e-12);
  const Outcome more = weft_run(huge_run(huge_network(64)), dir.path());
  EXPECT_EQ(more.exit_code, 2);
  EXPECT_NE(more.err.find("the multiply-accumulates of all convolutions exceed 2^63 - 1"), std::string::npos)
      << more.err;
}

TEST(RunLimits, OfAnInlineLayerAreThoseOfAnOnnxFile) {
  const test::TemporaryDirectory dir;
  const auto network = [](const char* channels) {
    return std::string("network={layers: [{name: big, channels: ") + channels +
           ", h: 1, w: 1, filters: 2147483647, kernel: 1}]}";
  };
  const json run = run_json(huge_run(network("512")), dir.path());
  EXPECT_EQ(run.at("convolutions").at(0).at("macs"), (std::int64_t{1} << 40) - 512);
  EXPECT_GT(run.at("convolutions").at(0).at("array_utilisation").get<double>(), 0);
  const Outcome more = weft_run(huge_run(network("16777216")), dir.path());
  EXPECT_EQ(more.exit_code, 2);
  EXPECT_NE(more.err.find("layer big: its weights have more than 2^40 words"), std::string::npos) << more.err;
}

}  // namespace
}  // namespace weft
