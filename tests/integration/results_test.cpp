#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "model/core/fnv1a.h"
#include "tests/support/runs.h"
#include "tests/support/weft_test.h"

// Saved results are shown again: weft show RESULT, weft show FOLDER, weft compare.
namespace weft {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Outcome;

class Results : public test::WeftTest {
 protected:
  void SetUp() override { dir_.write("r.yaml", test::two_layers("batch: 2\n")); }

  std::string saved(const std::string& name, const std::vector<std::string>& more = {}) const {
    return ok(test::joined({"run", "r.yaml", "--out", name}, more)).out;
  }
};

std::string without_last_line(const std::string& text) {
  return text.substr(0, text.rfind('\n', text.size() - 2) + 1);
}

// Results of every command that saves: equal bytes on terminals of both widths and in a pipe.
TEST_F(Results, OfEveryCommandAreShownAsItPrintedThem) {
  const std::vector<int> terminals = test::has_terminals() ? std::vector<int>{80, 120} : std::vector<int>();
  dir_.write("dse.yaml", R"(
run: googlenet-u250
set: {only: 'inception5b.branch1*,inception5b.branch4*'}
space: {max_x: 32, max_y: 32}
budget: {bram18: 640, uram: 0}
compare_reading: burst
penalties_percent: [0, 5]
rerank: {count: 2, batch: 1, only: 'inception5b.branch1.conv:F'}
)");
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands{
      {"convolutions.csv", {"run", "r.yaml", "--rung", "systemc"}},
      {"convolutions.csv", {"run", "r.yaml", "--rung", "systemc", "--set", "mode=data"}},
      {"steps.csv", {"timeline", "resnet20-u250", "--rung", "analytical"}},
      {"steps.csv", {"timeline", "table59-resnet20", "--rung", "analytical"}},
      {"steps.csv",
       {"timeline", "resnet20-u250", "--rung", "analytical", "--set", "batch=4", "--set",
        "schedule.transfers=keep_activations", "--set", "schedule.overlap=double_buffer", "--set",
        "schedule.order=fewest_loads", "--set", "schedule.load=region"}},
      {"convolutions.csv", {"dse", "dse.yaml"}},
      {"convolutions.csv", {"dse", "alexnet_cifar10", "--set", "dse.penalties_percent=[]"}},
      {"convolutions.csv", {"validate", "googlenet-small", "--only", "conv1*,inception3a.branch1*"}},
      {"convolutions.csv", {"validate", "r.yaml"}},
      {"convolutions.csv", {"validate", "r.yaml", "--model", "systemc"}},
      {"convolutions.csv", {"validate", "pcie"}},
      {"plan.csv", {"plan", "fpdeep-vgg19"}},
      {"plan.csv", {"plan", "nada-mobilenetv2", "--set", "nada.clock_mhz=40"}},
      {"plan.csv", {"plan", "nada-mobilenetv2", "--set", "network=resnet20", "--set", "boards=1"}},
      {"steps.csv", {"timeline", "nada-mobilenetv2", "--set", "network=resnet20", "--set", "boards=2"}},
      {"ladder.csv", {"explain", "r.yaml"}}};
  for (const auto& [csv, command] : commands) {
    const std::vector<std::string> save = test::joined(command, {"--out", "saved"}), show{"show", "./saved"};
    const Outcome printed = weft(save), shown = weft(show);
    EXPECT_EQ(shown.exit_code, 0) << command[1] << shown.err;
    EXPECT_EQ(shown.out, without_last_line(printed.out)) << command[0] << ' ' << command[1];
    const std::string json = text("saved/result.json"), rows = text(fs::path("saved") / csv);
    EXPECT_EQ(weft({"show", "./saved", "--format", "json"}).out, json);
    EXPECT_EQ(weft({"show", "./saved", "--format", "csv"}).out, rows);
    for (const int columns : terminals) {
      const auto on = [&](const std::vector<std::string>& words) {
        return test::run_on_terminal(columns, test::OnTerminal::Out, WEFT_BINARY, words, dir_.path()).out;
      };
      const std::string table = on(save);
      EXPECT_EQ(on(show), without_last_line(table)) << command[0] << ' ' << command[1] << " at " << columns;
      EXPECT_EQ(text("saved/result.json"), json) << "what is saved does not depend on the terminal";
      EXPECT_EQ(text(fs::path("saved") / csv), rows);
    }
  }
}

TEST_F(Results, OfOtherCommandsThatWeftDidNotWriteAreRefusedInOneLine) {
  ok({"timeline", "resnet20-u250", "--rung", "analytical", "--out", "timeline"});
  dir_.write("t.yaml", "run: resnet20-u250\nset: {rung: analytical}\npolicy: muppet\nmuppet: {levels: [fp32]}\n");
  ok({"train", "t.yaml", "--out", "train"});
  ok({"dse", "alexnet_cifar10", "--set", "dse.penalties_percent=[]", "--out", "dse"});
  ok({"validate", "r.yaml", "--out", "validate"});
  ok({"validate", "pcie", "--out", "link"});
  ok({"plan", "fpdeep-alexnet", "--out", "plan"});
  const auto refused = [&](const std::string& folder, const std::string& from, const std::string& to,
                           const std::string& what) {
    const std::string file = folder + "/result.json", whole = text(file);
    change(file, from, to);
    WeftTest::refused({"show", "./" + folder}, what);
    std::ofstream(dir_.path() / file) << whole;
  };
  refused("timeline", "\"schema\": 4", "\"schema\": 3", "make it again with the config.yaml next to it");
  refused("timeline", "\"where_ps\"", "\"there_ps\"", "where_ps: is missing");
  refused("timeline", "\"start_ps\": 0", "\"start_ps\": \"now\"", "start_ps: must be a whole number");
  refused("timeline", "\"order\": \"graph\"", "\"order\": 1", "schedule.order: must be a text, not 1");
  refused("timeline", "\"critical_path\": [\n    ", "\"critical_path\": [\n    99999", "must have places in steps");
  refused("train", "\"schema\": 3", "\"schema\": 2", "make it again with the config.yaml next to it");
  refused("train", "\"setup\": 0", "\"setup\": 9", "epochs: must have stretches, each with a place in setups");
  refused("train", "\"time\": \"iteration\"", "\"time\": \"days\"", "must be one of iteration, convolutions");
  refused("dse", "\"schema\": 4", "\"schema\": 3", "schema: must be 4");
  refused("dse", "\"kind\": \"F\"", "\"kind\": \"H\"", "convolutions[0].kind: must be one of F, GI, GW");
  refused("dse", "\"launches\": 1", "\"launches\": \"1\"", "convolutions[0].launches: must be a whole number");
  refused("dse", "\"optimal\": {\n        \"cycles\"", "\"other\": {\n        \"cycles\"",
          "convolutions[0].other: is unknown");
  refused("validate", "\"schema\": 3", "\"schema\": 2", "schema: must be 3");
  refused("validate", "\"limiter\"", "\"limited_by\"", "convolutions[0].model.limiter: is missing");
  refused("validate", "\"cycles\": ", "\"cycles\": 0.", "convolutions[0].model.cycles: must be a whole number");
  refused("validate", "\"kind\": \"F\"", "\"kind\": \"H\"", "convolutions[0].kind: must be one of F, GI, GW");
  refused("plan", "\"schema\": 2", "\"schema\": 1", "schema: must be 2");
  refused("plan", "\"kind\": \"plan array\",", "",
          "result.json: kind: is missing: another version of weft made this result; make it again");
  refused("plan", "\"plan array\"", "\"plot\"", "result.json: kind: is unknown: another version of weft");
  refused("plan", "\"fullest_board\": ", "\"fullest_board\": -", "memory.fullest_board: must be a whole number");
  refused("link", "\"bytes\": ", "\"bytes\": 0.", "rows[0].bytes: must be a whole number");
}

TEST_F(Results, ThatAreNotAsRunWroteThemAreRefusedInOneLine) {
  saved("a", {"--rung", "exact"});
  const std::string whole = text("a/result.json");
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& what) {
    change("a/result.json", from, to);
    for (const Words& words : {Words{"show", "./a"}, {"compare", "./a", "./a"}, {"report", "./a"}}) {
      WeftTest::refused(words, what);
    }
    std::ofstream(dir_.path() / "a/result.json") << whole;
  };
  refused("\"limiter\": \"", "\"limited_by\": \"", "convolutions[0].limiter: is missing");
  refused("\"skipped_cycles\": ", "\"skipped\": ", "convolutions[0].skipped: is unknown");
  refused("\"kind\": \"F\"", "\"kind\": \"H\"", "convolutions[0].kind: must be one of F, GI, GW");
  refused("\"layer\": \"b\"", "\"layer\": \"a\"", "appears twice");
  refused("\"macs\": ", "\"macs\": 0.", "totals.F.macs: must be a whole number");
  refused("\"inp_reader\": {", "\"input_reader\": {", "convolutions[0].blocks.input_reader: is unknown");
  refused("\"operators\": ", "\"operator\": ", "operators: is missing");
  refused("{", "[", "a/result.json: is not a result of weft");
  const std::string again = ": another version of weft made this result; make it again with the config.yaml next to it";
  for (const char* schema : {"4", "6", "\"5\"", "null"}) {
    refused("\"schema\": 5", std::string("\"schema\": ") + schema,
            std::string("schema: must be 5, not ") + schema + again);
  }
}

