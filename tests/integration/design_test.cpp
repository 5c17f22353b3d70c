#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/run_binary.h"

// A design is its folders and one line in the table of designs.
namespace weft {
namespace {

using nlohmann::json;
using test::Outcome;

// weft with a second design in its table: tests/support/copy_design.
Outcome weft(const std::vector<std::string>& arguments, const std::filesystem::path& directory) {
  return test::run_program(WEFT_WITH_COPY, arguments, directory);
}

const char* const kCopy = R"(
name: copy
board: u250
kernel: {design: copy, clock_mhz: 100}
network:
  layers:
    - {name: a, channels: 3, h: 19, w: 17, filters: 8, kernel: 5, pad: 2}
    - {name: b, channels: 8, h: 40, w: 40, filters: 12, kernel: 3, pad: 1}
batch: 2
rung: systemc
kinds: [F]
)";

json run_json(const std::vector<std::string>& arguments, const std::filesystem::path& directory) {
  const Outcome outcome =
      weft(test::joined({"run"}, test::joined(arguments, {"--no-save", "--format", "json"})), directory);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? json::parse(outcome.out) : json::object();
}

// 3 x 19 x 17 x 2 = 1938 words are 122 beats. With a memory that answers L cycles after the request in cycle 0 the beat
// k is visible in 1 + L + k; the reader hands it on in that cycle, the writer sends it in the next, and the response to
// the last, beat 121, is visible 1 + L after it: the copy is over after 1 + L + 121 + 1 + 1 + L + 1 cycles.
TEST(ACopyDesign, TakesTheCyclesThatItsBlocksMustTake) {
  const test::TemporaryDirectory directory;
  const std::string config = directory.write("copy.yaml", kCopy).string();
  for (const int latency : {1, 7, 40}) {
    const json result = run_json(
        {config, "--only", "a", "--set", "memory={kind: ideal, latency_cycles: " + std::to_string(latency) + "}"},
        directory.path());
    EXPECT_EQ(result["convolutions"][0]["cycles"], 125 + 2 * latency) << latency;
  }
}

TEST(ACopyDesign, TakesTheSameOnEveryRungThatSimulatesIt) {
  const test::TemporaryDirectory directory;
  const std::string config = directory.write("copy.yaml", kCopy).string();
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{}, {"--set", "kernel.depth=1"}, {"--set", "kernel.band=4"}}) {
    const json systemc = run_json(test::joined({config}, settings), directory.path());
    const json exact = run_json(test::joined({config, "--rung", "exact"}, settings), directory.path());
    for (std::size_t i = 0; i < 2; ++i) {
      for (const char* key : {"cycles", "limiter", "blocks", "memory"}) {
        EXPECT_EQ(systemc["convolutions"][i][key], exact["convolutions"][i][key]) << key;
      }
    }
  }
}

TEST(ACopyDesign, CopiesEveryWord) {
  const test::TemporaryDirectory directory;
  const std::string config = directory.write("copy.yaml", kCopy).string();
  const auto digests = [&](const char* rung) {
    const json result = run_json({config, "--set", "mode=data", "--rung", rung}, directory.path());
    std::vector<std::string> all;
    for (const json& row : result["convolutions"]) {
      EXPECT_EQ(row["data"]["largest_error"], 0);
      all.push_back(row["data"]["out_digest"]);
    }
    return all;
  };
  EXPECT_EQ(digests("systemc"), digests("exact"));
}

TEST(ACopyDesign, IsReportedByItsOwnNames) {
  const test::TemporaryDirectory directory;
  const std::string config = directory.write("copy.yaml", kCopy).string();
  const Outcome table = weft({"run", config, "--no-save"}, directory.path());
  EXPECT_NE(table.out.find("copy on u250, 16 words a cycle at 100 MHz, batch 2"), std::string::npos) << table.out;
  const Outcome csv = weft({"run", config, "--no-save", "--format", "csv"}, directory.path());
  const std::string head = csv.out.substr(0, csv.out.find('\n'));
  for (const char* column : {",reader_active,", ",writer_starved,", ",in_beats,", ",out_row_conflicts"}) {
    EXPECT_NE(head.find(column), std::string::npos) << column;
  }
  EXPECT_EQ(head.find("array_"), head.find("array_utilisation"));
  EXPECT_EQ(head.find("kern_"), std::string::npos);
  EXPECT_NE(weft({"show", config}, directory.path()).out.find("in 0, out 1"), std::string::npos);
}

