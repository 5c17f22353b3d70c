#include <map>
#include <set>

#include "tests/support/weft_test.h"

// A design consists of its folders and one line in the table of designs.
namespace weft {
namespace {

using nlohmann::json;
using test::Outcome;

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

// weft with a second design in its table: tests/support/copy_design.
class ACopyDesign : public test::WeftTest {
 protected:
  ACopyDesign() : WeftTest(WEFT_WITH_COPY) {}
  json run_json(const Words& arguments) const {
    return json_of(test::joined({"run"}, test::joined(arguments, {"--no-save"})));
  }
  const std::string config_ = dir_.write("copy.yaml", kCopy).string();
};

// 3 x 19 x 17 x 2 = 1938 words are 122 beats. With a memory that answers L cycles after the request in cycle 0, beat k
// is visible in 1 + L + k; the reader passes it on in that cycle, the writer sends it in the next, and the response to
// the last, beat 121, is visible 1 + L after it: the copy ends after 1 + L + 121 + 1 + 1 + L + 1 cycles.
TEST_F(ACopyDesign, TakesTheCyclesThatItsBlocksMustTake) {
  for (const int latency : {1, 7, 40}) {
    const json result = run_json(
        {config_, "--only", "a", "--set", "memory={kind: ideal, latency_cycles: " + std::to_string(latency) + "}"});
    EXPECT_EQ(result["convolutions"][0]["cycles"], 125 + 2 * latency) << latency;
  }
}

TEST_F(ACopyDesign, TakesTheSameOnEveryRungThatSimulatesIt) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{}, {"--set", "kernel.depth=1"}, {"--set", "kernel.band=4"}}) {
    expect_same(run_json(test::joined({config_}, settings))["convolutions"],
                run_json(test::joined({config_, "--rung", "exact"}, settings))["convolutions"],
                {"cycles", "limiter", "blocks", "memory"});
  }
}

TEST_F(ACopyDesign, CopiesEveryWord) {
  const auto digests = [&](const char* rung) {
    const json result = run_json({config_, "--set", "mode=data", "--rung", rung});
    std::vector<std::string> all;
    for (const json& row : result["convolutions"]) {
      EXPECT_EQ(row["data"]["largest_error"], 0);
      all.push_back(row["data"]["out_digest"]);
    }
    return all;
  };
  EXPECT_EQ(digests("systemc"), digests("exact"));
}

TEST_F(ACopyDesign, IsReportedByItsOwnNames) {
  EXPECT_TRUE(test::has(weft({"run", config_, "--no-save"}).out, "copy on u250, 16 words a cycle at 100 MHz, batch 2"));
  const Outcome csv = weft({"run", config_, "--no-save", "--format", "csv"});
  const std::string head = csv.out.substr(0, csv.out.find('\n'));
  for (const char* column : {",reader_active,", ",writer_starved,", ",in_beats,", ",out_row_conflicts"}) {
    EXPECT_TRUE(test::has(head, column));
  }
  EXPECT_EQ(head.find("array_"), head.find("array_utilisation"));
  EXPECT_FALSE(test::has(head, "kern_"));
  EXPECT_TRUE(test::has(weft({"show", config_}).out, "in 0, out 1"));
}

TEST_F(ACopyDesign, IsSweptBesideTheOthersInOneFile) {
  const std::string sweep =
      dir_.write("s.yaml", "name: s\nrun: copy.yaml\nspace: {kernel.depth: [1, 4], kernel.band: [4, 16]}\n").string();
  const Outcome outcome = ok({"sweep", sweep, "--out", "s.db", "--workers", "2"});
  const Outcome points = ok({"show", "s.db", "--format", "json"});
  for (const std::size_t point : {0U, 1U, 2U, 3U}) {
    const json run = run_json({dir_.path() / "copy.yaml", "--set", point < 2 ? "kernel.depth=1" : "kernel.depth=4",
                               "--set", point % 2 == 0 ? "kernel.band=4" : "kernel.band=16"});
    EXPECT_TRUE(test::has(points.out, "\"cycles\": " + run["totals"]["network"]["cycles"].dump())) << point;
  }
  ok({"show", "s.db", "--convolutions", "--columns", "layer,depth,reader_active,inp_reader_active,z", "--format",
      "csv"});
}

TEST_F(ACopyDesign, IsExplainedByItsOwnChanges) {
  const json explained =
      json_of({"explain", config_, "--set", "batch=1", "--set", "kernel.band=4", "--rung", "exact", "--out", "e"});
  std::vector<std::string> changes;
  for (const json& change : explained["changes"]) changes.push_back(change["name"]);
  EXPECT_EQ(changes,
            (std::vector<std::string>{"more_words", "deeper_fifo", "faster_ddr", "ideal_memory", "faster_clock"}));
  EXPECT_EQ(explained["iteration"]["why_not"], "the run leaves convolutions out (kinds)");
  std::set<std::string> kept;
  for (const json& line : explained["kernels"]["lines"]) {
    if (line["ending"] == "kept") kept.insert(line["change"].get<std::string>());
    if (!line.contains("config")) continue;
    const json run = run_json({"e/" + line["config"].get<std::string>()});
    EXPECT_EQ(run["totals"]["network"]["cycles"], line["cycles"]) << line["config"];
  }
  EXPECT_EQ(kept.count("more_words"), 1U) << "four words a beat limit a copy";
  EXPECT_EQ(kept.count("faster_clock"), 1U);
  // Also for a network with a graph: the copy is no kernel on a card.
  const Outcome whole = weft({"explain", config_, "--set", "network=resnet20", "--set", "kinds=[F, GI, GW]", "--set",
                              "batch=1", "--rung", "analytical", "--no-save"});
  EXPECT_TRUE(test::has(whole.out, "no ladder: design copy has no kernel on a card")) << whole.err;
}

TEST_F(ACopyDesign, RefusesWhatItDoesNotHave) {
  const std::string study = dir_.write("d.yaml", "name: d\nrun: copy.yaml\n").string();
  refused({"dse", study}, "design copy");
  refused({"cosim", config_}, "design copy has no RTL to compare");
  const std::string kernel = dir_.write("k.yaml", "name: k\ndesign: copy\nclock_mhz: 100\n").string();
  refused({"synth", kernel}, "design copy has no RTL to synthesise");
  refused({"run", config_, "--set", "kernel.design=copi"}, "fpgpt, copy");
  // The ordinary weft does not have this design.
  const Outcome unknown = test::run_program(WEFT_BINARY, {"run", config_}, dir_.path());
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(test::has(unknown.err, "copy.yaml:4: kernel.design: must be one of fpgpt, barista"));
}

// Returns the files that each object of the build was compiled from, as ninja recorded them.
std::map<std::string, std::set<std::string>> compiled_from() {
  const Outcome outcome = test::run_program("/usr/bin/ninja", {"-C", WEFT_BUILD_DIR, "-t", "deps"}, WEFT_BUILD_DIR);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::map<std::string, std::set<std::string>> objects;
  const std::string root = std::string(WEFT_SOURCE_DIR) + "/";
  std::string object;
  for (const std::string& line : test::split(outcome.out)) {
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
  EXPECT_GT(of_designs, 20);
}

}  // namespace
}  // namespace weft