// Only the files that weft run wrote are read: the inputs of the run may have changed or been removed.
TEST_F(Results, AreShownAsTheyWereSavedWhateverBecameOfTheFilesTheyWereMadeFrom) {
  const fs::path networks = fs::path(WEFT_CONFIG_DIR) / "networks";
  const auto copy = [&](const char* name) {
    fs::copy_file(networks / name, dir_.path() / "net.onnx", fs::copy_options::overwrite_existing);
  };
  struct Made {
    const char* kernel;
    const char* board;
    const char* rung;
    const char* more;
  };
  const char* const part = "only: 'layer1.0.*'\n";
  for (const Made& made : {Made{"fpgpt-16x16-hls", "u250", "analytical", ""},
                           {"fpgpt-16x16-hls", "u250", "exact", part},
                           {"barista-16x16x64", "vu9p_f1", "exact", part},
                           {"batchlane-32x32", "kcu1500", "exact", part}}) {
    const std::string board = fmt::format("extends: {}\n", made.board);
    const std::string kernel = fmt::format("extends: {}\n", made.kernel);
    dir_.write("board.yaml", board);
    dir_.write("kernel.yaml", kernel);
    copy("resnet20.onnx");
    dir_.write("n.yaml", fmt::format("board: board.yaml\nkernel: kernel.yaml\nnetwork: net.onnx\nbatch: 1\n"
                                     "rung: {}\n{}",
                                     made.rung, made.more));
    const std::string out = fmt::format("{}_{}", made.kernel, made.rung), other = out + "_rtl";
    const Outcome run = weft({"run", "n.yaml", "--out", out});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    ASSERT_EQ(weft({"run", "n.yaml", "--out", other, "--set", "kernel.clock_mhz=150"}).exit_code, 0);
    EXPECT_EQ(weft({"show", "./" + out}).out, without_last_line(run.out));
    EXPECT_EQ(weft({"show", "./" + out, "--format", "json"}).out, text(out + "/result.json"));
    EXPECT_EQ(weft({"show", "./" + out, "--format", "csv"}).out, text(out + "/convolutions.csv"));
    const auto shown = [&] {
      std::string all;
      for (const std::vector<std::string>& words : {std::vector<std::string>{"show", "./" + out},
                                                    {"show", "./" + out, "--columns", "layer,kind,cycles,limiter"},
                                                    {"compare", out, other},
                                                    {"compare", out, other, "--format", "json"},
                                                    {"report", out, "--out", "page.html"},
                                                    {"report", out, other, "--out", "pages.html"}}) {
        const Outcome outcome = weft(words);
        EXPECT_EQ(outcome.exit_code, 0) << words[0] << outcome.err;
        all += outcome.out;
      }
      return all + text("page.html") + text("pages.html");
    };
    const std::string at_once = shown();
    dir_.write("kernel.yaml", kernel + "clock_mhz: 175\n");
    dir_.write("board.yaml", board + "dsp: {total: 100}\n");
    copy("vgg11_cifar10.onnx");
    EXPECT_EQ(shown(), at_once) << out << " with other files";
    for (const char* name : {"kernel.yaml", "board.yaml", "net.onnx", "n.yaml"}) fs::remove(dir_.path() / name);
    EXPECT_EQ(shown(), at_once) << out << " without the files";
    const std::string table = weft({"show", "./" + out}).out;
    dir_.write(out + "/config.yaml", "batch: no\n");
    EXPECT_EQ(weft({"show", "./" + out}).out, table) << "its configuration is not asked";
  }
}

