#include "tools/bench/hosts.h"

#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "model/core/error.h"
#include "platform/os/packages.h"
#include "platform/os/process.h"
#include "platform/os/temporary_folder.h"
#include "tools/bench/rate.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

// What weft_card_bench_host prints.
std::map<std::string, double> run_host(const std::string& xclbin, int to_card, int to_host) {
  os::Program program{{fs::read_symlink("/proc/self/exe"), "card", "conv-small", "--xclbin", xclbin}};
  // Its convolution.
  for (const char* const set : {"channels=3", "filters=8", "h=8", "w=8"}) {
    program.words.insert(program.words.end(), {"--set", fmt::format("convolution.{}", set)});
  }
  program.words.insert(program.words.end(), {"--set", "batch=1", "--", WEFT_CARD_BENCH_HOST, xclbin,
                                             std::to_string(to_card), std::to_string(to_host)});
  const os::Output output = os::output_of(program);
  std::map<std::string, double> found;
  std::istringstream in(output.text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    double value = 0;
    if (words >> name >> value) found[name] = value;
  }
  if (output.exit_code != 0) {
    throw Error(fmt::format("bench: weft card ended with {}: {}", output.exit_code, output.text));
  }
  return found;
}

}  // namespace

HostCosts host_costs() {
  constexpr int kTransfers = 6;
  constexpr double kBytes = kTransfers * double{256 << 20};
  os::require_packages(WEFT_SOURCE_DIR, "card");
  const os::TemporaryFolder folder(fs::temp_directory_path(), "weft-bench-");
  const std::string xclbin = folder.path() / "bench.xclbin";
  const auto seconds = [&](int to_card, int to_host) {
    return median_cost([&] { run_host(xclbin, to_card, to_host); }).processor_seconds;
  };
  const std::map<std::string, double> waited = run_host(xclbin, 0, 0);
  const double none = seconds(0, 0);
  return {waited.at("load"), waited.at("convolution"), kBytes / (seconds(kTransfers, 0) - none),
          kBytes / (seconds(0, kTransfers) - none)};
}

}  // namespace weft::tools