TEST(ACopyDesign, IsSweptBesideTheOthersInOneFile) {
  const test::TemporaryDirectory directory;
  directory.write("copy.yaml", kCopy);
  const std::string sweep =
      directory.write("s.yaml", "name: s\nrun: copy.yaml\nspace: {kernel.depth: [1, 4], kernel.band: [4, 16]}\n")
          .string();
  const Outcome outcome = weft({"sweep", sweep, "--out", "s.db", "--workers", "2"}, directory.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Outcome points = weft({"show", "s.db", "--format", "json"}, directory.path());
  ASSERT_EQ(points.exit_code, 0) << points.err;
  for (const std::size_t point : {0U, 1U, 2U, 3U}) {
    const json run = run_json({directory.path() / "copy.yaml", "--set", point < 2 ? "kernel.depth=1" : "kernel.depth=4",
                               "--set", point % 2 == 0 ? "kernel.band=4" : "kernel.band=16"},
                              directory.path());
    EXPECT_NE(points.out.find("\"cycles\": " + run["totals"]["network"]["cycles"].dump()), std::string::npos) << point;
  }
  const Outcome convolutions = weft({"show", "s.db", "--convolutions", "--columns",
                                     "layer,depth,reader_active,inp_reader_active,z", "--format", "csv"},
                                    directory.path());
  EXPECT_EQ(convolutions.exit_code, 0) << convolutions.err;
}

TEST(ACopyDesign, IsExplainedByItsOwnChanges) {
  const test::TemporaryDirectory directory;
  const std::string config = directory.write("copy.yaml", kCopy).string();
  const Outcome outcome = weft({"explain", config, "--set", "batch=1", "--set", "kernel.band=4", "--rung", "exact",
                                "--out", "e", "--format", "json"},
                               directory.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json explained = json::parse(outcome.out);
  std::vector<std::string> changes;
  for (const json& change : explained["changes"]) changes.push_back(change["name"]);
  EXPECT_EQ(changes,
            (std::vector<std::string>{"more_words", "deeper_fifo", "faster_ddr", "ideal_memory", "faster_clock"}));
  EXPECT_EQ(explained["iteration"]["why_not"], "the run leaves convolutions out (kinds)");
  std::set<std::string> kept;
  for (const json& line : explained["kernels"]["lines"]) {
    if (line["ending"] == "kept") kept.insert(line["change"].get<std::string>());
    if (!line.contains("config")) continue;
    const json run = run_json({"e/" + line["config"].get<std::string>()}, directory.path());
    EXPECT_EQ(run["totals"]["network"]["cycles"], line["cycles"]) << line["config"];
  }
  EXPECT_EQ(kept.count("more_words"), 1U) << "four words a beat limit a copy";
  EXPECT_EQ(kept.count("faster_clock"), 1U);
  // Of a network with a graph, too: the copy is no kernel on a card.
  const Outcome whole = weft({"explain", config, "--set", "network=resnet20", "--set", "kinds=[F, GI, GW]", "--set",
                              "batch=1", "--rung", "analytical", "--no-save"},
                             directory.path());
  EXPECT_NE(whole.out.find("no ladder of it: design copy has no kernel on a card"), std::string::npos)
      << whole.out << whole.err;
}

TEST(ACopyDesign, RefusesWhatItDoesNotHave) {
  const test::TemporaryDirectory directory;
  const std::string config = directory.write("copy.yaml", kCopy).string();
  const auto error_of = [&](const std::vector<std::string>& arguments) {
    const Outcome outcome = weft(arguments, directory.path());
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  };
  const std::string study = directory.write("d.yaml", "name: d\nrun: copy.yaml\n").string();
  EXPECT_NE(error_of({"dse", study}).find("design copy"), std::string::npos);
  EXPECT_NE(error_of({"cosim", config}).find("design copy has no RTL to compare"), std::string::npos);
  const std::string kernel = directory.write("k.yaml", "name: k\ndesign: copy\nclock_mhz: 100\n").string();
  EXPECT_NE(error_of({"synth", kernel}).find("design copy has no RTL to synthesise"), std::string::npos);
  EXPECT_NE(error_of({"run", config, "--set", "kernel.design=copi"}).find("fpgpt, copy"), std::string::npos);
  // To weft as it is, there is no such design.
  const Outcome other = test::run_program(WEFT_BINARY, {"run", config}, directory.path());
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("copy.yaml:4: kernel.design: must be one of fpgpt, barista"), std::string::npos)
      << other.err;
}

// The files that each object of the build was compiled from, as the compiler told ninja.
std::map<std::string, std::set<std::string>> compiled_from() {
  const Outcome outcome = test::run_program("/usr/bin/ninja", {"-C", WEFT_BUILD_DIR, "-t", "deps"}, WEFT_BUILD_DIR);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::map<std::string, std::set<std::string>> objects;
  std::istringstream lines(outcome.out);
  const std::string root = std::string(WEFT_SOURCE_DIR) + "/";
  std::string object;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line[0] != ' ') {
      object = line.substr(0, line.find(':'));
      continue;
    }
    std::string path = line.substr(line.find_first_not_of(' '));
    std::error_code code;
    path = std::filesystem::weakly_canonical(std::filesystem::path(WEFT_BUILD_DIR) / path, code).string();
    if (path.rfind(root, 0) == 0) objects[object].insert(path.substr(root.size()));
  }
  return objects;
}