// Results of an analytical run of a network in a file.
class ResultsOfAFile : public Results {
 protected:
  void SetUp() override {
    network("resnet20");
    dir_.write("n.yaml", "board: u250\nkernel: fpgpt-8x8-hls\nnetwork: net.onnx\nbatch: 1\nrung: analytical\n");
  }
  void network(const std::string& name) const {
    fs::copy_file(fs::path(WEFT_CONFIG_DIR) / "networks" / (name + ".onnx"), dir_.path() / "net.onnx",
                  fs::copy_options::overwrite_existing);
  }
  std::string digest_of(const fs::path& file) const {
    Fnv1a64 digest;
    digest.add_bytes(text(file));
    return fmt::format("{:016x}", digest.value());
  }
};

TEST_F(ResultsOfAFile, NameTheFilesThatTheyWereMadeFrom) {
  const std::string configs = WEFT_CONFIG_DIR;
  ok({"run", "n.yaml", "--out", "r"});
  std::vector<std::string> paths;
  const json made = result("r");
  for (const json& input : made["inputs"]) {
    const std::string path = paths.emplace_back(input["path"]);
    const bool shipped = path.rfind("configs/", 0) == 0;
    EXPECT_EQ(input["digest"], digest_of(shipped ? configs + path.substr(7) : path)) << path;
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"n.yaml", "configs/boards/u250.yaml", "configs/kernels/fpgpt-8x8-hls.yaml",
                                             "configs/kernels/fpgpt-16x16-hls.yaml",
                                             "configs/hosts/xeon-bronze-3104.yaml", "net.onnx"}));
  for (const char* command : {"timeline", "explain", "validate"}) {
    weft({command, "n.yaml", "--out", command});  // the validation may exceed its limits
    EXPECT_TRUE(test::has(result(command)["inputs"].dump(), digest_of("net.onnx"))) << command;
  }
}

