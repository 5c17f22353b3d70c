#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "bench/bench.h"
#include "model/core/error.h"
#include "platform/os/data_root.h"
#include "platform/run/simulate.h"
#include "tools/cli/cli.h"

namespace weft::bench {

namespace {

constexpr std::int64_t kCommitted = 20261127;  // seed of the settings in draw_20261127.txt
constexpr int kSettings = 60;
constexpr const char* kNetworks[] = {"googlenet", "resnet18", "mobilenet_v2", "alexnet", "squeezenet1_1", "vgg16"};

// std::mt19937_64 gives the same numbers everywhere; the distributions of the standard library do not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool once_in(std::size_t n) { return below(n) == 0; }
  std::string of(const std::vector<std::string>& choices) { return choices[below(choices.size())]; }

 private:
  std::mt19937_64 random_;
};

std::vector<Settings> committed() {
  const auto path = os::data_root() / "bench" / fmt::format("draw_{}.txt", kCommitted);
  std::ifstream file(path);
  std::vector<Settings> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Settings settings;
    for (std::string word; words >> word;) settings.push_back(word);
    all.push_back(settings);
  }
  if (all.empty()) throw Error(fmt::format("'{}' has no settings", path.string()));
  return all;
}

// A convolution of a network, with a clock, an array, a memory and ports at random.
Settings drawn(Draw& draw, std::map<std::string, run::Result>& planned) {
  const std::string network = kNetworks[draw.below(std::size(kNetworks))];
  auto layers = planned.find(network);
  if (layers == planned.end()) {
    const Simulation of(kHeadline, {"network=" + network, "batch=1"});
    layers = planned.emplace(network, run::prepare(of.run, of.network)).first;
  }
  const run::Row& row = layers->second.rows[draw.below(layers->second.rows.size())];
  Settings all{fmt::format("only={}:{}", row.layer.name, conv::to_string(row.kind)), "network=" + network};
  const auto set = [&](const std::string& key, const std::string& value) { all.push_back(key + "=" + value); };
  switch (draw.below(3)) {
    case 0:
      set("kernel.clock_mhz", draw.of({"100", "150", "200", "250", "300", "350"}));
      break;
    case 1:
      set("kernel.clock_mhz", std::to_string(50 + draw.below(301)));
      break;
    default:
      set("kernel.clock_mhz", draw.of({"1000/3", "800/3", "400/3"}));
  }
  set("kernel.profile", draw.of({"hls", "rtl"}));
  for (const char* side : {"x", "y"}) set(fmt::format("kernel.array.{}", side), draw.of({"8", "16", "32"}));
  set("memory.data_rate_mtps", draw.of({"1600", "2133", "2400", "2400", "2666", "3200"}));
  const std::string outstanding = draw.of({"1", "4", "16", "16", "64"}), beats = draw.of({"16", "64", "64", "256"});
  const bool one_channel = draw.below(10) < 3;
  for (const char* port : {"inp", "kern", "out"}) {
    const std::string key = fmt::format("kernel.ports.{}.", port);
    set(key + "outstanding", outstanding);
    set(key + "max_burst_beats", beats);
    if (one_channel) set(key + "channel", "0");
  }
  set("kernel.band", draw.of({"8", "16", "16", "32"}));
  if (draw.once_in(4)) set("memory.address_map", "RCB");
  if (draw.once_in(4)) set("memory.auto_precharge_a3", "false");
  set("batch", std::to_string(std::clamp<Cycles>((8'000'000 + row.cycles / 2) / row.cycles, 1, 256)));
  return all;
}

// Returns the processor seconds of this process and of its children that have ended.
double processor_seconds_so_far() {
  double seconds = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    seconds += processor_seconds(usage);
  }
  return seconds;
}

}  // namespace

void print_draw(std::int64_t seed, int batches) {
  std::vector<Settings> all;
  if (seed == kCommitted) {
    all = committed();
  } else {
    Draw draw(static_cast<std::uint64_t>(seed));
    std::map<std::string, run::Result> planned;
    for (int i = 0; i < kSettings; ++i) all.push_back(drawn(draw, planned));
  }
  std::vector<double> speeds;
  tools::print("M cycles/s  M cycles  settings of googlenet-u250, workers=1\n");
  for (Settings& settings : all) {
    for (std::string& each : settings) {
      if (each.rfind("batch=", 0) == 0) each = fmt::format("batch={}", std::stoi(each.substr(6)) * batches);
    }
    const Simulation simulation(kHeadline, settings);
    const double start = processor_seconds_so_far();
    Cycles cycles = 0;
    for (const run::Row& row : run::simulate(simulation.run, simulation.network, {}).rows) cycles += row.cycles;
    const double seconds = processor_seconds_so_far() - start;
    speeds.push_back(static_cast<double>(cycles) / seconds / kMega);
    std::string text;
    for (const std::string& each : settings) text += " " + each;
    tools::print(fmt::format("{:>10.2f}  {:>8.1f} {}\n", speeds.back(), static_cast<double>(cycles) / kMega, text));
  }
  std::sort(speeds.begin(), speeds.end());
  tools::print(fmt::format("{} settings: worst {:.2f}, p10 {:.2f}, median {:.2f} M cycles/s\n", speeds.size(),
                           speeds.front(), speeds[speeds.size() / 10], speeds[speeds.size() / 2]));
}

}  // namespace weft::bench
