#include <cmath>
#include <map>
#include <pugixml.hpp>

#include "tests/support/weft_test.h"

namespace weft {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using test::Outcome;

// Three convolutions on two kernels; runs in an instant.
const char* const kTiny =
    "run: conv-small\n"
    "set: {network: {layers: [{name: a, channels: 3, h: 9, w: 7, filters: 8, kernel: 3, pad: 1}]}, batch: 2, "
    "gi_first: true}\n"
    "kernels:\n  - {array: {x: 4, y: 8}}\n  - {name: flat, array: {x: 9, y: 2}}\n"
    "tolerance_percent: 0.5\n";

class Validate : public test::WeftTest {
 protected:
  pugi::xml_document read_junit(const std::string& name) const {
    pugi::xml_document junit;
    EXPECT_TRUE(junit.load_string(text(name).c_str()));
    return junit;
  }
  static Words validate(const Words& arguments) { return test::joined({"validate"}, arguments); }
};

// The project's own baseline: the equations' errors on 20 convolutions of GoogLeNet have not changed.
TEST_F(Validate, GoogLeNetSmallIsWhereItsBaselineSays) {
  const json result = json_of(validate({"googlenet-small", "--junit", "junit.xml"}));
  EXPECT_EQ(result["convolutions"].size(), 40U);
  EXPECT_TRUE(result["baseline"]["deviations"].empty());
  for (const json& one : result["convolutions"]) {
    const std::int64_t model = one["model"]["cycles"], against = one["against"]["cycles"];
    EXPECT_EQ(one["error"].get<double>(), static_cast<double>(model - against) / static_cast<double>(against));
  }
  EXPECT_EQ(result["statistics"]["F"]["published_percent"]["mean"], 8.19);
  const pugi::xml_document junit = read_junit("junit.xml");
  EXPECT_EQ(junit.child("testsuites").attribute("tests").as_int(), 40);
  EXPECT_EQ(junit.child("testsuites").attribute("failures").as_int(), 0);
  EXPECT_TRUE(std::filesystem::is_regular_file(dir_.path() / "results/validate-googlenet-small/result.json"));
}

// Barista: each convolution of ResNet-20 on three kernels. The equations have no refresh, no latency and no shared
// channels, so they are never above the simulation.
TEST_F(Validate, Resnet20OnBaristaIsWhereItsBaselineSays) {
  const json result = json_of(validate({"barista-small", "--no-save"}));
  ASSERT_EQ(result["convolutions"].size(), 3 * 62U);  // 21 layers, of which the first has no GI
  EXPECT_TRUE(result["baseline"]["deviations"].empty());
  for (const json& one : result["convolutions"]) EXPECT_LT(one["error"].get<double>(), 0) << one;
  // A run can have a baseline, too; a simulation with half the baseline's cycles is reported.
  const Words run = with({"resnet20-barista", "--only", "conv1", "--no-save"},
                         {"batch=1", "validate.limits_percent={total: 50, convolution: 50}"});
  const Outcome saved = weft(validate(test::joined(run, {"--save-baseline", "b.json"})));
  EXPECT_EQ(weft(validate(test::joined(run, {"--baseline", "b.json"}))).exit_code, 0) << saved.err;
  json baseline = json::parse(text("b.json"));
  json& entry = baseline["convolutions"][0];
  entry["against"] = entry["against"].get<std::int64_t>() * 2;
  dir_.write("b.json", baseline.dump());
  const Outcome moved = weft(validate(test::joined(run, {"--baseline", "b.json"})));
  EXPECT_EQ(moved.exit_code, 1);
  EXPECT_TRUE(test::has(moved.out, "b.json: 1 differ"));
  EXPECT_TRUE(test::has(moved.out, "conv1 F on 16x16x64: error was "));
}

TEST_F(Validate, FailsWhenAnErrorMovesAndNamesIt) {
  dir_.write("tiny.yaml", kTiny);
  ok(validate({"tiny.yaml", "--no-save", "--save-baseline", "b.json"}));
  ok(validate({"tiny.yaml", "--no-save", "--baseline", "b.json"}));
  // Simulates a baseline whose simulation was a tenth shorter.
  json baseline = json::parse(text("b.json"));
  json& entry = baseline["convolutions"][4];
  ASSERT_EQ(entry["kernel"], "flat");
  ASSERT_EQ(entry["kind"], "GI");
  entry["against"] = entry["against"].get<std::int64_t>() * 9 / 10;
  dir_.write("b.json", baseline.dump());
  const Outcome outcome = weft(validate({"tiny.yaml", "--no-save", "--baseline", "b.json", "--junit", "j.xml"}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(test::has(outcome.out, "b.json: 1 differ"));
  EXPECT_TRUE(test::has(outcome.out, "a GI on flat: error was "));
  const pugi::xml_document junit = read_junit("j.xml");
  const pugi::xpath_node_set failures = junit.select_nodes("//testcase[failure]");
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_STREQ(failures[0].node().attribute("name").value(), "a:GI");
  EXPECT_STREQ(failures[0].node().parent().attribute("name").value(), "flat");
  EXPECT_STREQ(failures[0].node().child("failure").attribute("type").value(), "moved");
  // Intentionally omitted convolutions are not judged.
  ok(validate({"tiny.yaml", "--no-save", "--baseline", "b.json", "--kernel", "4x8"}));
}

TEST_F(Validate, SaysTheSameForAnyNumberOfWorkersAndFromItsSavedConfig) {
  dir_.write("tiny.yaml", kTiny);
  const Outcome one = weft(validate({"tiny.yaml", "--workers", "1", "--out", "r", "--format", "csv"}));
  const Outcome three = weft(validate({"tiny.yaml", "--workers", "3", "--no-save", "--format", "csv"}));
  const Outcome again = weft(validate({"r/config.yaml", "--no-save", "--format", "csv"}));
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(std::count(one.out.begin(), one.out.end(), '\n'), 7);
  EXPECT_EQ(three.out, one.out);
  EXPECT_EQ(again.out, one.out) << again.err;
  EXPECT_EQ(text("r/convolutions.csv"), one.out);
  const Outcome shown = ok({"show", "r/config.yaml"});
  EXPECT_EQ(shown.out.rfind("validation tiny", 0), 0U) << shown.out;
  EXPECT_TRUE(test::has(shown.out, "kernels    4x8, flat\n"));
}

// b equals a: it is simulated once, and the bytes do not depend on the worker.
TEST_F(Validate, SimulatesEqualConvolutionsOnceAndSaysSo) {
  std::string text = kTiny;
  const std::string layer = "channels: 3, h: 9, w: 7, filters: 8, kernel: 3, pad: 1}";
  text.insert(text.find("]}, batch"), ", {name: b, " + layer + ", {name: c, channels: 4" + layer.substr(11));
  dir_.write("equal.yaml", text);
  for (const char* against : {"exact", "systemc"}) {
    const auto run = [&](const char* workers, const char* format) {
      return weft(
          validate({"equal.yaml", "--no-save", "--against", against, "--workers", workers, "--format", format}));
    };
    const Outcome one = run("1", "json"), two = run("2", "json"), five = run("5", "json");
    ASSERT_EQ(one.exit_code, 0) << one.err;
    EXPECT_EQ(two.out, one.out);
    EXPECT_EQ(five.out, one.out);
    const json rows = json::parse(one.out)["convolutions"];
    ASSERT_EQ(rows.size(), 18U);
    for (const json& row : rows) {
      EXPECT_EQ(row["against"].contains("repeats"), row["layer"] == "b") << row["layer"] << row["kind"];
      EXPECT_FALSE(row["model"].contains("repeats"));
    }
    EXPECT_TRUE(test::has(run("2", "table").out, "6 convolutions equal another on their kernel, simulated once\n"));
  }
}

// For each beta the rungs are equal, so any difference would come from the comparison.
TEST_F(Validate, SystemCAgainstExactHasNoError) {
  dir_.write("tiny.yaml", kTiny);
  const Outcome outcome = ok(validate({"tiny.yaml", "--no-save", "--model", "systemc", "--format", "json"}));
  for (const ordered_json& one : ordered_json::parse(outcome.out)["convolutions"]) {
    EXPECT_EQ(one["error"], 0.0);
    EXPECT_EQ(one["model"], one["against"]);
  }
}

// Verilator builds one kernel; half a minute the first time.
TEST_F(Validate, RtlAgainstExactHasNoError) {
  dir_.write("tiny.yaml", kTiny);
  const Outcome outcome =
      ok(validate({"tiny.yaml", "--no-save", "--model", "rtl", "--set", "validate.kernels=[{array: {x: 2, y: 2}}]",
                   "--only", "a:F", "--format", "json"}));
  const json result = json::parse(outcome.out);
  ASSERT_EQ(result["convolutions"].size(), 1U);
  EXPECT_EQ(result["convolutions"][0]["error"], 0.0);
  EXPECT_GT(result["convolutions"][0]["model"]["cycles"], 0);
}

// conv-small: 153,600 cycles by the equations, 157,818 simulated: an error of -2.673 %.
TEST_F(Validate, ARunIsHeldToLimitsThatItPrints) {
  const Outcome outcome = ok(validate({"conv-small", "--junit", "j.xml"}));
  const pugi::xml_document junit = read_junit("j.xml");
  EXPECT_EQ(junit.child("testsuites").attribute("tests").as_int(), 3);
  EXPECT_EQ(junit.child("testsuites").attribute("failures").as_int(), 0);
  // The saved result is a validation with the same limits.
  const Outcome again = weft(validate({"results/validate-conv-small", "--no-save"}));
  EXPECT_EQ(again.out + "saved        results/validate-conv-small\n", outcome.out) << again.err;
}

// 2.673 %: within 2.68, beyond 2.67.
TEST_F(Validate, ARunBeyondALimitEndsWithOne) {
  const auto limited = [&](const std::string& key, const std::string& percent, const char* format) {
    return weft(validate({"conv-small", "--no-save", "--set", "validate.limits_percent." + key + "=" + percent,
                          "--junit", "j.xml", "--format", format}));
  };
  for (const char* key : {"total", "convolution"}) {
    EXPECT_EQ(limited(key, "2.68", "table").exit_code, 0) << key;
    const Outcome beyond = limited(key, "2.67", "json");
    EXPECT_EQ(beyond.exit_code, 1) << key;
    EXPECT_TRUE(test::has(beyond.err, "EXCEEDED"));
    const json limits = json::parse(beyond.out)["limits"];
    EXPECT_EQ(limits["holds"], false);
    const bool total = std::string(key) == "total";
    EXPECT_EQ(limits["totals"]["F"]["holds"], !total);
    EXPECT_EQ(limits["totals"]["all"]["model"], 153600);
    EXPECT_EQ(limits["totals"]["all"]["against"], 157818);
    EXPECT_EQ(limits["beyond"].size(), total ? 0U : 1U);
    const pugi::xml_document junit = read_junit("j.xml");
    EXPECT_EQ(junit.child("testsuites").attribute("failures").as_int(), total ? 2 : 1);
    EXPECT_EQ(junit.select_nodes("//failure[@type='limit']").size(), total ? 2U : 1U);
  }
}

TEST_F(Validate, ASavedRunIsValidatedAsItsConfigurationIs) {
  const std::vector<std::string> changes{"--only", "features.3.*", "--set", "batch=1"};
  const Outcome run = ok(test::joined({"run", "squeezenet-u250", "--out", "r", "--rung", "analytical"}, changes));
  const Outcome saved = weft(validate({"r", "--no-save", "--format", "json"}));
  const Outcome named = weft(validate(test::joined({"squeezenet-u250", "--no-save", "--format", "json"}, changes)));
  EXPECT_EQ(saved.exit_code, 0) << saved.err;
  json one = json::parse(saved.out), other = json::parse(named.out);
  EXPECT_EQ(one["inputs"][0]["path"], "r/config.yaml");
  for (json* each : {&one, &other}) each->erase("inputs");
  EXPECT_EQ(one.dump(), other.dump());
  EXPECT_EQ(one["convolutions"].size(), 9U);
  // Between two simulations the limit is zero, and no convolution differs.
  const Outcome exact = ok(validate({"r", "--no-save", "--model", "systemc", "--only", "*squeeze:F"}));
  EXPECT_TRUE(test::has(exact.out, "each convolution within 0%: all are\n"));
}

TEST_F(Validate, TheLinkIsWithinItsTolerances) {
  const json result = json_of(validate({"pcie", "--no-save"}));
  std::map<std::string, int> rows;
  for (const json& row : result["rows"]) {
    ++rows[row["held_to"]];
    EXPECT_LE(100 * std::abs(row["error"].get<double>()), row["tolerance_percent"].get<double>());
  }
  EXPECT_EQ(rows, (std::map<std::string, int>{{"beside", 2}, {"closed form", 12}, {"measured", 12}}));
}

TEST_F(Validate, ALinkThatLeavesItsTolerancesEndsWithOne) {
  const Outcome faster = weft(validate({"pcie", "--no-save", "--set", "board.pcie.read_round_trip_ns=1000"}));
  EXPECT_EQ(faster.exit_code, 1);
  EXPECT_TRUE(test::has(faster.out, "EXCEEDED"));
}

}  // namespace
}  // namespace weft