bool begins_with(const std::string& text, const std::string& with) {
  return text.rfind(with, 0) == 0;
}

TEST(TheHouse, NoGenericFileIncludesAHeaderOfADesign) {
  std::vector<std::string> designs;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(WEFT_SOURCE_DIR) + "/kernels")) {
    if (std::filesystem::exists(entry.path() / "CONTRACT.md")) designs.push_back(entry.path().filename().string());
  }
  EXPECT_GE(designs.size(), 2U);
  const auto of_a_design = [&](const std::string& path) {
    return std::any_of(designs.begin(), designs.end(), [&](const std::string& design) {
      return begins_with(path, "kernels/" + design + "/") || begins_with(path, "model/" + design + "/") ||
             begins_with(path, "platform/designs/" + design + "/");
    });
  };
  const std::set<std::string> tables{"platform/catalogue/designs.cpp", "platform/catalogue/rtl_designs.cpp"};
  int generic = 0, of_designs = 0;
  for (const auto& [object, files] : compiled_from()) {
    if (begins_with(object, "tests/")) continue;
    // build/release/FOLDER/CMakeFiles/TARGET.dir/FILE.o
    const std::size_t at = object.find("CMakeFiles/");
    if (at == std::string::npos) continue;
    const std::size_t file = object.find(".dir/", at);
    if (file == std::string::npos) continue;
    std::string source = object.substr(0, at) + object.substr(file + 5);
    source = source.substr(0, source.rfind(".o"));
    // torch/ is a host of FPGPT: it writes that kernel's registers.
    if (of_a_design(source) || begins_with(source, "torch/")) {
      ++of_designs;
      continue;
    }
    if (tables.count(source) != 0 || files.empty()) continue;
    ++generic;
    for (const std::string& path : files) EXPECT_FALSE(of_a_design(path)) << source << " includes " << path;
  }
  EXPECT_GT(generic, 60);
  EXPECT_GT(of_designs, 30);
}

}  // namespace
}  // namespace weft
