#include <fmt/core.h>

#include "bench/bench.h"
#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/catalogue/rtl_designs.h"
#include "platform/hardware/cosim/lockstep.h"
#include "platform/hardware/cosim/rtl_design.h"
#include "platform/os/data_root.h"
#include "tools/cli/cache.h"

namespace weft::bench {

namespace {

constexpr const char *kBarista = "resnet20-barista", *kLanes = "vgg11-deephi", *kDdr4 = "memory={kind: ddr4}";
constexpr const char *kMemoryBound = "inception3b.branch2.1.conv:F", *kComputeBound = "inception3b.branch2.1.conv:GW";

// Kernel cycles per second of a convolution of a run.
void add_rate(const std::string& name, double bar, const std::string& run, const std::string& only, Settings settings) {
  settings.push_back("only=" + only);
  auto simulation = lazy([=] { return Simulation::counted(run, settings); });
  add(name + ", " + only, {bar, "M cycles/s"}, [simulation] {
    const Simulation& of = simulation();
    if (of.run.memo_mb == 0 && of.account.replayed > 0) throw Error("bench: cycles were skipped without memo_mb");
    return of.speed(of.cost());
  });
}

// Processor seconds of a run.
void add_time(const std::string& name, double bar, const std::string& run, const Settings& settings,
              int repetitions = kRepetitions) {
  const auto measure = [=] { return seconds(Simulation(run, settings).cost()); };
  add(name, {bar, "s", kAtMost}, measure, repetitions);
}

// Ratio of the headline's processor seconds at batch 512 to those at 256; in turns, so that both see the same machine.
void add_twice_the_batch(const std::string& name, const Settings& settings, int repetitions) {
  const auto cost = [settings](const char* batch) {
    Settings all = settings;
    all.emplace_back(batch);
    return Simulation(kHeadline, all).cost();
  };
  const auto measure = [cost] {
    const double once = cost("batch=256").processor_seconds;
    const Cost twice = cost("batch=512");
    return Figure{twice.processor_seconds / once, twice};
  };
  add(name, {1.3, "x", kAtMost}, measure, repetitions);
}

// 14 images take the first 50 million cycles.
void add_exact_by_systemc() {
  const std::string only = fmt::format("only={}", kMemoryBound);
  auto exact = lazy([=] { return Simulation::counted(kHeadline, {only, "rung=exact", "batch=256"}); });
  auto systemc = lazy([=] {
    const Simulation of = Simulation::counted(kHeadline, {only, "rung=systemc", "batch=14"});
    return of.speed(of.cost());
  });
  add(fmt::format("exact/exact / systemc, DDR4, batch 256, {}", kMemoryBound), {100, "x"}, [=] {
    const Figure figure = exact().speed(exact().cost());
    return Figure{figure.measured / systemc().measured, figure.cost};
  });
  add_twice_the_batch(fmt::format("exact/exact, batch 512 / batch 256, {}", kMemoryBound), {only, "rung=exact"}, 9);
}

// Speed of the RTL under Verilator. Throws Error if its cycles differ from the model's.
Figure rtl_speed(const Simulation& model) {
  const auto cases = design::rtl_design_of(design::design_of(model.run)).plan(model.run, model.network);
  const cosim::RtlBuild build(cases->hardware(0), {os::data_root(), tools::build_cache(WEFT_COSIM_CACHE)});
  return model.speed(cost_of([&] {
    cosim::PlacedCase placed = cases->place(0, model.run.seed);
    const Cycles cycles =
        cosim::run_rtl(*build.make(), *placed.convolution, placed.stores, placed.environment, 2 * model.cycles);
    if (cycles == model.cycles) return;
    throw Error(fmt::format("the RTL takes {} cycles, the model {}: see weft cosim", cycles, model.cycles));
  }));
}

// 8 x 8 kernel in RTL, and the SystemC model in data mode on the same convolution and memory.
void add_rtl() {
  auto model = lazy([] { return Simulation::counted("conv-small", {"mode=data"}); });
  const auto speed = [model] { return rtl_speed(model()); };
  add("rtl/rtl, Verilated, 8x8 FP32, conv-small:F", {0.1, "M cycles/s"}, speed);
  add("rtl/systemc, data / rtl, the same convolution", {10, "x"}, [model] {
    const Figure systemc = model().speed(model().cost());
    return Figure{systemc.measured / rtl_speed(model()).measured, systemc.cost};
  });
}

}  // namespace

void add_simulations() {
  for (const char* only : {kMemoryBound, kComputeBound}) {
    add_rate("systemc/systemc, timing, ideal memory", 4, kHeadline, only, {"rung=systemc", "batch=1", kIdeal});
    add_rate("systemc/systemc, timing, DDR4", 2, kHeadline, only, {"rung=systemc", "batch=1"});
  }
  add_rate("systemc/systemc, data, 16x16 FP32", 1, kHeadline, kComputeBound, {"rung=systemc", "batch=1", "mode=data"});
  add_exact_by_systemc();
  // One outstanding burst makes the kernel wait for its memory in every window.
  const Settings stepped{"rung=exact", "batch=2", "memo_mb=0", "kernel.ports.inp.outstanding=1",
                         "kernel.ports.kern.outstanding=1"};
  for (const auto& [what, bar, memory] : {std::tuple{"ideal memory", 5, kIdeal}, std::tuple{"DDR4", 3, kDdr4}}) {
    Settings settings = stepped;
    settings.emplace_back(memory);
    for (const char* only : {kMemoryBound, kComputeBound}) {
      add_rate(fmt::format("exact/exact, nothing skipped, {}", what), bar, kHeadline, only, settings);
    }
  }
  // Takes two minutes: one run per batch.
  add_time("headline/exact, googlenet-u250, all 170 at batch 256, processor time", 60, kHeadline, {"batch=256"}, 1);
  add_twice_the_batch("headline/exact, googlenet-u250, batch 512 / batch 256", {}, 1);
  add_rtl();
  // GEMM of GoogLeNet on Barista's mesh, stepped as a whole: only cycles in which no block can move are skipped.
  const auto add_gemm = [](const char* what, double bar, const char* rung, const char* memory) {
    add_rate(fmt::format("barista/barista, {}", what), bar, kBarista, kMemoryBound,
             {"network=googlenet", "batch=1", rung, memory});
  };
  add_gemm("exact, ideal memory", 5, "rung=exact", kIdeal);
  add_gemm("exact, DDR4", 3, "rung=exact", kDdr4);
  add_gemm("systemc, DDR4", 2, "rung=systemc", kDdr4);
  add_time("barista/barista, exact, GoogLeNet at batch 1", 15, kBarista, {"network=googlenet", "batch=1"});
  add_time("barista/barista, exact, ResNet-20 at batch 256", 2, kBarista, {});
  // Layers of VGG-11 on the sparse batch lanes: one limited by the PEs, one by memory.
  for (const auto& [rung, bar] : {std::pair{"exact", 5}, std::pair{"systemc", 1}}) {
    const Settings settings{fmt::format("rung={}", rung)};
    for (const char* only : {"features.13:F", "features.16:F"}) {
      Settings one = settings;
      one.emplace_back("batch=1");
      add_rate(fmt::format("batchlane/batchlane, {}, DDR4", rung), bar, kLanes, only, one);
    }
    add_time(fmt::format("batchlane/batchlane, {}, VGG-11, an iteration", rung), 3, kLanes, settings);
  }
}

}  // namespace weft::bench
