#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>

#include "model/core/error.h"
#include "platform/os/failure.h"
#include "platform/os/process.h"
#include "tools/cli/commands.h"

namespace weft::tools {

namespace {

constexpr const char* kParts =
    "systemc, exact, headline, ddr4, pcie, start-up, sweep, rtl, card, transfers, hosts, barista, batchlane, pipeline";

struct BenchOptions {
  bool growth = false;
  std::string only;
  std::string format = "table";
};

void declare(Arguments& command, BenchOptions& options) {
  command.add_option("--only", options.only, "PART", fmt::format("Only one of {}", kParts));
  command
      .add_flag("--growth", options.growth,
                "Instead: what the exact rung costs as the batch, the groups, the number of convolutions, the layer "
                "and the array change, as CSV")
      .excludes("--only");
  command.add_format(options.format, true);
  command.footer(
      R"(Some five minutes; half a minute more when Verilator has to compile the RTL first. weft-bench, which measures by
Google Benchmark, is built when this first runs. A median that does not reach its bar ends with exit code 1.

Examples:
  weft bench
      simulated cycles and requests per second of this machine, and what each is of its bar
  weft bench --only rtl
      the RTL under Verilator, and the SystemC model beside it
  weft bench --growth --format csv
      the points that docs/explanation/performance.md plots; some minutes
  weft bench --format json
      the same as JSON of Google Benchmark, for a script that watches for regressions)");
}

int execute(const BenchOptions& options) {
  const Format format = parse_format(options.format, options.growth);
  if (!options.only.empty() &&
      fmt::format(", {},", kParts).find(fmt::format(" {},", options.only)) == std::string::npos)
    throw Error(fmt::format("--only: must be one of {}, not '{}'", kParts, options.only));
  const std::filesystem::path source(WEFT_SOURCE_DIR);
  if (os::run({{source / "weft", "build", "bench"}}) != 0) throw Error("weft-bench could not be built");
  std::vector<std::string> words{source / "build/release/bench/weft-bench"};
  if (!options.only.empty()) words.push_back(fmt::format("--benchmark_filter=^{}/", options.only));
  if (format == Format::Json) words.emplace_back("--json");
  if (options.growth) words.emplace_back("--growth");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(arguments.front(), arguments.data());
  os::fail(fmt::format("cannot start '{}'", words.front()), errno);
}

}  // namespace

Command bench_command() {
  return command("bench", "The project's own speed against its bars", declare, execute);
}

}  // namespace weft::tools
