#include "tools/bench/bench.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/core/error.h"
#include "model/link/link.h"
#include "model/memory/trace.h"
#include "platform/catalogue/designs.h"
#include "platform/catalogue/load.h"
#include "platform/catalogue/rtl_designs.h"
#include "platform/config/model_config.h"
#include "platform/config/reader.h"
#include "platform/config/run_config.h"
#include "platform/hardware/cosim/lockstep.h"
#include "platform/hardware/cosim/subject.h"
#include "platform/iteration/training/run_network.h"
#include "platform/run/simulate.h"
#include "tools/bench/card.h"
#include "tools/bench/cost.h"
#include "tools/bench/hosts.h"
#include "tools/bench/pipeline.h"
#include "tools/bench/rate.h"
#include "tools/bench/sweep.h"
#include "tools/bench/transfers.h"
#include "tools/cli/cache.h"

namespace weft::tools {

namespace {

constexpr const char* kBarista = "resnet20-barista";
constexpr const char* kIdeal = "{kind: ideal, latency_cycles: 40}";
constexpr std::size_t kTraceRequests = 2'000'000;

struct Line {
  std::string what;
  double measured = 0;
  double bar = 0;
  const char* unit = "";
  bool more_is_better = true;
  std::int64_t peak_bytes = 0;