TEST_F(ResultsOfAFile, WarnOnceOfANetworkThatHasChanged) {
  ok({"run", "n.yaml", "--out", "r"});
  const std::string before = digest_of("net.onnx"), rows = text("r/convolutions.csv");
  EXPECT_TRUE(test::has(text("r/config.yaml"), "network: \"../net.onnx\"\n"));
  fs::create_directory(dir_.path() / "moved");
  for (const char* name : {"r", "net.onnx"}) fs::rename(dir_.path() / name, dir_.path() / "moved" / name);
  EXPECT_EQ(ok({"run", "moved/r/config.yaml", "--out", "again"}).err, "");
  EXPECT_EQ(text("again/convolutions.csv"), rows);
  network("alexnet_cifar10");
  fs::rename(dir_.path() / "net.onnx", dir_.path() / "moved/net.onnx");
  dir_.write("s.yaml", "run: moved/r/config.yaml\nspace: {batch: [1, 2]}\n");
  for (const Words& command : {Words{"run", "moved/r/config.yaml", "--no-save"},
                               {"timeline", "moved/r/config.yaml", "--no-save"},
                               {"validate", "moved/r", "--no-save", "--set", "only=features.0:F"},
                               {"sweep", "s.yaml", "--out", "s.db"}}) {
    const std::string err = weft(command).err;
    EXPECT_TRUE(
        test::has(err, fmt::format("weft: warning: {}moved/r/config.yaml: '",
                                   command[0] == "validate" ? (fs::canonical(dir_.path()) / "").string() : "")));
    EXPECT_TRUE(test::has(err, fmt::format("net.onnx' has changed: its digest is {}, in the saved result {};",
                                           digest_of("moved/net.onnx"), before)));
    EXPECT_EQ(err.find("warning"), err.rfind("warning")) << err;
  }
}

