#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "tests/support/run_binary.h"

namespace weft {
namespace {

using nlohmann::ordered_json;
using test::Outcome;

Outcome validate(const std::vector<std::string>& arguments, const std::filesystem::path& directory) {
  return test::run_program(WEFT_BINARY, test::joined({"validate"}, arguments), directory);
}

// Three convolutions on two kernels: an instant.
const char* const kTiny =
    "run: conv-small\n"
    "set: {network: {layers: [{name: a, channels: 3, h: 9, w: 7, filters: 8, kernel: 3, pad: 1}]}, batch: 2, "
    "gi_first: true}\n"
    "kernels:\n  - {array: {x: 4, y: 8}}\n  - {name: flat, array: {x: 9, y: 2}}\n"
    "tolerance_percent: 0.5\n";

// The project's own baseline: what the equations leave out of 20 convolutions of GoogLeNet is what it was.
TEST(Validate, GoogLeNetSmallIsWhereItsBaselineSays) {
  const test::TemporaryDirectory directory;
  const Outcome outcome = validate({"googlenet-small", "--format", "json", "--junit", "junit.xml"}, directory.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const ordered_json result = ordered_json::parse(outcome.out);
  EXPECT_EQ(result["convolutions"].size(), 40U);
  EXPECT_TRUE(result["baseline"]["deviations"].empty());
  for (const ordered_json& one : result["convolutions"]) {
    const std::int64_t model = one["model"]["cycles"], against = one["against"]["cycles"];
    EXPECT_EQ(one["error"].get<double>(), static_cast<double>(model - against) / static_cast<double>(against));
  }
  EXPECT_EQ(result["statistics"]["F"]["published_percent"]["mean"], 8.19);
  pugi::xml_document junit;
  ASSERT_TRUE(junit.load_file((directory.path() / "junit.xml").c_str()));
  EXPECT_EQ(junit.child("testsuites").attribute("tests").as_int(), 40);
  EXPECT_EQ(junit.child("testsuites").attribute("failures").as_int(), 0);
  EXPECT_TRUE(std::filesystem::is_regular_file(directory.path() / "results/validate-googlenet-small/result.json"));
}

// And those of Barista: each convolution of ResNet-20 on three kernels. The equations have no refresh, no latency and
// no channel that ports share, so they are nowhere above the simulation.
TEST(Validate, Resnet20OnBaristaIsWhereItsBaselineSays) {
  const test::TemporaryDirectory directory;
  const Outcome outcome = validate({"barista-small", "--no-save", "--format", "json"}, directory.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const ordered_json result = ordered_json::parse(outcome.out);
  ASSERT_EQ(result["convolutions"].size(), 3 * 62U);  // 21 layers, of which the first has no GI
  EXPECT_TRUE(result["baseline"]["deviations"].empty());
  for (const ordered_json& one : result["convolutions"]) EXPECT_LT(one["error"].get<double>(), 0) << one;
  // So is a run that is given one; and it says when the simulation takes half of what it did.
  const std::vector<std::string> run{"resnet20-barista",
                                     "--only",
                                     "conv1",
                                     "--no-save",
                                     "--set",
                                     "batch=1",
                                     "--set",
                                     "validate.limits_percent={total: 50, convolution: 50}"};
  const Outcome saved = validate(test::joined(run, {"--save-baseline", "b.json"}), directory.path());
  EXPECT_EQ(validate(test::joined(run, {"--baseline", "b.json"}), directory.path()).exit_code, 0) << saved.err;
  ordered_json baseline = ordered_json::parse(test::read_text_file(directory.path() / "b.json"));
  ordered_json& entry = baseline["convolutions"][0];
  entry["against"] = entry["against"].get<std::int64_t>() * 2;
  directory.write("b.json", baseline.dump());
  const Outcome moved = validate(test::joined(run, {"--baseline", "b.json"}), directory.path());
  EXPECT_EQ(moved.exit_code, 1);
  EXPECT_NE(moved.out.find("b.json: 1 differ"), std::string::npos) << moved.out;
  EXPECT_NE(moved.out.find("conv1 F on 16x16x64: error was "), std::string::npos) << moved.out;
}

TEST(Validate, FailsWhenAnErrorMovesAndNamesIt) {
  const test::TemporaryDirectory directory;
  directory.write("tiny.yaml", kTiny);
  ASSERT_EQ(validate({"tiny.yaml", "--no-save", "--save-baseline", "b.json"}, directory.path()).exit_code, 0);
  EXPECT_EQ(validate({"tiny.yaml", "--no-save", "--baseline", "b.json"}, directory.path()).exit_code, 0);
  // As if the simulation had been a tenth shorter when the baseline was saved.
  ordered_json baseline = ordered_json::parse(test::read_text_file(directory.path() / "b.json"));
  ordered_json& entry = baseline["convolutions"][4];
  ASSERT_EQ(entry["kernel"], "flat");
  ASSERT_EQ(entry["kind"], "GI");
  entry["against"] = entry["against"].get<std::int64_t>() * 9 / 10;
  directory.write("b.json", baseline.dump());
  const Outcome outcome =
      validate({"tiny.yaml", "--no-save", "--baseline", "b.json", "--junit", "j.xml"}, directory.path());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("b.json: 1 differ"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("a GI on flat: error was "), std::string::npos) << outcome.out;
  pugi::xml_document junit;
  ASSERT_TRUE(junit.load_file((directory.path() / "j.xml").c_str()));
  const pugi::xpath_node_set failures = junit.select_nodes("//testcase[failure]");
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_STREQ(failures[0].node().attribute("name").value(), "a:GI");
  EXPECT_STREQ(failures[0].node().parent().attribute("name").value(), "flat");
  EXPECT_STREQ(failures[0].node().child("failure").attribute("type").value(), "moved");
  // What is left out on purpose is not judged.
  EXPECT_EQ(validate({"tiny.yaml", "--no-save", "--baseline", "b.json", "--kernel", "4x8"}, directory.path()).exit_code,
            0);
}

TEST(Validate, SaysTheSameForAnyNumberOfWorkersAndFromItsSavedConfig) {
  const test::TemporaryDirectory directory;
  directory.write("tiny.yaml", kTiny);
  const Outcome one = validate({"tiny.yaml", "--workers", "1", "--out", "r", "--format", "csv"}, directory.path());
  const Outcome three = validate({"tiny.yaml", "--workers", "3", "--no-save", "--format", "csv"}, directory.path());
  const Outcome again = validate({"r/config.yaml", "--no-save", "--format", "csv"}, directory.path());
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(std::count(one.out.begin(), one.out.end(), '\n'), 7);
  EXPECT_EQ(three.out, one.out);
  EXPECT_EQ(again.out, one.out) << again.err;
  EXPECT_EQ(test::read_text_file(directory.path() / "r/convolutions.csv"), one.out);
  const Outcome shown = test::run_program(WEFT_BINARY, {"show", "r/config.yaml"}, directory.path());
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(shown.out.rfind("validation tiny", 0), 0U) << shown.out;
  EXPECT_NE(shown.out.find("kernels    4x8, flat\n"), std::string::npos) << shown.out;
}

// b equals a: simulated once, and the bytes do not tell by which worker.
TEST(Validate, SimulatesEqualConvolutionsOnceAndSaysSo) {
  const test::TemporaryDirectory directory;
  std::string text = kTiny;
  const std::string layer = "channels: 3, h: 9, w: 7, filters: 8, kernel: 3, pad: 1}";
  text.insert(text.find("]}, batch"), ", {name: b, " + layer + ", {name: c, channels: 4" + layer.substr(11));
  directory.write("equal.yaml", text);
  for (const char* against : {"exact", "systemc"}) {
    const auto run = [&](const char* workers, const char* format) {
      return validate({"equal.yaml", "--no-save", "--against", against, "--workers", workers, "--format", format},
                      directory.path());
    };
    const Outcome one = run("1", "json"), two = run("2", "json"), five = run("5", "json");
    ASSERT_EQ(one.exit_code, 0) << one.err;
    EXPECT_EQ(two.out, one.out);
    EXPECT_EQ(five.out, one.out);
    const ordered_json rows = ordered_json::parse(one.out)["convolutions"];
    ASSERT_EQ(rows.size(), 18U);
    for (const ordered_json& row : rows) {
      EXPECT_EQ(row["against"].contains("repeats"), row["layer"] == "b") << row["layer"] << row["kind"];
      EXPECT_FALSE(row["model"].contains("repeats"));
    }
    EXPECT_NE(run("2", "table").out.find("6 convolutions equal another on their kernel, simulated once\n"),
              std::string::npos);
  }
}

// Beta by beta the rungs are equal, so any other difference is the comparison's.
TEST(Validate, SystemCAgainstExactHasNoError) {
  const test::TemporaryDirectory directory;
  directory.write("tiny.yaml", kTiny);
  const Outcome outcome =
      validate({"tiny.yaml", "--no-save", "--model", "systemc", "--format", "json"}, directory.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const ordered_json& one : ordered_json::parse(outcome.out)["convolutions"]) {
    EXPECT_EQ(one["error"], 0.0);
    EXPECT_EQ(one["model"], one["against"]);
  }
}

// One kernel for Verilator to build; half a minute the first time.
TEST(Validate, RtlAgainstExactHasNoError) {
  const test::TemporaryDirectory directory;
  directory.write("tiny.yaml", kTiny);
  const Outcome outcome = validate({"tiny.yaml", "--no-save", "--model", "rtl", "--set",
                                    "validate.kernels=[{array: {x: 2, y: 2}}]", "--only", "a:F", "--format", "json"},
                                   directory.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const ordered_json result = ordered_json::parse(outcome.out);
  ASSERT_EQ(result["convolutions"].size(), 1U);
  EXPECT_EQ(result["convolutions"][0]["error"], 0.0);
  EXPECT_GT(result["convolutions"][0]["model"]["cycles"], 0);
}

// conv-small: 153,600 cycles by the equations, 157,818 simulated: an error of -2.673 %.
TEST(Validate, ARunIsHeldToLimitsThatItPrints) {
  const test::TemporaryDirectory directory;
  const Outcome outcome = validate({"conv-small", "--junit", "j.xml"}, directory.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("conv-small: analytical against exact, 1 convolutions on 8x8, u250, batch 2\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("limits       sums of cycles within 10%: F -2.673%, all -2.673%\n"
                             "             each convolution within 16%: all are\n"),
            std::string::npos)
      << outcome.out;
  pugi::xml_document junit;
  ASSERT_TRUE(junit.load_file((directory.path() / "j.xml").c_str()));
  EXPECT_EQ(junit.child("testsuites").attribute("tests").as_int(), 3);
  EXPECT_EQ(junit.child("testsuites").attribute("failures").as_int(), 0);
  // What was saved is a validation, which holds to the same limits.
  const Outcome again = validate({"results/validate-conv-small", "--no-save"}, directory.path());
  EXPECT_EQ(again.out + "saved        results/validate-conv-small\n", outcome.out) << again.err;
}

// 2.673 %: within 2.68, beyond 2.67.
TEST(Validate, ARunBeyondALimitEndsWithOne) {
  const test::TemporaryDirectory directory;
  const auto limited = [&](const std::string& key, const std::string& percent, const char* format) {
    return validate({"conv-small", "--no-save", "--set", "validate.limits_percent." + key + "=" + percent, "--junit",
                     "j.xml", "--format", format},
                    directory.path());
  };
  for (const char* key : {"total", "convolution"}) {
    EXPECT_EQ(limited(key, "2.68", "table").exit_code, 0) << key;
    const Outcome beyond = limited(key, "2.67", "json");
    EXPECT_EQ(beyond.exit_code, 1) << key;
    EXPECT_NE(beyond.err.find("EXCEEDED"), std::string::npos) << beyond.err;
    const ordered_json limits = ordered_json::parse(beyond.out)["limits"];
    EXPECT_EQ(limits["holds"], false);
    const bool total = std::string(key) == "total";
    EXPECT_EQ(limits["totals"]["F"]["holds"], !total);
    EXPECT_EQ(limits["totals"]["all"]["model"], 153600);
    EXPECT_EQ(limits["totals"]["all"]["against"], 157818);
    EXPECT_EQ(limits["beyond"].size(), total ? 0U : 1U);
    pugi::xml_document junit;
    ASSERT_TRUE(junit.load_file((directory.path() / "j.xml").c_str()));
    EXPECT_EQ(junit.child("testsuites").attribute("failures").as_int(), total ? 2 : 1);
    EXPECT_EQ(junit.select_nodes("//failure[@type='limit']").size(), total ? 2U : 1U);
  }
}

TEST(Validate, ASavedRunIsValidatedAsItsConfigurationIs) {
  const test::TemporaryDirectory directory;
  const std::vector<std::string> changes{"--only", "features.3.*", "--set", "batch=1"};
  const Outcome run = test::run_program(
      WEFT_BINARY, test::joined({"run", "squeezenet-u250", "--out", "r", "--rung", "analytical"}, changes),
      directory.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Outcome saved = validate({"r", "--no-save", "--format", "json"}, directory.path());
  const Outcome named =
      validate(test::joined({"squeezenet-u250", "--no-save", "--format", "json"}, changes), directory.path());
  EXPECT_EQ(saved.exit_code, 0) << saved.err;
  EXPECT_EQ(saved.out, named.out);
  EXPECT_EQ(ordered_json::parse(saved.out)["convolutions"].size(), 9U);
  // Between simulations not a cycle is allowed, and none differs.
  const Outcome exact = validate({"r", "--no-save", "--model", "systemc", "--only", "*squeeze:F"}, directory.path());
  EXPECT_EQ(exact.exit_code, 0) << exact.err;
  EXPECT_NE(exact.out.find("each convolution within 0%: all are\n"), std::string::npos) << exact.out;
}

TEST(Validate, WhatIsNeitherAValidationNorARunIsSaidToBeSo) {
  const test::TemporaryDirectory directory;
  directory.write("board.yaml", "extends: u250\n");
  directory.write("folder/file", "");
  for (const auto& [given, what] : std::map<std::string, std::string>{
           {"u250", "u250: is a board, neither a validation nor a run"},
           {"googlenet", "googlenet: is a network, neither a validation nor a run"},
           {"u250-slr", "u250-slr: is an exploration, neither a validation nor a run"},
           {"small", "small: is a sweep, neither a validation nor a run"},
           {"board.yaml", "board.yaml: is a board, neither a validation nor a run"},
           {"folder",
            "folder: is a directory, but no result of weft (result.json, config.yaml), neither a validation "
            "nor a run"},
           {"folder/none.yaml", "folder/none.yaml: no such file"},
           {"conv-smal", "there is no validation or run 'conv-smal'; did you mean 'conv-small'?"}}) {
    const Outcome outcome = validate({given}, directory.path());
    EXPECT_EQ(outcome.exit_code, 2) << given;
    EXPECT_NE(outcome.err.find("weft: error: " + what), std::string::npos) << outcome.err;
  }
}

TEST(Validate, TheLinkIsWithinItsTolerances) {
  const test::TemporaryDirectory directory;
  const Outcome outcome = validate({"pcie", "--format", "json", "--no-save"}, directory.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const ordered_json result = ordered_json::parse(outcome.out);
  std::map<std::string, int> rows;
  for (const ordered_json& row : result["rows"]) {
    ++rows[row["held_to"]];
    EXPECT_LE(std::abs(row["error_percent"].get<double>()), row["tolerance_percent"].get<double>());
  }
  EXPECT_EQ(rows, (std::map<std::string, int>{{"beside", 2}, {"closed form", 12}, {"measured", 12}}));
}

TEST(Validate, ALinkThatLeavesItsTolerancesEndsWithOne) {
  const test::TemporaryDirectory directory;
  const Outcome faster =
      validate({"pcie", "--no-save", "--set", "board.pcie.read_round_trip_ns=1000"}, directory.path());
  EXPECT_EQ(faster.exit_code, 1);
  EXPECT_NE(faster.out.find("EXCEEDED"), std::string::npos);
  const Outcome alien = validate({"pcie", "--no-save", "--set", "batch=3"}, directory.path());
  EXPECT_EQ(alien.exit_code, 2);
  EXPECT_NE(alien.err.find("'batch' is no key of a validation of a link"), std::string::npos) << alien.err;
}

}  // namespace
}  // namespace weft