  double ratio() const { return more_is_better ? measured / bar : bar / measured; }
};

constexpr double kMega = 1e6;
constexpr int kPairs = 9;
constexpr int kIterations = 10;
constexpr double kRtlBar = 0.1, kRtlRatioBar = 10, kPcieBar = 5;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Kernel cycles per second of one convolution of the headline run.
Line simulation(const std::string& what, double bar, const std::string& only,
                const std::vector<config::Override>& extra) {
  const Rate rate = rate_of(kHeadline, only, "systemc", 1, kRuns, extra);
  return {what + ", " + only, rate.cycles_per_second() / kMega, bar, "M cycles/s", true, rate.peak_bytes};
}

Line dram(const std::string& what, double bar, const memory::Trace& trace) {
  const Cost cost = median_cost([&] { memory::run_trace(trace, memory::Ddr4Config{}); });
  return {what,           static_cast<double>(trace.size()) / cost.processor_seconds / kMega, bar, "M requests/s", true,
          cost.peak_bytes};
}

// The RTL of an 8 x 8 kernel under Verilator, and the SystemC model in data mode on the same convolution and memory.
std::vector<Line> rtl() {
  const config::RunConfig run =
      design::load_run("conv-small", {{"mode", "data", "bench"}, {"workers", "1", "bench"}}, project_library());
  const workloads::Network network = training::load_network(run, project_library());
  const std::unique_ptr<cosim::RunCases> cases = design::cosim_subject_of(design::design_of(run)).plan(run, network);
  const cosim::RtlBuild build(cases->hardware(0), {WEFT_SOURCE_DIR, build_cache(WEFT_COSIM_CACHE)});
  const Cycles model_cycles = run::simulate(run, network, {}).rows.front().cycles;
  Cycles cycles = 0;
  const auto once = [&] {
    cosim::PlacedCase placed = cases->place(0, run.seed);
    cycles = cosim::run_rtl(*build.make(), *placed.convolution, placed.stores, placed.surroundings, 2 * model_cycles);
  };
  once();
  if (cycles != model_cycles) {
    throw Error(fmt::format("the RTL takes {} cycles, the model {}: see weft cosim", cycles, model_cycles));
  }
  const Cost hardware = median_cost(once), model = median_cost([&] { run::simulate(run, network, {}); });
  const auto rate = [&](const Cost& cost) { return static_cast<double>(cycles) / cost.processor_seconds / kMega; };
  return {{"rtl, Verilated, 8x8 FP32, conv-small:F", rate(hardware), kRtlBar, "M cycles/s", true, hardware.peak_bytes},
          {"systemc, data / rtl, the same convolution", rate(model) / rate(hardware), kRtlRatioBar, "x", true,
           model.peak_bytes}};
}

Line sweep_overhead(const std::string& what, const std::string& run, const std::string& set, int points) {
  return {"sweep: overhead per point, " + what, sweep_overhead_ms(run, set, points), 5, "ms", false, 0};
}

// One burst outstanding makes the kernel wait for its memory in every window.
Line stepped(const std::string& what, double bar, const std::string& only, const std::string& memory) {
  const Rate rate = rate_of(kHeadline, only, "exact", 2, kRuns,
                            {{"memory", memory, "bench"},
                             {"memo_mb", "0", "bench"},
                             {"kernel.ports.inp.outstanding", "1", "bench"},
                             {"kernel.ports.kern.outstanding", "1", "bench"}});
  if (rate.account.walked > 0) throw Error(fmt::format("bench: {} of {} was skipped", only, what));
  return {what + ", " + only, rate.cycles_per_second() / kMega, bar, "M cycles/s", true, rate.peak_bytes};
}

// A GEMM of GoogLeNet on the mesh of Barista, which is stepped as a whole: what is skipped are cycles in which no block
// can move.
Line of_gemm(const std::string& what, double bar, const std::string& rung, const std::string& memory) {
  const std::string only = "inception3b.branch2.1.conv:F";
  const Rate rate =
      rate_of(kBarista, only, rung, 1, kRuns, {{"network", "googlenet", "bench"}, {"memory", memory, "bench"}});
  return {what + ", " + only, rate.cycles_per_second() / kMega, bar, "M cycles/s", true, rate.peak_bytes};
}

Line whole_run(const std::string& what, double bar, const std::string& name,
               const std::vector<config::Override>& extra) {
  std::vector<config::Override> overrides{{"workers", "1", "bench"}};
  overrides.insert(overrides.end(), extra.begin(), extra.end());
  const config::RunConfig run = design::load_run(name, overrides, project_library());
  const workloads::Network network = training::load_network(run, project_library());
  const Cost cost = median_cost([&] { run::simulate(run, network, {}); });
  return {what, cost.processor_seconds, bar, "s", false, cost.peak_bytes};
}

std::vector<Line> barista() {
  return {of_gemm("barista, exact, ideal memory", 5, "exact", kIdeal),
          of_gemm("barista, exact, DDR4", 3, "exact", "{kind: ddr4}"),
          of_gemm("barista, systemc, DDR4", 2, "systemc", "{kind: ddr4}"),
          whole_run("barista, exact, GoogLeNet at batch 1", 15, kBarista,
                    {{"network", "googlenet", "bench"}, {"batch", "1", "bench"}}),
          whole_run("barista, exact, ResNet-20 at batch 256", 2, kBarista, {})};
}

// Layers of VGG-11 on the sparse batch lanes, one that PEs bound and one that memory does.
std::vector<Line> batchlane() {
  constexpr const char* kRun = "vgg11-deephi";
  const auto of_layer = [&](const std::string& rung, double bar, const std::string& only) {
    const Rate rate = rate_of(kRun, only, rung, 1, kRuns, {});
    return Line{"batchlane, " + rung + ", DDR4, " + only,
                rate.cycles_per_second() / kMega,
                bar,
                "M cycles/s",
                true,
                rate.peak_bytes};
  };
  return {of_layer("exact", 5, "features.13:F"),
          of_layer("exact", 5, "features.16:F"),
          of_layer("systemc", 1, "features.13:F"),
          of_layer("systemc", 1, "features.16:F"),
          whole_run("batchlane, exact, VGG-11, an iteration", 3, kRun, {}),
          whole_run("batchlane, systemc, VGG-11, an iteration", 3, kRun, {{"rung", "systemc", "bench"}})};
}

// 14 images are the first 50 million cycles.
std::vector<Line> exact() {
  const std::string only = "inception3b.branch2.1.conv:F", compute_bound = "inception3b.branch2.1.conv:GW";
  const Rate systemc = rate_of(kHeadline, only, "systemc", 14, 1);
  // In turns, so that both see the same machine.
  std::vector<double> seconds, ratios;
  Rate many, twice;
  for (int i = 0; i < kPairs; ++i) {
    many = rate_of(kHeadline, only, "exact", 256, 1);
    twice = rate_of(kHeadline, only, "exact", 512, 1);
    seconds.push_back(many.seconds);
    ratios.push_back(twice.seconds / many.seconds);
  }
  many.seconds = median(seconds);
  return {{"exact / systemc, DDR4, batch 256, " + only, many.cycles_per_second() / systemc.cycles_per_second(), 100,
           "x", true, many.peak_bytes},
          {"exact, batch 512 / batch 256, " + only, median(ratios), 1.3, "x", false, twice.peak_bytes},
          stepped("exact, nothing skipped, ideal memory", 5, only, kIdeal),
          stepped("exact, nothing skipped, ideal memory", 5, compute_bound, kIdeal),
          stepped("exact, nothing skipped, DDR4", 3, only, "{kind: ddr4}"),
          stepped("exact, nothing skipped, DDR4", 3, compute_bound, "{kind: ddr4}")};
}

// Two minutes: once at each batch, on one core.
std::vector<Line> headline() {
  const auto cost = [](const char* batch) {
    const config::RunConfig run =
        design::load_run("googlenet-u250", {{"batch", batch, "bench"}, {"workers", "1", "bench"}}, project_library());
    const workloads::Network network = training::load_network(run, project_library());
    return cost_of([&] { run::simulate(run, network, {}); });
  };
  const Cost many = cost("256"), twice = cost("512");
  return {{"exact, googlenet-u250, all 170 at batch 256, processor time", many.processor_seconds, 60, "s", false,
           many.peak_bytes},
          {"exact, googlenet-u250, batch 512 / batch 256", twice.processor_seconds / many.processor_seconds, 1.3, "x",
           false, twice.peak_bytes}};
}

Line start_up() {
  std::vector<double> walls;
  walls.reserve(kRuns);
  std::int64_t peak = 0;
  for (int i = 0; i < kRuns; ++i) {
    const Cost cost = cost_of([] {
      if (!freopen("/dev/null", "w", stdout)) _exit(1);
      execl("/proc/self/exe", "weft", "run", "conv-small", "--rung", "exact", "--no-save", static_cast<char*>(nullptr));
      _exit(1);
    });
    walls.push_back(cost.wall_seconds);
    peak = cost.peak_bytes;
  }
  return {"start-up: weft run conv-small --rung exact, wall time", median(walls), 0.2, "s", false, peak};
}

std::vector<Line> systemc() {
  const config::Override ideal{"memory", kIdeal, "bench"};
  const config::Override data{"mode", "data", "bench"};
  const std::string memory_bound = "inception3b.branch2.1.conv:F", compute_bound = "inception3b.branch2.1.conv:GW";
  return {simulation("systemc, timing, ideal memory", 4, memory_bound, {ideal}),
          simulation("systemc, timing, ideal memory", 4, compute_bound, {ideal}),
          simulation("systemc, timing, DDR4", 2, memory_bound, {}),
          simulation("systemc, timing, DDR4", 2, compute_bound, {}),
          simulation("systemc, data, 16x16 FP32", 1, compute_bound, {data})};
}

std::vector<Line> ddr4() {
  return {dram("DDR4 alone, sequential reads", 4, memory::sequential_reads(kTraceRequests)),
          dram("DDR4 alone, random reads", 1, memory::random_accesses(kTraceRequests, 0, 1))};
}

// A link that steps through every TLP of a long transfer, nothing skipped.
std::vector<Line> pcie() {
  constexpr Bytes kTransfer = Bytes{1} << 30;
  const link::PcieConfig config = *config::load_board("u250", {}, project_library()).pcie;
  const auto line = [&](const char* what, link::Direction direction) {
    const auto step = [&] { return link::simulate(config, direction, 0, kTransfer, link::Stepping::Full); };
    const double tlps = static_cast<double>(step().count.tlps());
    const Cost cost = median_cost([&] { step(); });
    return Line{what, tlps / cost.processor_seconds / kMega, kPcieBar, "M TLPs/s", true, cost.peak_bytes};
  };
  return {line("PCIe, every TLP stepped, 1 GiB to the card", link::Direction::HostToCard),
          line("PCIe, every TLP stepped, 1 GiB to the host", link::Direction::CardToHost)};
}

std::vector<Line> transfers() {
  constexpr Bytes kTransfer = Bytes{512} << 20;
  constexpr double kGiga = 1e9;
  const auto line = [&](const char* what, link::Direction direction) {
    const Cost cost = transfer_cost(direction, kTransfer);
    return Line{what, kTransfer / cost.processor_seconds / kGiga, 1, "GB/s", true, cost.peak_bytes};
  };
  return {line("card, 512 MiB to the card in messages of 1 MiB", link::Direction::HostToCard),
          line("card, 512 MiB to the host in messages of 1 MiB", link::Direction::CardToHost)};
}

std::vector<Line> sweep() {
  return {sweep_overhead("one small convolution", "conv-small", "{rung: analytical}", 400),
          sweep_overhead("the 170 of GoogLeNet", "googlenet-u250", "{rung: analytical}", 200),
          {"sweep: speed-up on two workers", sweep_speed_up(), 1.8, "times", true, 0}};
}

// ResNet-20 on the card; in data execution at batch 1, which takes long enough.
std::vector<Line> card() {
  const CardCost fast = card_cost(design::Execution::Fast, 8, kIterations);
  const auto data = [](const char* memory, double bar, const std::vector<config::Override>& extra) {
    const CardCost cost = card_cost(design::Execution::Data, 1, 0, extra);
    return Line{fmt::format("card, data, 16x16, {}, ResNet-20 at batch 1", memory),
                static_cast<double>(cost.cycles) / cost.first / kMega,
                bar,
                "M cycles/s",
                true,
                cost.peak_bytes};
  };
  return {{"card, fast, ResNet-20 at batch 8, the first iteration", fast.first, 2, "s", false, fast.peak_bytes},
          {"card, fast, ResNet-20 at batch 8, an iteration after it", fast.later, 0.5, "s", false, fast.peak_bytes},
          data("ideal memory", 2, {{"memory", kIdeal, "bench"}}),
          data("DDR4", 1, {})};
}

std::vector<Line> hosts() {
  const HostCosts costs = host_costs();
  constexpr double kMilli = 1e3, kGiga = 1e9;
  return {{"host program: an xclbin is loaded", costs.load_seconds * kMilli, 200, "ms", false, 0},
          {"host program: a tiny convolution, tensors there and back", costs.convolution_seconds * kMilli, 5, "ms",
           false, 0},
          {"host program: 256 MiB to the card", costs.to_card_bytes_per_s / kGiga, 1, "GB/s", true, 0},
          {"host program: 256 MiB to the host", costs.to_host_bytes_per_s / kGiga, 1, "GB/s", true, 0}};
}

std::vector<Line> pipelines() {
  const PipelineCosts costs = pipeline_costs();
  return {{"pipeline, exact, 1,000 images of MobileNetV2 in training", costs.thousand_images_seconds, 5, "s", false,
           costs.peak_bytes},
          {"pipeline, exact, every event of MobileNetV2", costs.exact_events_per_s / kMega, 1, "M events/s", true, 0},
          {"pipeline, systemc, AlexNet of CIFAR-10", costs.systemc_events_per_s / kMega, 0.1, "M events/s", true, 0}};
}

struct Part {
  const char* name;
  std::function<std::vector<Line>()> measure;
};

std::vector<Line> measured(const std::string& only) {
  const Part parts[] = {
      {"systemc", systemc},     {"exact", exact},       {"headline", headline},
      {"ddr4", ddr4},           {"pcie", pcie},         {"start-up", [] { return std::vector<Line>{start_up()}; }},
      {"sweep", sweep},         {"rtl", rtl},           {"card", card},
      {"transfers", transfers}, {"hosts", hosts},       {"barista", barista},
      {"batchlane", batchlane}, {"pipeline", pipelines}};
  std::vector<std::string> names;
  for (const Part& part : parts) names.emplace_back(part.name);
  if (!only.empty() && std::find(names.begin(), names.end(), only) == names.end()) {
    throw Error(fmt::format("--only: there is no part '{}'; there are {}", only, config::join(names)));
  }
  std::vector<Line> lines;
  for (const Part& part : parts) {
    if (!only.empty() && only != part.name) continue;
    const std::vector<Line> own = part.measure();
    lines.insert(lines.end(), own.begin(), own.end());
  }
  return lines;
}

}  // namespace

Report bench(const std::string& only) {
  const std::vector<Line> lines = measured(only);
  Report report;
  report.table = fmt::format("{:<64}  {:>8}  {:>6}  {:<12}  {:>6}  {:>7}\n", "what (one core)", "measured", "bar", "",
                             "ratio", "memory");
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Line& line : lines) {
    report.table += fmt::format("{:<64}  {:>8.3f}  {:>6.1f}  {:<12}  {:>5.2f}x  {:>4} MB\n", line.what, line.measured,
                                line.bar, line.unit, line.ratio(), line.peak_bytes / 1'000'000);
    json.push_back({{"what", line.what},
                    {"measured", line.measured},
                    {"bar", line.bar},
                    {"unit", line.unit},
                    {"ratio", line.ratio()},
                    {"peak_bytes", line.peak_bytes}});
  }
  report.table += "\nratio: how many times better than the bar; 1.00x or more reaches it.\n";
  report.json = json.dump(2) + "\n";
  return report;
}

}  // namespace weft::tools