TEST_F(ResultsOfAFile, RunAgainElsewhereFromTheInputsThatTheyKeep) {
  for (const char* network : {"net.onnx", "resnet20"}) {
    const Words keep{
        "run", "n.yaml", "--out", "k", "--set", "results.keep_inputs=true", "--set", std::string("network=") + network};
    ok(keep);
    ok(keep);  // replaces it, including copies
    EXPECT_EQ(text("k/inputs/n.yaml"), text("n.yaml"));
    const std::string rows = text("k/convolutions.csv");
    const fs::path copy =
        fs::path(network).has_extension() ? "inputs/net.onnx" : "inputs/configs/networks/resnet20.onnx";
    EXPECT_TRUE(test::has(text("k/config.yaml"), fmt::format("network: {}\n", copy.string())));
    fs::create_directory(dir_.path() / "elsewhere");
    fs::rename(dir_.path() / "k", dir_.path() / "elsewhere/k");
    fs::rename(dir_.path() / "net.onnx", dir_.path() / "gone.onnx");
    const Outcome again = ok({"run", "elsewhere/k/config.yaml", "--out", "again"});
    EXPECT_EQ(again.err, "");
    EXPECT_EQ(text("again/convolutions.csv"), rows);
    EXPECT_TRUE(test::has(result("again")["inputs"].dump(), ("elsewhere/k" / copy).string()));
    fs::rename(dir_.path() / "gone.onnx", dir_.path() / "net.onnx");
    for (const char* folder : {"elsewhere", "again"}) fs::remove_all(dir_.path() / folder);
  }
}

TEST_F(Results, AreComparedKeyByKeyAndRowByRow) {
  saved("a", {"--rung", "analytical"});
  saved("b", {"--rung", "analytical", "--set", "kernel.array.x=4"});
  const json compared = json_of({"compare", "a", "b"});
  ASSERT_EQ(compared["keys"].size(), 1U) << compared["keys"].dump(1);
  EXPECT_EQ(compared["keys"][0], (json{{"key", "kernel.array.x"}, {"a", "7"}, {"b", "4"}}));

  const json before = result("a"), after = result("b");
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
  const json compared = json_of({"compare", "a", "b"});
  const json before = result("a"), after = result("b");
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
  EXPECT_EQ(useful(before), useful(after));  // equal work
  const std::size_t line = table.find("\nuseful ");
  ASSERT_NE(line, std::string::npos) << table;
  EXPECT_EQ(table.substr(table.find('\n', line + 1) - 3, 3), "  0");
  EXPECT_TRUE(test::has(csv, "limiter_b,pe_useful_a,pe_useful_b,"));
}

