#include <iomanip>
#include <map>

#include "tests/support/weft_test.h"

namespace weft {
namespace {

using nlohmann::json;
using test::Outcome;
using test::split;

// Keys of the components and terms that the golden table names by the thesis' symbols.
const std::map<std::string, std::string> kKeyOfSymbol{{"INP_DDR", "inp_reader"},
                                                      {"INP_DEC", "inp_decode"},
                                                      {"INP_CONSTR", "inp_construct"},
                                                      {"INP_I2C", "inp_im2col"},
                                                      {"KERN_DDR", "kern_reader"},
                                                      {"KERN_DEC", "kern_decode"},
                                                      {"KERN_FEED", "kern_feeder"},
                                                      {"SA", "array"},
                                                      {"OUT_CONSTR", "out_constructor"},
                                                      {"OUT_ENC", "out_encode"},
                                                      {"OUT_DDR", "out_writer"},
                                                      {"Z", "z"},
                                                      {"Zchannel", "z_channel"},
                                                      {"M", "m"},
                                                      {"TOTAL", "total"}};

std::string key_of(const std::string& symbol) {
  const auto found = kKeyOfSymbol.find(symbol);
  return found == kKeyOfSymbol.end() ? symbol : found->second;
}

// A network of three shapes that the systemc rung runs in a moment: strided, grouped, plain.
const char* const kLayers =
    "network={layers: [{name: a, channels: 3, h: 19, w: 17, filters: 8, kernel: 5, stride: 2, pad: 2}, "
    "{name: b, channels: 8, h: 10, w: 9, filters: 12, kernel: 3, pad: 1, groups: 2}, "
    "{name: c, channels: 12, h: 10, w: 9, filters: 5, kernel: 1}]}";
const std::vector<std::string> kSmallNetwork{
    "googlenet-u250", "--set", kLayers, "--set", "batch=2", "--set", "kernel.array.x=7", "--set", "kernel.array.y=3"};

class Run : public test::WeftTest {
 protected:
  static Words run(const Words& arguments) { return test::joined({"run"}, arguments); }
};
using RunLimits = Run;

TEST_F(Run, AnalyticalRungPrintsTheGoldenTableOfGoogLeNet) {
  const json result = json_of(run({"googlenet-u250", "--rung", "analytical", "--set", "batch=256", "--set",
                                   "kernel.array.x=4", "--set", "kernel.array.y=8"}));
  std::string golden =
      test::read_text_file(WEFT_SOURCE_DIR "/tests/golden/analytical/fpgpt_gammas_googlenet_X4_Y8_B256.csv");
  golden.erase(std::remove(golden.begin(), golden.end(), '\r'), golden.end());
  const std::vector<std::string> lines = split(golden), columns = split(lines.at(0), ',');
  std::map<std::string, json> rows;
  for (const json& row : result["convolutions"]) {
    rows[row["layer"].get<std::string>() + ":" + row["kind"].get<std::string>()] = row;
  }
  for (std::size_t at = 1; at < lines.size(); ++at) {
    const std::vector<std::string> fields = split(lines[at], ',');
    const std::string name = fields[0] + ":" + fields[1];
    ASSERT_TRUE(rows.count(name)) << name;
    const json& row = rows[name];
    for (std::size_t i = 2; i < columns.size(); ++i) {
      const json& value = columns[i] == "macs" ? row["macs"] : row["gamma"][key_of(columns[i])];
      const bool compute = fields[i] == "KERN_FEED" && fields[1] != "GW";  // feeder and array: one bottleneck (F13)
      EXPECT_EQ(value.is_string() ? value.get<std::string>() : value.dump(),
                compute ? std::string("compute") : key_of(fields[i]))
          << name << " " << columns[i];
    }
    EXPECT_EQ(row["cycles"], row["gamma"]["total"]);
    EXPECT_EQ(row["limiter"], row["gamma"]["limiter"]);
  }
  EXPECT_EQ(lines.size(), 171U);
  EXPECT_EQ(rows.size(), 170U);
}

TEST_F(Run, ResultDirectoryHoldsTheResultAndTheConfigThatReproducesIt) {
  const Outcome first = ok(run(test::joined(kSmallNetwork, {"--out", "result"})));
  EXPECT_EQ(dir_.listing(), (std::vector<std::string>{"result", "result/config.yaml", "result/convolutions.csv",
                                                      "result/result.json"}));
  const std::string result = text("result/result.json");
  const Outcome again = ok(run({"result/config.yaml", "--format", "json", "--out", "again"}));
  json one = json::parse(result), other = json::parse(again.out);
  EXPECT_EQ(other["inputs"][0]["path"], "result/config.yaml");
  for (json* each : {&one, &other}) each->erase("inputs");
  EXPECT_EQ(one, other);
  EXPECT_EQ(text("again/convolutions.csv"), text("result/convolutions.csv"));
  EXPECT_EQ(json::parse(result)["schema"], 5);
}

TEST_F(Run, SavesUnderItsNameAndChangedRunsUnderNamesOfTheirOwn) {
  ok(run({"conv-small", "--no-save"}));
  EXPECT_TRUE(dir_.listing().empty());
  ok(run({"conv-small"}));
  const std::vector<std::string> plain = dir_.listing();
  EXPECT_EQ(plain, (std::vector<std::string>{"results", "results/conv-small", "results/conv-small/config.yaml",
                                             "results/conv-small/convolutions.csv", "results/conv-small/result.json"}));
  const std::string before = text("results/conv-small/result.json");
  ok(run({"conv-small", "--set", "batch=1"}));
  EXPECT_EQ(dir_.listing().size(), 2 * plain.size() - 1);
  EXPECT_EQ(text("results/conv-small/result.json"), before);
}

TEST_F(Run, BoardsWhoseMemoryIsNotModelledAreCheckedForFitByTheEquations) {
  const Outcome checked = ok(run({"conv-small", "--set", "board=u50", "--rung", "analytical", "--no-save"}));
  EXPECT_TRUE(test::has(checked.out, "of 5,952"));
}

TEST_F(Run, SameBytesForAnyNumberOfWorkers) {
  const std::string one = weft(run(test::joined(kSmallNetwork, {"--workers", "1", "--format", "json"}))).out;
  EXPECT_FALSE(one.empty());
  for (const char* workers : {"2", "5"}) {
    EXPECT_EQ(weft(run(test::joined(kSmallNetwork, {"--workers", workers, "--format", "json"}))).out, one);
  }
}

// Whole convolutions of the headline run, as many as the systemc rung runs in some seconds: every column, that is
// cycles, activities of every block, beats, bursts, row hits, misses and conflicts. docs/explanation/performance.md has
// the command for all 170.
TEST_F(Run, TheExactRungGivesTheRowsOfTheSystemCRungForConvolutionsOfGoogLeNet) {
  const auto rows = [&](const char* rung, const char* workers) {
    return weft(run({"googlenet-u250", "--only", "inception4e.branch4.1.conv,inception5b.branch2.*", "--set", "batch=2",
                     "--rung", rung, "--workers", workers, "--no-save", "--format", "csv"}));
  };
  const Outcome exact = rows("exact", "2");
  ASSERT_EQ(exact.exit_code, 0) << exact.err;
  EXPECT_EQ(exact.out, rows("systemc", "2").out);
  EXPECT_EQ(exact.out, rows("exact", "1").out);
  EXPECT_EQ(exact.out, rows("exact", "5").out);
}

TEST_F(Run, EveryBlockSumsToTheCyclesAndEveryRequestHitsMissesOrConflicts) {
  const json result = json_of(run(kSmallNetwork));
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

// In JSON, CSV and the table, on every rung. Each layer of the network has equal useful PE-cycles in all its kinds.
TEST_F(Run, PeCyclesOfEveryRowKindAndTheNetworkSumToThePesTimesTheCycles) {
  const auto sum = [](const json& of) {
    std::int64_t all = 0;
    for (const auto& [name, count] : of["pe_cycles"].items()) all += count.get<std::int64_t>();
    return all;
  };
  const json exact = json_of(run(kSmallNetwork));
  const json systemc = json_of(run(test::joined(kSmallNetwork, {"--rung", "systemc"})));
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

  const std::vector<std::string> lines = split(weft(run(test::joined(kSmallNetwork, {"--format", "csv"}))).out);
  const std::vector<std::string> columns = split(lines.at(0), ',');
  for (std::size_t i = 0; i < exact["convolutions"].size(); ++i) {
    const json& row = exact["convolutions"][i];
    const std::vector<std::string> fields = split(lines.at(i + 1), ',');
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
  EXPECT_TRUE(test::has(weft(run(kSmallNetwork)).out, text.str()));
}

// The equations give the products, but neither the cycles in which the array computes them nor its waits.
TEST_F(Run, OfThePeCyclesTheEquationsSayTheProductsAndNoMore) {
  const json exact = json_of(run(kSmallNetwork));
  const json equations = json_of(run(test::joined(kSmallNetwork, {"--rung", "analytical"})));
  for (std::size_t i = 0; i < exact["convolutions"].size(); ++i) {
    for (const auto& [name, count] : equations["convolutions"][i]["pe_cycles"].items()) {
      const bool known = name == "useful" || name == "zeros" || name.rfind("unused_", 0) == 0;
      EXPECT_EQ(count, known ? exact["convolutions"][i]["pe_cycles"][name] : json()) << name;
    }
  }
  const Outcome table = weft(run(test::joined(kSmallNetwork, {"--rung", "analytical", "--verbose"})));
  EXPECT_TRUE(test::has(table.out, "\nidle                       -"));
  // As printed, dilation zeros take no time (F4): with fewer cycles than products the PE-cycles are unknown.
  const json printed = json_of(run(
      test::joined(kSmallNetwork, {"--rung", "analytical", "--only", "*:GW", "--set", "readings.products=stored"})));
  bool unknown = false;
  for (const json& row : printed["convolutions"]) unknown = unknown || row["pe_cycles"]["useful"].is_null();
  EXPECT_TRUE(unknown);
}

TEST_F(Run, DataModeTakesTheCyclesOfTimingModeAndIsRight) {
  const json timing = json_of(run(kSmallNetwork));
  const json data = json_of(run(test::joined(kSmallNetwork, {"--set", "mode=data"})));
  const json other = json_of(run(test::joined(kSmallNetwork, {"--set", "mode=data", "--set", "seed=2"})));
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

// Outputs over padding alone are zeros, and GI crops (reading F24).
TEST_F(Run, AcceptsPaddingWiderThanTheKernelAndComputesIt) {
  for (const std::string kind : {"F", "GI", "GW"}) {
    const json row =
        json_of(run({"conv-small", "--rung", "systemc", "--set", "mode=data", "--set", "batch=1", "--set",
                     "convolution.pad=[4, 5, 3, 7]", "--set", "convolution.kind=" + kind}))["convolutions"][0];
    EXPECT_LT(row["data"]["largest_error"], 1e-5) << kind;
  }
}

TEST_F(Run, DeadlockEndsWithExitCodeThreeAndNoResult) {
  const Outcome outcome = weft(run({"conv-small", "--set", "kernel.fifo.inp_word=0"}));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(test::has(outcome.err, "inp_decode waits for room in FIFO inp_word (depth 0)"));
  EXPECT_TRUE(dir_.listing().empty());
}

TEST_F(Run, StrictFitRefusesWhatIsOtherwiseReported) {
  const std::vector<std::string> large{"conv-small",        "--rung", "analytical",       "--set",
                                       "kernel.array.x=64", "--set",  "kernel.array.y=64"};
  const Outcome reported = ok(run(large));
  EXPECT_TRUE(test::has(reported.out, "DSP 36,864 of 11,508 (EXCEEDED by convolution:F)"));  // 9 * 64 * 64
  EXPECT_TRUE(test::has(reported.out, "1 of 1 convolutions (marked !) do not fit by Eqs. 5.14-5.22"));
  EXPECT_TRUE(test::has(reported.out, "F !"));
  refused(run(test::joined(large, {"--strict-fit"})), "needs 36864 DSP");
}

TEST_F(Run, FixedSizesRefuseAConvolutionBeyondThemNamingLayerParameterAndLimit) {
  const Outcome outcome = weft(run({"conv-small", "--set", "kernel.z_channel=20"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(test::has(outcome.err, "convolution"));
  EXPECT_TRUE(test::has(outcome.err, "z_channel"));
  EXPECT_TRUE(test::has(outcome.err, "20"));
}

// `shared` fits one kernel per variant to the whole run, so fewer kernels are loaded, and hls reads more per window.
TEST_F(Run, SharedSizesLoadOneKernelPerVariant) {
  const auto kernels = [&](const char* fit) {
    std::vector<std::string> arguments = test::joined(kSmallNetwork, {"--rung", "analytical"});
    for (const char* key : {"z", "z_channel", "k_range", "kern_words", "out_words"}) {
      arguments = test::joined(arguments, {"--set", std::string("kernel.") + key + "=" + fit});
    }
    return json_of(run(arguments))["host"];
  };
  EXPECT_EQ(kernels("shared")["kernels"], 2);
  EXPECT_GT(kernels("auto")["kernels"], 2);
  EXPECT_EQ(kernels("auto")["launches"], 11);  // F and GW of a, three times two groups of b, three of c
}

// A result's cost of shared sizes is the difference to the run with sizes auto, convolution by convolution.
TEST_F(Run, SharedSizesSayWhatTheyCostAndWhoPays) {
  // A GW kernel for `wide` reads 2048 beats of KERN per pass; `deep` alone would need 48.
  const std::string layers =
      "network={layers: [{name: wide, channels: 4, h: 64, w: 64, filters: 8, kernel: 3, pad: 1}, "
      "{name: deep, channels: 64, h: 4, w: 4, filters: 64, kernel: 1}]}";
  const auto arguments = [&](const char* fit) {
    std::vector<std::string> all{"googlenet-u250", "--rung", "analytical", "--set", layers, "--set", "batch=2"};
    for (const char* key : {"z", "z_channel", "k_range", "kern_words", "out_words"}) {
      all = test::joined(all, {"--set", std::string("kernel.") + key + "=" + fit});
    }
    return all;
  };
  const json shared = json_of(run(arguments("shared"))), own = json_of(run(arguments("auto")));
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
  const Outcome table = weft(run(test::joined(arguments("shared"), {"--no-save"})));
  EXPECT_TRUE(test::has(table.out, "shared       "));
  EXPECT_TRUE(
      test::has(table.out, " the cycles of sizes auto (by the equations); 1 of 5 convolutions are slower: deep:GW x"));
}

// By default the equations follow the kernel's profile, and they report the features that they do not model.
TEST_F(Run, TheEquationsFollowTheProfileOfTheKernel) {
  const std::vector<std::string> base = test::joined(kSmallNetwork, {"--rung", "analytical", "--no-save"});
  const auto cycles = [&](const std::vector<std::string>& more) {
    return json_of(run(test::joined(base, more)))["totals"]["network"]["cycles"];
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
  const Outcome table = weft(run(test::joined(base, {"--set", "kernel.profile=rtl", "--set", "readings.burst=fixed"})));
  EXPECT_TRUE(test::has(table.out,
                        "equations    for profile rtl read with burst fixed, drain hidden, kern_load beats, kern_fill "
                        "overlapped, gw_sets packed; they do not know kernel.profile.exact_bursts, memory.*, "
                        "kernel.ports.*, kernel.fifo.*\n"));
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

TEST_F(RunLimits, SumsUpToTheLastMultiplyAccumulateAndNoFurther) {
  const json most = json_of(run(huge_run(huge_network(63))));
  const json& sum = most.at("totals").at("network");
  EXPECT_EQ(sum.at("macs"), std::int64_t{63} << 57);
  EXPECT_EQ(sum.at("cycles"), 63 * most.at("convolutions").at(0).at("cycles").get<std::int64_t>());
  EXPECT_NEAR(sum.at("array_utilisation").get<double>(),
              0x1p57 / (64 * most.at("convolutions").at(0).at("cycles").get<double>()), 1e-12);
  refused(run(huge_run(huge_network(64))), "the multiply-accumulates of all convolutions exceed 2^63 - 1");
}

TEST_F(RunLimits, OfAnInlineLayerAreThoseOfAnOnnxFile) {
  const auto network = [](const char* channels) {
    return std::string("network={layers: [{name: big, channels: ") + channels +
           ", h: 1, w: 1, filters: 2147483647, kernel: 1}]}";
  };
  const json most = json_of(run(huge_run(network("512"))));
  EXPECT_EQ(most.at("convolutions").at(0).at("macs"), (std::int64_t{1} << 40) - 512);
  EXPECT_GT(most.at("convolutions").at(0).at("array_utilisation").get<double>(), 0);
  refused(run(huge_run(network("16777216"))), "layer big: its weights have more than 2^40 words");
}

}  // namespace
}  // namespace weft
