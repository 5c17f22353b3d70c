#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cstdlib>
#include <cstring>

#include "bench/bench.h"
#include "model/core/error.h"
#include "platform/os/standard_streams.h"
#include "tools/cli/cli.h"

namespace weft::bench {

namespace {

constexpr const char* kGrowth[] = {"convolutions",      "groups",   "batch",        "array_x",   "array_y", "cycles",
                                   "processor_seconds", "distinct", "memory_steps", "peak_bytes"};

enum class Form { Table, GrowthCsv, Json };

// Prints the medians: next to their bars, as CSV for docs/data/plot_growth.gp, or as Google Benchmark's JSON.
class Reporter final : public benchmark::BenchmarkReporter {
 public:
  explicit Reporter(Form form) : form_(form) {}

  bool bars_reached() const { return reached_; }

  bool ReportContext(const Context& context) override {
    if (form_ == Form::Json) return json_.ReportContext(context);
    std::string head = fmt::format("{:<64}  {:>8}  {:>6}  {:<12}  {:>6}  {:>7}", "what (one core)", "measured", "bar",
                                   "", "ratio", "memory");
    if (form_ == Form::GrowthCsv) {
      head = "series,convolution";
      for (const char* key : kGrowth) head += fmt::format(",{}", key);
    }
    tools::print(head + "\n");
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> medians;
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Aggregate && run.aggregate_name != "median") continue;
      medians.push_back(run);
      if (form_ == Form::GrowthCsv) {
        print_growth(run);
      } else {
        reached_ = reached_ && run.counters.at("ratio") >= 1;
        if (form_ == Form::Table) print_bar(run);
      }
    }
    if (form_ == Form::Json) json_.ReportRuns(medians);
  }

  void Finalize() override {
    if (form_ == Form::Json) json_.Finalize();
    if (form_ != Form::Table) return;
    tools::print("\nratio: how many times better than the bar; 1.00x or more meets the bar.\n");
  }

 private:
  static void print_bar(const Run& run) {
    const auto value = [&](const char* key) { return run.counters.at(key).value; };
    const std::string& name = run.run_name.function_name;
    tools::print(fmt::format("{:<64}  {:>8.3f}  {:>6.1f}  {:<12}  {:>5.2f}x  {:>4.0f} MB\n",
                             name.substr(name.find('/') + 1), value("measured"), value("bar"), run.report_label,
                             value("ratio"), value("peak_bytes") / kMega));
  }
  // Line that begins with SERIES/CONVOLUTION.
  static void print_growth(const Run& run) {
    std::string text = run.run_name.function_name;
    text.erase(text.find('/', text.find('/') + 1));
    text[text.find('/')] = ',';
    for (const std::string key : kGrowth) {
      const double value = run.counters.at(key);
      text += key == "processor_seconds" ? fmt::format(",{:.4f}", value) : fmt::format(",{:.0f}", value);
    }
    tools::print(text + "\n");
  }

  Form form_;
  bool reached_ = true;
  benchmark::JSONReporter json_;
};

// Options: --draw SEED BATCHES alone; or --json, --growth, and Google Benchmark's (--benchmark_filter=REGEX,
// --benchmark_list_tests).
int start(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--draw") == 0) {
    print_draw(std::atoll(argv[2]), std::atoi(argv[3]));
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  const bool json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
  const bool growth = argc > 1 && std::strcmp(argv[argc - 1], "--growth") == 0;
  if (argc != 1 + json + growth) throw Error("weft-bench takes --json, then --growth, and options of Google Benchmark");
  if (growth) {
    add_growth();
  } else {
    add_simulations();
    add_systems();
  }
  Reporter reporter(json ? Form::Json : growth ? Form::GrowthCsv : Form::Table);
  if (benchmark::RunSpecifiedBenchmarks(&reporter) == 0)
    throw Error("no benchmark has this name: see weft bench --help");
  return reporter.bars_reached() ? 0 : 1;
}

}  // namespace

}  // namespace weft::bench

int main(int argc, char** argv) {
  try {
    return weft::bench::start(argc, argv);
  } catch (const std::exception& error) {
    weft::os::say(fmt::format("weft: error: {}\n", error.what()));
    return 2;
  }
}