// The batches differ, so that times per iteration and per image differ.
TEST_F(Results, OfTwoTimelinesAreComparedPartByPart) {
  const auto timeline = [&](const std::string& config, const std::string& name, const std::string& batch) {
    return json_of({"timeline", config, "--rung", "analytical", "--set", "batch=" + batch, "--out", name});
  };
  const json a = timeline("resnet20-u250", "a", "2"), b = timeline("resnet20-barista", "b", "1");
  const json compared = json_of({"compare", "a", "b"});
  std::int64_t sum_a = 0, sum_b = 0;
  std::vector<std::string> parts;
  for (const json& each : compared["where"]) {
    const std::string part = each["part"];
    parts.push_back(part);
    if (part == "iteration") continue;
    EXPECT_EQ(each["a_ps"], a["where_ps"].value(part, std::int64_t{0})) << part;
    EXPECT_EQ(each["b_ps"], b["where_ps"].value(part, std::int64_t{0})) << part;
    sum_a += each["a_ps"].get<std::int64_t>();
    sum_b += each["b_ps"].get<std::int64_t>();
    if (each["a_ps"] == 0) {
      EXPECT_TRUE(each["change"].is_null()) << part;
    } else {
      EXPECT_DOUBLE_EQ(each["change"].get<double>(), each["b_ps"].get<double>() / (each["a_ps"].get<double>() / 2) - 1);
    }
  }
  EXPECT_EQ(parts, (std::vector<std::string>{"kernels", "precompute", "reconfiguration", "H2C", "C2H", "calls",
                                             "host layers", "im2col", "tiling", "untiling", "iteration"}));
  EXPECT_EQ(sum_a, a["iteration_ps"]);
  EXPECT_EQ(sum_b, b["iteration_ps"]);
  EXPECT_EQ(compared["where"].back()["a_ps"], a["iteration_ps"]);
  EXPECT_EQ(compared["iteration"]["b"]["calls"], b["calls"]);
  EXPECT_EQ(compared["iteration"]["a"]["loads"], a["loads"]["count"]);

  const Outcome table = weft({"compare", "a", "b"});
  EXPECT_TRUE(test::has(table.out, "batch 2 and 1: changes compare the time per image"));
  ok({"compare", "a", "a", "--fail-above", "0"});
  const Outcome moved = weft({"compare", "a", "b", "--fail-above", "1%"});
  EXPECT_EQ(moved.exit_code, 1);
  EXPECT_TRUE(test::has(moved.err, "the iteration moved by"));

  const std::string shown = weft({"show", "./a"}).out;
  EXPECT_TRUE(test::has(shown, "where it goes"));
  dir_.write("a/config.yaml", "none: 1\n");  // a saved result is complete
  EXPECT_EQ(weft({"show", "./a"}).out, shown);
  ok({"report", "a", "--out", "page.html"});
}

TEST_F(Results, OfTimelinesThatAreNotAsTheyWereWrittenAreRefused) {
  for (const char* name : {"a", "b"}) {
    ok({"timeline", "resnet20-u250", "--rung", "analytical", "--set", "batch=1", "--out", name});
  }
  saved("run", {"--rung", "analytical"});
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
    WeftTest::refused(test::joined({"compare"}, words), why);
  };
  refused({"a", "run"}, "'a' is a result of weft timeline, not of weft run");
  refused({"a", "b", "--set", "batch=2"}, "--set and --only are for runs that are simulated");
  change("b/result.json", "\"H2C\"", "\"H2D\"");
  refused({"a", "b"}, "result.json: where_ps");
  change("b/result.json", "\"schema\": 4", "\"schema\": 3");
  refused({"a", "b"}, "schema: must be 4, not 3");
}

TEST_F(Results, ComparedWithThemselvesMoveNotAtAll) {
  saved("a", {"--rung", "exact"});
  ok({"compare", "a", "a", "--fail-above", "0"});
  EXPECT_EQ(weft({"compare", "a", "r.yaml", "--fail-above", "0%"}).exit_code, 0) << "simulated again";
  const Outcome same = weft({"compare", "a", "a"});
  EXPECT_TRUE(test::has(same.out, "keys         none differs"));
  EXPECT_TRUE(test::has(same.out, "0 of 5 convolutions moved"));  // no GI of the first layer
}

TEST_F(Results, ThatMovedByMoreThanIsAllowedFail) {
  saved("a", {"--rung", "analytical"});
  saved("b", {"--rung", "analytical", "--set", "kernel.array.x=4"});
  const json compared = json_of({"compare", "a", "b"});
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
  refused({"compare", "a", "b", "--fail-above", "-1"});
  refused({"compare", "a", "b", "--fail-above", "much"});
}

TEST_F(Results, WithoutAPartnerAreNamedAndFail) {
  saved("a", {"--rung", "analytical"});
  saved("b", {"--rung", "analytical", "--only", "b"});
  const Outcome outcome = weft({"compare", "a", "b", "--fail-above", "1000000"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(test::has(outcome.out, "only in A    2 convolutions: a:F, a:GW"));
}

TEST_F(Results, AreComparedWithRunsThatAreSimulatedForIt) {
  saved("a", {"--rung", "exact"});
  const Outcome outcome = ok({"compare", "r.yaml", "r.yaml", "--set", "rung=analytical", "--format", "csv"});
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 6);
  refused({"compare", "a", "r.yaml", "--set", "rung=exact"}, "'a' is a result");
}

}  // namespace
}  // namespace weft
