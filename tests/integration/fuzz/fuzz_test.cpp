#include <fmt/core.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <random>
#include <thread>

#include "model/core/text.h"
#include "tests/support/run_binary.h"

// For any content of a file or option weft ends: with 0, or with 2 or 3 and one line with the reason. Files of every
// kind that weft reads are damaged at random; each case depends only on the seed and its number.
//
//   build/release/tests/integration/fuzz/fuzz_test --count 6000 --seed 7 [--kind onnx] [--case 1234]
namespace weft {
namespace {

namespace fs = std::filesystem;
using Random = std::mt19937_64;

int count = 330;
std::uint64_t seed = 1;
std::string only_kind;
int only_case = -1;

std::size_t below(Random& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

template <class T>
const T& one_of(Random& random, const std::vector<T>& all) {
  return all[below(random, all.size())];
}

// Fragments that break readers: invalid text, terminal escapes, extreme numbers, and YAML's own words.
const std::vector<std::string>& fragments() {
  using namespace std::string_literals;
  static const std::vector<std::string> all{"\xff"s,
                                            "\xc3"s,
                                            "\xed\xa0\x80"s,
                                            "\x1b[2J"s,
                                            "\\x1b[31m"s,
                                            "\x7f"s,
                                            "\xc2\x9b"s,
                                            "\0"s,
                                            "\r"s,
                                            "\n"s,
                                            "\t"s,
                                            "0"s,
                                            "-1"s,
                                            "1e400"s,
                                            "nan"s,
                                            "1/0"s,
                                            "4294967296"s,
                                            "9223372036854775808"s,
                                            "-0"s,
                                            "0x10"s,
                                            ": "s,
                                            "- "s,
                                            "{"s,
                                            "}"s,
                                            "["s,
                                            "]"s,
                                            "&a "s,
                                            "*a"s,
                                            "!!int "s,
                                            "\""s,
                                            "'"s,
                                            "#"s,
                                            "|\n"s,
                                            "null"s,
                                            "true"s,
                                            "auto"s,
                                            "=x"s,
                                            "..",
                                            "extends: small\n"s,
                                            "name: \"\\e[1m\"\n"s,
                                            "\xe2\x80\xae"s};
  return all;
}

// Damages `text` in one place.
void damage(std::string& text, Random& random) {
  const std::size_t at = text.empty() ? 0 : below(random, text.size());
  const std::size_t length = std::min(text.size() - at, 1 + below(random, 24));
  switch (below(random, 9)) {
    case 0:
      if (!text.empty()) text[at] = static_cast<char>(below(random, 256));
      break;
    case 1:
      if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
      break;
    case 2:
      text.erase(at, length);
      break;
    case 3:
      text.insert(at, text.substr(at, length));
      break;
    case 4:
      text.resize(at);
      break;
    case 5: {  // replaces a number
      const std::size_t digit = text.find_first_of("0123456789", at);
      if (digit == std::string::npos) break;
      const std::size_t end = std::min(text.find_first_not_of("0123456789", digit), text.size());
      text.replace(digit, end - digit, one_of(random, fragments()));
      break;
    }
    case 6: {  // swaps two lines
      const std::size_t first = text.find('\n', at);
      if (first == std::string::npos) break;
      const std::size_t second = text.find('\n', first + 1);
      if (second == std::string::npos) break;
      const std::string line = text.substr(first + 1, second - first);
      text.erase(first + 1, second - first);
      const std::size_t to = text.find('\n', below(random, text.size() + 1));
      text.insert(to == std::string::npos ? 0 : to + 1, line);
      break;
    }
    default:
      text.insert(at, one_of(random, fragments()));
      break;
  }
}

std::string damaged(std::string text, Random& random) {
  for (std::size_t i = 0, times = 1 + below(random, 3); i < times; ++i) damage(text, random);
  return text;
}

std::string config(const std::string& path) {
  return test::read_text_file(fs::path(WEFT_CONFIG_DIR) / path);
}

// One kind of input: the originals, the name of the damaged file, and the commands that read it.
struct Kind {
  std::string name;
  std::string file;  // "" for an option
  std::vector<std::string> originals;
  std::vector<std::vector<std::string>> commands;
  bool compares = false;                           // exit code 1 is allowed, too
  std::map<std::string, std::string> beside = {};  // name -> content of other files
};

// Returns a file that a command of weft writes.
std::string written(const std::string& name, const std::string& input, const std::vector<std::string>& command,
                    const std::string& output) {
  const test::TemporaryDirectory directory;
  directory.write(name, input);
  const test::Outcome outcome = test::run_program(WEFT_BINARY, command, directory.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return test::read_text_file(directory.path() / output);
}

// Returns a sweep's database with two points.
std::string database() {
  return written("s.yaml",
                 "run: conv-small\nset: {rung: analytical, batch: 1}\nspace: {kernel.array.x: [2, 4]}\n"
                 "objectives: [{minimize: seconds}]\n",
                 {"sweep", "s.yaml", "--out", "s.db"}, "s.db");
}

// A small validation that writes its baseline.
const char* const kValidation =
    "name: v\nrun: conv-small\nset: {batch: 1}\nkernels: [fpgpt-4x8-hls]\n"
    "rungs: {model: analytical, against: exact}\nbaseline: b.json\n";
std::string baseline() {
  return written("v.yaml", kValidation,
                 {"validate", "v.yaml", "--no-save", "--baseline", "none", "--save-baseline", "b.json"}, "b.json");
}

// Returns the files of a small run saved in the folder r, without one of them.
std::map<std::string, std::string> saved_run_without(const std::string& name) {
  static const std::map<std::string, std::string> files = [] {
    const test::TemporaryDirectory directory;
    const test::Outcome outcome = test::run_program(
        WEFT_BINARY, {"run", "conv-small", "--set", "batch=1", "--rung", "analytical", "--out", "r"}, directory.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(directory.path() / "r")) {
      all["r/" + entry.path().filename().string()] = test::read_text_file(entry.path());
    }
    return all;
  }();
  std::map<std::string, std::string> others = files;
  others.erase("r/" + name);
  return others;
}
std::string saved_run(const std::string& name) {
  return saved_run_without("").at("r/" + name);
}

std::string trace() {
  std::string text;
  for (int i = 0; i < 40; ++i) text += fmt::format("{} {:#x}\n", i % 3 == 0 ? 'W' : 'R', 4096 * (i % 7) + 64 * i);
  return text;
}

std::vector<Kind> kinds() {
  const std::vector<std::vector<std::string>> of_result{
      {"show", "r"}, {"show", "r", "--format", "csv"}, {"compare", "r", "r"}, {"report", "r", "--out", "p.html"}};
  const std::string inline_run =
      "name: r\nboard: u250\nkernel: {extends: fpgpt-4x8-hls, z: shared}\nbatch: 2\nrung: exact\n"
      "network:\n  name: n\n  layers:\n    - {name: a, channels: 3, h: 19, w: 17, filters: 8, kernel: 5, stride: 2, "
      "pad: 2}\n"
      "    - {name: \"b c\", channels: 8, h: 10, w: 9, filters: 12, kernel: [3, 1], groups: 2}\n"
      "readings: {burst: auto}\nmemory: {kind: ideal, latency_cycles: 7}\n";
  return {
      {"run",
       "in.yaml",
       {inline_run, config("runs/googlenet-u250.yaml"), config("runs/conv-small.yaml")},
       {{"show", "in.yaml"}, {"show", "in.yaml", "--yaml"}, {"run", "in.yaml", "--rung", "analytical", "--no-save"}}},
      {"board",
       "in.yaml",
       {config("boards/u250.yaml"), config("boards/u50.yaml")},
       {{"show", "in.yaml"}, {"run", "conv-small", "--set", "board=in.yaml", "--rung", "analytical", "--no-save"}}},
      {"host",
       "in.yaml",
       {config("hosts/xeon-bronze-3104.yaml")},
       {{"show", "in.yaml"}, {"show", "conv-small", "--set", "host=in.yaml", "--yaml"}}},
      {"kernel",
       "in.yaml",
       {config("kernels/fpgpt-16x16-hls.yaml")},
       {{"show", "in.yaml"}, {"run", "conv-small", "--set", "kernel=in.yaml", "--rung", "analytical", "--no-save"}}},
      {"sweep", "in.yaml", {config("sweeps/small.yaml")}, {{"show", "in.yaml"}}},
      {"dse", "in.yaml", {config("dse/u250-slr.yaml"), config("dse/googlenet.yaml")}, {{"show", "in.yaml"}}},
      {"validate", "in.yaml", {config("validate/googlenet-small.yaml"), kValidation}, {{"show", "in.yaml"}}},
      {"onnx",
       "in.onnx",
       {config("networks/resnet20.onnx"), config("networks/squeezenet1_1.onnx"),
        config("networks/alexnet_cifar10.onnx")},
       {{"show", "in.onnx"},
        {"show", "in.onnx", "--training", "--format", "json"},
        {"run", "conv-small", "--set", "network=in.onnx", "--set", "batch=1", "--rung", "analytical", "--no-save",
         "--format", "json"}}},
      {"training",
       "in.training.yaml",
       {config("networks/resnet20.training.yaml"),
        "source: s\nbatch_norm:\n  - {after: [conv1, layer1.0.conv1], epsilon: 0.1, source: t}\ndropout:\n  - {before: "
        "fc, "
        "ratio: 0.5, source: t}\nwithout_bias: [layer3.2.conv2, fc]\nassumed: [\"all\"]\n"},
       {{"show", "in.onnx", "--training"}, {"show", "in.onnx", "--training", "--batch", "3", "--format", "csv"}},
       false,
       {{"in.onnx", config("networks/resnet20.onnx")}}},
      {"trace", "in.trc", {trace()}, {{"dram", "in.trc", "--map", "INTLV"}, {"dram", "in.trc"}}},
      {"baseline", "b.json", {baseline()}, {{"validate", "v.yaml", "--no-save"}}, true, {{"v.yaml", kValidation}}},
      {"result", "r/result.json", {saved_run("result.json")}, of_result, false, saved_run_without("result.json")},
      {"database",
       "in.db",
       {database()},
       {{"show", "in.db"},
        {"show", "in.db", "--format", "json"},
        {"show", "in.db", "--convolutions", "--format", "csv"},
        {"show", "in.db", "--pareto"}}},
      {"set",
       "",
       {"kernel.array.x=32", "memory={kind: ideal, latency_cycles: 40}", "readings.burst=printed",
        "kernel.clock_mhz=1000/3", "name=a", "only=conv*",
        "network={layers: [{name: a, channels: 3, h: 9, w: 9, filters: 8, kernel: 3}]}",
        "kernel.profile.exact_bursts=true"},
       {{"show", "conv-small", "--set"}, {"run", "conv-small", "--rung", "analytical", "--no-save", "--set"}}}};
}

// Runs weft; -1 for a hang.
test::Outcome run_weft(const std::vector<std::string>& arguments, const fs::path& directory) {
  constexpr auto kPatience = std::chrono::seconds(60);
  const test::TemporaryDirectory streams;
  const fs::path out = streams.path() / "out", err = streams.path() / "err";
  const int child = test::spawn({WEFT_BINARY, arguments, directory, {}}, out, err);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  test::Outcome outcome;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return outcome;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  outcome.exit_code = test::exit_code(status);
  outcome.out = test::read_text_file(out);
  outcome.err = test::read_text_file(err);
  return outcome;
}

// Returns the error in a command's outcome, or "" if there is none.
std::string complaint(const test::Outcome& outcome, bool compares) {
  if (outcome.exit_code == -1) return "hangs";
  const bool known = outcome.exit_code == 0 || outcome.exit_code == 2 || outcome.exit_code == 3 ||
                     (compares && outcome.exit_code == 1);
  if (!known) return "ends with " + std::to_string(outcome.exit_code);
  if (outcome.err.find("internal error") != std::string::npos) return "has an internal error";
  const bool refused = outcome.exit_code == 2 || outcome.exit_code == 3;
  if (refused && std::count(outcome.err.begin(), outcome.err.end(), '\n') != 1) return "does not say why in one line";
  if (refused && outcome.err.rfind("weft: ", 0) != 0) return "does not say why";
  for (const std::string* text : {&outcome.out, &outcome.err}) {
    if (printable(*text, "\n\t") != *text) return "prints what is no text";
  }
  return "";
}

TEST(DamagedInput, EndsWithAnAnswerOrOneLineThatSaysWhy) {
  const std::vector<Kind> all = kinds();
  std::vector<int> refused(all.size()), tried(all.size());
  for (int i = 0; i < count; ++i) {
    const std::size_t k = static_cast<std::size_t>(i) % all.size();
    const Kind& kind = all[k];
    if ((only_case >= 0 && i != only_case) || (!only_kind.empty() && kind.name != only_kind)) continue;
    std::seed_seq seeds{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                        static_cast<std::uint32_t>(i)};
    Random random(seeds);
    std::string input = damaged(one_of(random, kind.originals), random);
    std::vector<std::string> arguments = one_of(random, kind.commands);
    const test::TemporaryDirectory directory;
    if (kind.file.empty()) {
      input.erase(std::remove(input.begin(), input.end(), '\0'), input.end());  // an argument cannot contain it
      arguments.push_back(input);
    } else {
      directory.write(kind.file, input);
      for (const auto& [name, content] : kind.beside) directory.write(name, content);
    }
    const test::Outcome outcome = run_weft(arguments, directory.path());
    ++tried[k];
    if (outcome.exit_code != 0) ++refused[k];
    const std::string wrong = complaint(outcome, kind.compares);
    if (wrong.empty()) continue;
    ADD_FAILURE() << kind.name << ": weft " << arguments[0] << " " << wrong << " (--seed " << seed << " --case " << i
                  << " --count " << i + 1 << ")\n"
                  << printable(outcome.err.substr(0, 500), "\n");
    if (only_case >= 0 && !kind.file.empty()) {
      fs::copy_file(directory.path() / kind.file, kind.file, fs::copy_options::overwrite_existing);
      std::cout << "the input is kept in " << kind.file << "\n";
    }
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (tried[k] > 0) std::cout << all[k].name << ": " << tried[k] << " cases, " << refused[k] << " refused\n";
  }
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--count") weft::count = std::stoi(value);
    if (option == "--seed") weft::seed = std::stoull(value);
    if (option == "--kind") weft::only_kind = value;
    if (option == "--case") weft::only_case = std::stoi(value);
  }
  return RUN_ALL_TESTS();
}
