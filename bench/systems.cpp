#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "bench/bench.h"
#include "model/core/error.h"
#include "model/link/link.h"
#include "model/memory/trace.h"
#include "model/pipeline/exact.h"
#include "model/pipeline/pipeline_module.h"
#include "model/pipeline/training.h"
#include "platform/card/card.h"
#include "platform/catalogue/designs.h"
#include "platform/config/node.h"
#include "platform/iteration/timeline/run_iteration.h"
#include "platform/os/data_root.h"
#include "platform/os/process.h"
#include "platform/os/temporary_folder.h"
#include "platform/record/bytes.h"
#include "platform/studies/cluster/training_layers.h"
#include "platform/studies/sweep/workers/point.h"
#include "platform/studies/sweep/workers/runner.h"
#include "tools/cli/cli.h"
#include "workloads/onnx/import.h"

namespace weft::bench {

namespace {

// Training iterations of a network's convolutions on the simulated card, including tensor transfers, register writes
// and the start of the card. The software itself computes nothing.
Cost iterations_cost(const Simulation& simulation, design::Execution execution, int count) {
  return cost_of([&] {
    const design::Design& design = design::design_of(simulation.run);
    const std::unique_ptr<design::Work> work = design.plan(simulation.run, simulation.network);
    const std::vector<design::Row> rows = work->rows();
    const std::vector<design::Work::Unit> units = work->units();
    card::Card card("card", {simulation.run, execution, 0});
    std::vector<std::int64_t> loaded;
    std::vector<float> buffer;
    for (std::size_t i = 0; i < units.size() * static_cast<std::size_t>(count); ++i) {
      const std::size_t unit = i % units.size();
      const design::Row& row = rows[units[unit].row];
      if (row.bitstream != loaded) {
        card.load(config::to_yaml(design.card_kernel_of(card.run(), row)->write()));
        loaded = row.bitstream;
      }
      const auto transfer = [&](bool written) {
        for (const design::UnitTensor& tensor : work->tensors(unit)) {
          if (tensor.written != written) continue;
          const Address address = card.memory().address(tensor.channel);
          buffer.resize(std::max(buffer.size(), static_cast<std::size_t>(tensor.bytes / 4)), 0.5F);
          if (written) {
            card.read(address, buffer.data(), tensor.bytes);
          } else {
            card.write(address, buffer.data(), tensor.bytes);
          }
        }
      };
      transfer(false);
      for (const design::RegisterWrite& write :
           design::offered<design::StartedByRegisters>(*work).register_writes(unit, card.memory())) {
        card.write_register(write.offset, write.data);
      }
      card.advance(std::max<Picoseconds>(card.busy_until() - card.now(), 0));
      transfer(true);
    }
  });
}

// ResNet-20 on one 16 x 16 kernel for all of its convolutions; data execution at batch 1.
void add_card() {
  const auto resnet20 = [](Settings settings) {
    settings.emplace_back("kernel.variant=both");
    for (const char* size : {"z", "z_channel", "k_range", "kern_words", "out_words"}) {
      settings.push_back(fmt::format("kernel.{}=shared", size));
    }
    return lazy([settings] { return Simulation::counted("resnet20-u250", settings); });
  };
  const auto fast = [of = resnet20({"batch=8"})](int count) {
    return iterations_cost(of(), design::Execution::Fast, count);
  };
  add("card/card, fast, ResNet-20 at batch 8, the first iteration", {2, "s", kAtMost},
      [fast] { return seconds(fast(1)); });
  add("card/card, fast, ResNet-20 at batch 8, an iteration after it", {0.5, "s", kAtMost}, [fast] {
    const Cost first = fast(1), all = fast(11);
    return Figure{(all.processor_seconds - first.processor_seconds) / 10, all};
  });
  const auto add_data = [&](const char* memory, double bar, const Settings& settings) {
    add(fmt::format("card/card, data, 16x16, {}, ResNet-20 at batch 1", memory), {bar, "M cycles/s"},
        [of = resnet20(settings)]() { return of().speed(iterations_cost(of(), design::Execution::Data, 1)); });
  };
  add_data("ideal memory", 2, {"batch=1", kIdeal});
  add_data("DDR4", 1, {"batch=1"});
}

// Call of `bytes` bytes between a host and untouched memory of the simulated card, in the messages of XRT's shim.
Cost transfer_cost(const config::RunConfig& run, bool to_card, Bytes bytes) {
  constexpr Bytes kMessage = card::HostLink::kMessage;
  return cost_of([&] {
    card::Card card("card", {run, design::Execution::Fast, 0});
    std::vector<unsigned char> block(static_cast<std::size_t>(kMessage), 1);
    for (Bytes done = 0; done < bytes; done += kMessage) {
      const Address address = card.memory().address(0, done);
      if (to_card) {
        card.write(address, block.data(), kMessage);
      } else {
        card.read(address, block.data(), kMessage);
      }
    }
  });
}

// Runs weft card with weft_card_bench_host; returns its times: minima of wall seconds, since XRT's threads sleep.
std::map<std::string, double> run_host(int to_card, int to_host) {
  const os::TemporaryFolder folder(std::filesystem::temp_directory_path(), "weft-bench-");
  const std::string xclbin = folder.path() / "bench.xclbin";
  std::istringstream in(output_of_weft({"card", "conv-small", "--xclbin", xclbin, "--set", "convolution.channels=3",
                                        "--set", "convolution.filters=8", "--set", "convolution.h=8", "--set",
                                        "convolution.w=8", "--set", "batch=1", "--", WEFT_CARD_BENCH_HOST, xclbin,
                                        std::to_string(to_card), std::to_string(to_host)}));
  std::map<std::string, double> found;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    double value = 0;
    if (words >> name >> value) found[name] = value;
  }
  return found;
}

void add_hosts() {
  const auto add_wait = [](const std::string& what, double bar, const char* key) {
    add(
        "hosts/host program: " + what, {bar, "ms", kAtMost},
        [key] {
          os::require_packages(os::data_root(), "card");
          return Figure{1e3 * run_host(0, 0).at(key), {}};
        },
        1);
  };
  add_wait("an xclbin is loaded", 200, "load");
  add_wait("a tiny convolution, tensors there and back", 5, "convolution");
  // In processor seconds: program and card alternate.
  const auto add_copies = [](const std::string& where, int to_card, int to_host) {
    add("hosts/host program: 256 MiB to the " + where, {1, "GB/s"}, [to_card, to_host] {
      os::require_packages(os::data_root(), "card");
      const double none = cost_of([] { run_host(0, 0); }).processor_seconds;
      const double all = cost_of([&] { run_host(to_card, to_host); }).processor_seconds;
      return Figure{(to_card + to_host) * double{256 << 20} / (all - none) / kGiga, {}};
    });
  };
  add_copies("card", 6, 0);
  add_copies("host", 0, 6);
}

// Runs a sweep of equal points, as `weft sweep` does. Returns the mean number of busy workers.
double run_sweep(const std::string& run, const std::string& set, int points, int workers,
                 const std::string& axis = "seed", int from = 1, const std::optional<run::RowCache>& cache = {}) {
  const os::TemporaryFolder folder(std::filesystem::temp_directory_path(), "weft-bench-");
  const std::filesystem::path file = folder.path() / "s.yaml";
  std::ofstream(file) << fmt::format("run: {}\nset: {}\nspace: {{{}: {{from: {}, to: {}, step: 1}}}}\n", run, set, axis,
                                     from, from + points - 1);
  const sweep::Definition definition(file.string(), {}, config::project_library());
  timeline::Iterations iterations(config::project_library());
  const auto network = [&](const config::RunConfig& of) { return iterations.network(of); };
  sweep::Store store(folder.path() / "s.db");
  store.begin(definition, {definition.digest(network), "bench"}, false);
  sweep::PointRunner runner(
      definition, network, [&](const timeline::Convolutions& of) { return iterations.of(of); }, cache);
  std::vector<std::int64_t> all(static_cast<std::size_t>(points));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  const auto start = std::chrono::steady_clock::now();
  sweep::LocalWorkers worker_group(workers, [&](std::int64_t point) { return record::to_bytes(runner.run(point)); });
  const sweep::RunStatus status = sweep::run_points(definition, store, worker_group, all, {});
  if (status.failed > 0) throw Error("a point of the bench failed");
  return status.busy_seconds / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Time of a point besides its simulation: reading its values, dispatching it, sending and recording its outcome.
void add_sweeps() {
  const auto add_overhead = [](const std::string& what, const char* run, int points) {
    add("sweep/sweep: overhead per point, " + what, {5, "ms", kAtMost}, [run, points] {
      const Cost whole = cost_of([&] { run_sweep(run, "{rung: analytical}", points, 1); });
      const Simulation simulation(run, {"rung=analytical"});
      const Cost bare = cost_of([&] {
        for (int point = 0; point < points; ++point) simulation.simulate();
      });
      return Figure{1e3 * (whole.processor_seconds - bare.processor_seconds) / points, whole};
    });
  };
  add_overhead("one small convolution", "conv-small", 400);
  add_overhead("the 170 of GoogLeNet", "googlenet-u250", 200);
  // Cost with a cache over that without. Batches are new, so that each row is looked up and stored.
  const auto add_cached = [batch = std::make_shared<int>(0)](const char* which, auto cache) {
    const auto ratio = [=] {
      const auto cost = [&, from = 10 * *batch + 1](const std::optional<run::RowCache>& used) {
        return cost_of([&] { run_sweep("resnet20-u250", "{rung: exact}", 10, 1, "batch", from, used); });
      };
      ++*batch;
      const Cost without = cost({}), with = cost(run::RowCache(cache()->path(), "bench"));
      return Figure{with.processor_seconds / without.processor_seconds, with};
    };
    add(fmt::format("sweep/sweep: {} cache / no cache", which), {1.05, "x", kAtMost}, ratio, 9);
  };
  const auto folder = [] {
    return std::make_shared<os::TemporaryFolder>(std::filesystem::temp_directory_path(), "weft-bench-");
  };
  add_cached("empty", folder);
  add_cached("full", lazy([folder] {
               auto full = folder();
               constexpr Bytes kWords = 4000;  // some 33,000 rows
               run::RowCache cache(full->path(), "bench");
               for (Bytes row = 0; 8 * kWords * row < run::RowCache::kMostBytes; ++row) {
                 cache.store(std::to_string(row), std::vector<std::int64_t>(kWords));
               }
               return full;
             }));
  // Mean number of busy workers: the speed-up on two free processors. Other load on the machine, which would hide it in
  // wall times, slows points and sweep alike.
  add("sweep/sweep: speed-up on two workers", {1.8, "times"}, [] {
    return Figure{run_sweep("conv-small", "{batch: 8}", 40, 2), {}};
  });
}

// Pipeline with sized FIFOs. Entities are as fast as 1031 images per second at 200 MHz require.
pipeline::Training training(const std::string& name, Cycles period) {
  const workloads::ImportedGraph graph = workloads::find_graph(name, {(os::data_root() / "configs/networks").string()});
  pipeline::Training training = pipeline::training(cluster::training_layers(graph, period), period);
  pipeline::size_fifos(training);
  return training;
}

// A step of a block counts as two events: a token or none in, a token or none out.
void add_events(const std::string& what, double bar, const std::string& network, Cycles period, std::int64_t images,
                void (*simulate)(const pipeline::Pipeline&, Cycles period, std::int64_t images)) {
  add("pipeline/pipeline, " + what, {bar, "M events/s"}, [=, of = lazy([=] { return training(network, period); })]() {
    const pipeline::Pipeline& pipeline = of().pipeline;
    std::int64_t steps = 0;
    for (const pipeline::Block& block : pipeline.blocks) {
      for (const pipeline::Steps& each : block.image) steps += each.count;
    }
    const Cost cost = cost_of([&] { simulate(pipeline, period, images); });
    return Figure{2 * static_cast<double>(steps * images) / cost.processor_seconds / kMega, cost};
  });
}

void add_pipelines() {
  constexpr Cycles kPeriod = 193'987;
  add("pipeline/pipeline, exact, 1,000 images of MobileNetV2 in training", {5, "s", kAtMost},
      [] { return seconds(cost_of([] { pipeline::simulate(training("mobilenet_v2", kPeriod).pipeline, 1000); })); });
  add_events("exact, every event of MobileNetV2", 1, "mobilenet_v2", kPeriod, 20,
             [](const pipeline::Pipeline& pipeline, Cycles, std::int64_t images) {
               pipeline::SimulateOptions every;
               every.jump = false;
               pipeline::simulate(pipeline, images, every);
             });
  add_events("systemc, AlexNet of CIFAR-10", 0.1, "alexnet_cifar10", 20'000, 4,
             [](const pipeline::Pipeline& pipeline, Cycles period, std::int64_t images) {
               pipeline::PipelineModule module("pipeline", pipeline, images);
               while (!module.done()) sc_core::sc_start(static_cast<double>(period), sc_core::SC_NS);
               module.check();
             });
}

void add_trace(const std::string& what, double bar, memory::Trace (*make)()) {
  add("ddr4/DDR4 alone, " + what, {bar, "M requests/s"}, [trace = lazy(make)]() {
    const memory::Trace& requests = trace();
    const Cost cost = cost_of([&] { memory::run_trace(requests, memory::Ddr4Config{}); });
    return Figure{static_cast<double>(requests.size()) / cost.processor_seconds / kMega, cost};
  });
}

// Speed of a link that steps through every TLP of a long transfer.
Figure link_speed(link::Direction direction) {
  const link::PcieConfig config = *config::load_board("u250", {}, config::project_library()).pcie;
  const auto step = [&] {
    return link::simulate(config, direction, 0, Bytes{1} << 30, link::Stepping::Full).count.tlps();
  };
  const auto tlps = static_cast<double>(step());
  const Cost cost = cost_of(step);
  return {tlps / cost.processor_seconds / kMega, cost};
}

}  // namespace

void add_systems() {
  add_trace("sequential reads", 4, [] { return memory::sequential_reads(2'000'000); });
  add_trace("random reads", 1, [] { return memory::random_accesses(2'000'000, 0, 1); });
  add("start-up/start-up: weft run conv-small --rung exact, wall time", {0.2, "s", kAtMost}, [] {
    const Cost cost = cost_of([] { output_of_weft({"run", "conv-small", "--rung", "exact", "--no-save"}); });
    return Figure{cost.wall_seconds, cost};
  });
  for (const bool to_card : {true, false}) {
    const char* const where = to_card ? "card" : "host";
    add(fmt::format("pcie/PCIe, every TLP stepped, 1 GiB to the {}", where), {5, "M TLPs/s"},
        [to_card] { return link_speed(to_card ? link::Direction::HostToCard : link::Direction::CardToHost); });
    // Excludes the start of the card.
    add(fmt::format("transfers/card, 512 MiB to the {} in messages of 1 MiB", where), {1, "GB/s"}, [to_card] {
      constexpr Bytes kBytes = Bytes{512} << 20;
      const config::RunConfig run = Simulation("resnet20-u250", {}).run;
      const Cost none = transfer_cost(run, to_card, 0), all = transfer_cost(run, to_card, kBytes);
      return Figure{kBytes / (all.processor_seconds - none.processor_seconds) / kGiga, all};
    });
  }
  add_sweeps();
  add_card();
  add_hosts();
  add_pipelines();
}

}  // namespace weft::bench
