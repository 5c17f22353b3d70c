#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/run_binary.h"

// What was saved is looked at again: weft show RESULT, weft show FOLDER, weft compare.
namespace weft {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Outcome;

// Two layers, one of them in two groups; a batch of 2.
constexpr const char* kRun = R"(
board: u250
kernel: {extends: fpgpt-16x16-hls, array: {x: 7, y: 3}}
network: {layers: [{name: a, channels: 3, h: 12, w: 11, filters: 8, kernel: 5, stride: 2, pad: 2},
                   {name: b, channels: 8, h: 6, w: 6, filters: 12, kernel: 3, pad: 1, groups: 2}]}
batch: 2
rung: exact
)";

class Results : public testing::Test {
 protected:
  void SetUp() override { folder_.write("r.yaml", kRun); }

  Outcome weft(const std::vector<std::string>& arguments) const {
    return test::run_program(WEFT_BINARY, arguments, folder_.path());
  }
  std::string saved(const std::string& name, const std::vector<std::string>& more = {}) const {
    const Outcome outcome = weft(test::joined({"run", "r.yaml", "--out", name}, more));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
  std::string text(const fs::path& path) const { return test::read_text_file(folder_.path() / path); }
  void change(const fs::path& path, const std::string& from, const std::string& to) const {
    std::string all = text(path);
    const std::size_t at = all.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(folder_.path() / path) << all.replace(at, from.size(), to);
  }

  test::TemporaryDirectory folder_;
};

std::string without_last_line(const std::string& text) {
  return text.substr(0, text.rfind('\n', text.size() - 2) + 1);
}

TEST_F(Results, AreShownAsTheRunPrintedThemOnEveryRung) {
  for (const char* rung : {"analytical", "exact", "systemc"}) {
    const std::string printed = saved(rung, {"--rung", rung});
    const Outcome table = weft({"show", std::string("./") + rung});
    EXPECT_EQ(table.exit_code, 0) << table.err;
    EXPECT_EQ(table.out, without_last_line(printed)) << "all but the line that says where it was saved";
    EXPECT_EQ(weft({"show", rung, "--format", "json"}).out, text(fs::path(rung) / "result.json"));
    EXPECT_EQ(weft({"show", rung, "--format", "csv"}).out, text(fs::path(rung) / "convolutions.csv"));
  }
  const std::string printed = saved("data", {"--rung", "systemc", "--set", "mode=data"});
  EXPECT_EQ(weft({"show", "./data"}).out, without_last_line(printed));
}

TEST_F(Results, ThatAreNotAsRunWroteThemAreRefusedInOneLine) {
  saved("a", {"--rung", "exact"});
  const auto refused = [&](const std::string& what) {
    const Outcome outcome = weft({"show", "./a"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  const std::string whole = text("a/result.json");
  change("a/result.json", "\"limiter\": \"", "\"limited_by\": \"");
  refused("limiter");
  std::ofstream(folder_.path() / "a/result.json") << whole;
  change("a/result.json", "\"layer\": \"b\"", "\"layer\": \"c\"");
  refused("has no 'b', F");
  std::ofstream(folder_.path() / "a/result.json") << "[]";
  refused("a/result.json: is not a result of weft");
  std::ofstream(folder_.path() / "a/result.json") << whole;
  change("a/config.yaml", "batch: 2", "batch: no");
  refused("batch");
}

// What was saved before there were PE-cycles is read, without them; what a later weft saved is not.
TEST_F(Results, OfAnOlderSchemaAreReadAndOfALaterOneRefused) {
  const std::string printed = saved("a", {"--rung", "exact"});
  json result = json::parse(text("a/result.json"));
  result["schema"] = 2;
  for (json& row : result["convolutions"]) row.erase("pe_cycles");
  for (json& total : result["totals"]) total.erase("pe_cycles");
  std::ofstream(folder_.path() / "a/result.json") << result.dump();
  const Outcome old = weft({"show", "./a"});
  ASSERT_EQ(old.exit_code, 0) << old.err;
  const std::size_t from = printed.find("\nPE-cycles"), until = printed.find("\ntime ");
  EXPECT_EQ(old.out, without_last_line(printed.substr(0, from) + printed.substr(until)));
  const Outcome csv = weft({"show", "./a", "--format", "csv"});
  EXPECT_NE(csv.out.find(",,,,,,,,,,\n"), std::string::npos) << "columns without a value";
  EXPECT_EQ(weft({"compare", "a", "r.yaml", "--fail-above", "0%"}).exit_code, 0);

  for (const json& schema : {json(4), json("3"), json()}) {
    result["schema"] = schema;
    std::ofstream(folder_.path() / "a/result.json") << result.dump();
    const Outcome refused = weft({"show", "./a"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("schema"), std::string::npos) << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  }
  result["schema"] = 3;
  std::ofstream(folder_.path() / "a/result.json") << result.dump();
  EXPECT_NE(weft({"show", "./a"}).err.find("has no 'pe_cycles'"), std::string::npos);
}

TEST_F(Results, OfAFolderAreListed) {
  fs::create_directory(folder_.path() / "results");
  saved("results/one", {"--rung", "exact"});
  saved("results/two", {"--rung", "analytical", "--set", "kernel.array.x=4"});
  folder_.write("results/notes.txt", "mine");
  const Outcome outcome = weft({"show", "results", "--format", "json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json list = json::parse(outcome.out);
  ASSERT_EQ(list.size(), 2U);
  const json& one = list[0]["name"] == "one" ? list[0] : list[1];
  EXPECT_EQ(one["of"], "run");
  EXPECT_EQ(one["board"], "u250");
  EXPECT_EQ(one["batch"], "2");
  EXPECT_EQ(one["rung"], "exact");
  std::string cycles = one["cycles"];
  cycles.erase(std::remove(cycles.begin(), cycles.end(), ','), cycles.end());
  EXPECT_EQ(cycles, json::parse(text("results/one/result.json"))["totals"]["network"]["cycles"].dump());
  EXPECT_NE(one["kernel"].get<std::string>().find("7 x 3"), std::string::npos) << one["kernel"];
  const Outcome table = weft({"show", "results"});
  EXPECT_NE(table.out.find("4 x 3"), std::string::npos) << table.out;

  fs::create_directory(folder_.path() / "empty");
  const Outcome empty = weft({"show", "./empty"});
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_NE(empty.err.find("no result of weft"), std::string::npos) << empty.err;
}

TEST_F(Results, AreComparedKeyByKeyAndRowByRow) {
  saved("a", {"--rung", "analytical"});
  saved("b", {"--rung", "analytical", "--set", "kernel.array.x=4"});
  const Outcome outcome = weft({"compare", "a", "b", "--format", "json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json compared = json::parse(outcome.out);
  ASSERT_EQ(compared["keys"].size(), 1U) << compared["keys"].dump(1);
  EXPECT_EQ(compared["keys"][0], (json{{"key", "kernel.array.x"}, {"a", "7"}, {"b", "4"}}));

  const json before = json::parse(text("a/result.json")), after = json::parse(text("b/result.json"));
  ASSERT_EQ(compared["convolutions"].size(), before["convolutions"].size());
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  for (const json& each : compared["convolutions"]) {
    const auto row_of = [&](const json& result) {
      for (const json& row : result["convolutions"]) {
        if (row["layer"] == each["layer"] && row["kind"] == each["kind"]) return row;
      }
      return json();
    };
    EXPECT_EQ(each["cycles_a"], row_of(before)["cycles"]);
    EXPECT_EQ(each["cycles_b"], row_of(after)["cycles"]);
    EXPECT_EQ(each["limiter_b"], row_of(after)["limiter"]);
    const std::int64_t a = each["cycles_a"], b = each["cycles_b"];
    EXPECT_DOUBLE_EQ(each["cycles_change"].get<double>(), static_cast<double>(b - a) / static_cast<double>(a));
    EXPECT_LE(std::abs(b - a), last) << "what moved most comes first";
    last = std::abs(b - a);
  }
  EXPECT_EQ(compared["totals"]["network"]["a"]["cycles"], before["totals"]["network"]["cycles"]);
  EXPECT_EQ(compared["totals"]["all GW"]["b"]["cycles"], after["totals"]["GW"]["cycles"]);
}

TEST_F(Results, ArePutSideBySideByWhatThePesDid) {
  saved("a", {"--rung", "exact"});
  saved("b", {"--rung", "exact", "--set", "kernel.array.x=4"});
  const json compared = json::parse(weft({"compare", "a", "b", "--format", "json"}).out);
  const json before = json::parse(text("a/result.json")), after = json::parse(text("b/result.json"));
  const auto sum = [](const json& classes) {
    std::int64_t all = 0;
    for (const json& each : classes) all += each.get<std::int64_t>();
    return all;
  };
  for (const json& each : compared["convolutions"]) {
    EXPECT_EQ(sum(each["pe_cycles_a"]), 7 * 3 * each["cycles_a"].get<std::int64_t>());
    EXPECT_EQ(sum(each["pe_cycles_b"]), 4 * 3 * each["cycles_b"].get<std::int64_t>());
  }
  EXPECT_EQ(compared["totals"]["network"]["a"]["pe_cycles"], before["totals"]["network"]["pe_cycles"]);
  EXPECT_EQ(compared["totals"]["all GW"]["b"]["pe_cycles"], after["totals"]["GW"]["pe_cycles"]);

  const std::string table = weft({"compare", "a", "b"}).out, csv = weft({"compare", "a", "b", "--format", "csv"}).out;
  const auto useful = [](const json& result) { return result["totals"]["network"]["pe_cycles"]["useful"].dump(); };
  EXPECT_EQ(useful(before), useful(after));  // the same work
  const std::size_t line = table.find("\nuseful ");
  ASSERT_NE(line, std::string::npos) << table;
  EXPECT_EQ(table.substr(table.find('\n', line + 1) - 3, 3), "  0");
  EXPECT_NE(csv.find("limiter_b,pe_useful_a,pe_useful_b,"), std::string::npos) << csv;
}

TEST_F(Results, ComparedWithThemselvesMoveNotAtAll) {
  saved("a", {"--rung", "exact"});
  EXPECT_EQ(weft({"compare", "a", "a", "--fail-above", "0"}).exit_code, 0);
  EXPECT_EQ(weft({"compare", "a", "r.yaml", "--fail-above", "0%"}).exit_code, 0) << "simulated again";
  const Outcome same = weft({"compare", "a", "a"});
  EXPECT_NE(same.out.find("keys         none differs"), std::string::npos) << same.out;
  EXPECT_NE(same.out.find("0 of 5 convolutions moved"), std::string::npos) << same.out;  // no GI of the first layer
}

TEST_F(Results, ThatMovedByMoreThanIsAllowedFail) {
  saved("a", {"--rung", "analytical"});
  saved("b", {"--rung", "analytical", "--set", "kernel.array.x=4"});
  const json compared = json::parse(weft({"compare", "a", "b", "--format", "json"}).out);
  double largest = 0;
  for (const json& each : compared["convolutions"]) {
    largest = std::max(largest, std::abs(each["cycles_change"].get<double>()));
  }
  ASSERT_GT(largest, 0);
  const auto exit_code = [&](double percent) {
    std::ostringstream text;
    text.precision(17);
    text << percent << "%";
    return weft({"compare", "a", "b", "--fail-above", text.str()}).exit_code;
  };
  EXPECT_EQ(exit_code(100 * largest * 1.0001), 0);
  EXPECT_EQ(exit_code(100 * largest * 0.9999), 1);
  EXPECT_EQ(weft({"compare", "a", "b", "--fail-above", "-1"}).exit_code, 2);
  EXPECT_EQ(weft({"compare", "a", "b", "--fail-above", "much"}).exit_code, 2);
}

TEST_F(Results, WithoutAPartnerAreNamedAndFail) {
  saved("a", {"--rung", "analytical"});
  saved("b", {"--rung", "analytical", "--only", "b"});
  const Outcome outcome = weft({"compare", "a", "b", "--fail-above", "1000000"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("only in A    2 convolutions: a:F, a:GW"), std::string::npos) << outcome.out;
}

TEST_F(Results, AreComparedWithRunsThatAreSimulatedForIt) {
  saved("a", {"--rung", "exact"});
  const Outcome outcome = weft({"compare", "r.yaml", "r.yaml", "--set", "rung=analytical", "--format", "csv"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 6);
  const Outcome with_set = weft({"compare", "a", "r.yaml", "--set", "rung=exact"});
  EXPECT_EQ(with_set.exit_code, 2);
  EXPECT_NE(with_set.err.find("'a' is a result"), std::string::npos) << with_set.err;
}

}  // namespace
}  // namespace weft
