#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "model/core/error.h"
#include "platform/os/data_root.h"
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
  std::string format = "table", draw, times = "1";
};

void declare(Arguments& command, BenchOptions& options) {
  command.add_option("--only", options.only, "PART", "One part: systemc, exact, rtl, ... (default all)");
  command.add_flag("--growth", options.growth, "Measure how the cost of the exact rung grows, as CSV")
      .excludes("--only");
  const Argument draw =
      command.add_option("--draw", options.draw, "SEED", "Speed of the exact rung on 60 settings drawn at random");
  command.add_option("--times", options.times, "N", "Batches of --draw, N times as large (default 1)").needs(draw);
  command.add_format(options.format, true);
  command.complete_footer(kParts);
}

int execute(const BenchOptions& options) {
  const Format format = parse_format(options.format, options.growth);
  if (!options.only.empty() &&
      fmt::format(", {},", kParts).find(fmt::format(" {},", options.only)) == std::string::npos)
    throw Error(fmt::format("--only: must be one of {}, not '{}'", kParts, options.only));
  if (!options.draw.empty()) whole_number(options.draw, "--draw", 0, 1LL << 62);
  whole_number(options.times, "--times", 1, 1000);
  const std::filesystem::path& source = os::data_root();
  os::require_checkout(source, "bench/main.cpp", "weft bench");
  if (os::run({{source / "weft", "build", "bench"}}) != 0) throw Error("weft-bench could not be built");
  std::vector<std::string> words{source / "build/release/bench/weft-bench"};
  if (!options.only.empty()) words.push_back(fmt::format("--benchmark_filter=^{}/", options.only));
  if (format == Format::Json) words.emplace_back("--json");
  if (options.growth) words.emplace_back("--growth");
  if (!options.draw.empty()) words = {words[0], "--draw", options.draw, options.times};
  std::vector<char*> arguments(words.size() + 1);
  std::transform(words.begin(), words.end(), arguments.begin(), [](std::string& word) { return word.data(); });
  execv(arguments.front(), arguments.data());
  os::fail(fmt::format("cannot start '{}'", words.front()), errno);
}

}  // namespace

Command bench_command() {
  return command<BenchOptions>("bench", "Measure weft's own speed against required minimums", declare, execute);
}

}  // namespace weft::tools
