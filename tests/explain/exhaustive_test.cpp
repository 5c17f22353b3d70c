#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/iteration/timeline/result.h"
#include "platform/iteration/timeline/run_iteration.h"
#include "platform/run/figures.h"
#include "platform/run/simulate.h"
#include "platform/studies/explain/explain.h"

// The end of `weft explain` against the least time of all combinations of its steps, by the equations. The combinations
// are written down here a second time, as keys of a run.
namespace weft {
namespace {

using config::RunConfig;
using fpgpt::KernelConfig;
using fpgpt::Storage;
using timeline::Part;

constexpr int kWidestBand = 32;  // words of 32 bits: the widest AXI4 bus has 1024
constexpr int kDspOfPe = 9;      // of FP32
constexpr double kWithin = 1.03;

// Convolutions on one kernel or on a set of kernels.
struct Candidate {
  RunConfig run;
  std::vector<Part> parts;  // without rows
  Picoseconds convolutions = 0;
  std::vector<std::int64_t> launches;  // register writes, start and end of each launch of each convolution
};

struct Best {
  Picoseconds iteration = std::numeric_limits<Picoseconds>::max();
  RunConfig run;
  std::int64_t combinations = 0, candidates = 0, iterations = 0;  // all; not left out below; built
};

// True if no value of `a` is larger than that of `b`, and both have the same launches.
bool no_slower(const Candidate& a, const Candidate& b) {
  if (a.launches.size() != b.launches.size()) return false;
  for (std::size_t i = 0; i < a.launches.size(); ++i) {
    if (a.launches[i] > b.launches[i]) return false;
  }
  return true;
}

// All values of some switches of a schedule: each as it is and as its step sets it.
template <class T>
std::vector<config::Schedule> with_both(const std::vector<config::Schedule>& before, T config::Schedule::*key,
                                        T value) {
  std::vector<config::Schedule> all = before;
  for (const config::Schedule& without : before) {
    if (without.*key == value) continue;
    config::Schedule each = without;
    each.*key = value;
    all.push_back(each);
  }
  return all;
}

std::vector<config::Schedule> schedules(const config::Schedule& start) {
  using config::Schedule;
  std::vector<Schedule> all{start};
  all = with_both(all, &Schedule::load, config::LoadKind::Region);
  all = with_both(all, &Schedule::order, config::Order::FewestLoads);
  all = with_both(all, &Schedule::load_time, config::LoadTime::Ahead);
  all = with_both(all, &Schedule::updates, config::Updates::AsReady);
  all = with_both(all, &Schedule::transfers, config::Transfers::KeepActivations);
  all = with_both(all, &Schedule::overlap, config::Overlap::DoubleBuffer);
  return with_both(all, &Schedule::calls, config::Calls::Xrt);
}

// The best of all combinations. Not built, because it cannot be better than one that is built:
// - Memories in URAM change the fit alone: the first placement that fits stands for all.
// - A profile no convolution of which is faster than with another profile on the same kernel. The schedule issues
//   operators in an order that does not depend on times, and each starts at the latest of the ends that it waits for.
//   So no operator of the iteration ends earlier where one takes longer.
// - Kernels with which convolutions and host operators alone take as long as the best iteration so far. The host
//   computes no operator while the card computes, and the card computes one convolution at a time, in every schedule.
class AllCombinations {
 public:
  explicit AllCombinations(const std::string& name) : run_(load(name)), iterations_(library_) {}

  RunConfig load(const std::string& name, const std::vector<std::string>& sets = {}) const {
    std::vector<config::Override> overrides{config::parse_override("rung=analytical"),
                                            config::parse_override("batch=256")};
    for (const std::string& set : sets) overrides.push_back(config::parse_override(set));
    return design::load_run(name, overrides, library_);
  }
  const RunConfig& run() const { return run_; }
  const config::Library& library() const { return library_; }

  Best best() {
    add_arrays();
    add_shared();
    const std::vector<config::Schedule> all = schedules(run_.schedule);
    best_.combinations *= static_cast<std::int64_t>(all.size());
    best_.candidates = static_cast<std::int64_t>(candidates_.size());
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.convolutions < b.convolutions; });
    const Picoseconds host = host_time();
    for (Candidate& candidate : candidates_) {
      if (candidate.convolutions + host >= best_.iteration) break;
      for (Part& part : candidate.parts) part.rows = run::prepare(part.run, part.network).rows;
      for (config::Schedule how : all) {
        RunConfig run = candidate.run;
        how.kernels = run.schedule.kernels;
        run.schedule = how;
        rate(run, candidate.parts);
      }
      candidate.parts.clear();
    }
    return std::move(best_);
  }

 private:
  // Adds every array and every way to size its memories.
  void add_arrays() {
    const KernelConfig start = KernelConfig::of(run_);
    const std::int64_t most = run_.board.dsp->usable / kDspOfPe;
    std::vector<int> heights;
    for (int y = start.y;; y /= 2) {
      heights.push_back(y);
      if (y % 2 != 0) break;
    }
    for (int y = 2 * start.y; y <= most; y *= 2) heights.push_back(y);
    for (const int band : bands()) {
      for (int x = start.x; x <= most; x *= 2) {
        for (const int y : heights) {
          if (std::int64_t{x} * y > most) continue;
          for (int sizes = 0; sizes < 3; ++sizes) {
            KernelConfig kernel = start;
            kernel.band = band;
            kernel.x = x;
            kernel.y = y;
            if (sizes > 0) share(kernel);
            if (sizes > 1) kernel.variant = fpgpt::VariantChoice::Both;
            add_profiles(kernel);
          }
        }
      }
    }
  }
  static void share(KernelConfig& kernel) {
    fpgpt::for_each_size([&](const char*, auto size, auto) { (kernel.*size).fit = fpgpt::Size::Fit::Shared; });
  }
  std::vector<int> bands() const {
    const int band = KernelConfig::of(run_).band;
    if (2 * band > kWidestBand) return {band};
    return {band, 2 * band};
  }

  // Adds the profiles of a kernel of which none is slower than another in every convolution.
  void add_profiles(KernelConfig kernel) {
    best_.combinations += kProfiles;
    if (!place(kernel)) return;
    std::vector<Candidate> fastest;
    for (int switches = kProfiles - 1; switches >= 0; --switches) {
      RunConfig run = with_switches(kernel, switches);
      std::optional<Candidate> made = candidate(run, {{run, network_, {}, false}});
      if (!made) continue;
      const auto slower = [&](const Candidate& each) { return no_slower(each, *made); };
      if (std::any_of(fastest.begin(), fastest.end(), slower)) continue;
      fastest.erase(
          std::remove_if(fastest.begin(), fastest.end(), [&](const Candidate& each) { return no_slower(*made, each); }),
          fastest.end());
      fastest.push_back(std::move(*made));
    }
    for (Candidate& each : fastest) {
      each.launches = {};
      candidates_.push_back(std::move(each));
    }
  }
  // Puts the memories where they fit. False: nowhere.
  bool place(KernelConfig& kernel) const {
    for (int memories = 0; memories < 8; ++memories) {
      const auto in_uram = [&](int bit, Storage as_it_is) {
        return (memories >> bit) % 2 != 0 ? Storage::URAM : as_it_is;
      };
      KernelConfig placed = kernel;
      placed.inp_storage = in_uram(0, kernel.inp_storage);
      placed.kern_storage = in_uram(1, kernel.kern_storage);
      placed.out_storage = in_uram(2, kernel.out_storage);
      const RunConfig run = config::with_kernel(run_, placed);
      if (!candidate(run, {{run, network_, {}, false}})) continue;
      kernel = placed;
      return true;
    }
    return false;
  }

  // Adds the fewest kernels within each penalty: other kernels with every profile.
  void add_shared() {
    for (const int band : bands()) {
      for (const int percent : {20, 100}) {
        for (int switches = 0; switches < kProfiles; ++switches) {
          KernelConfig kernel = KernelConfig::of(run_);
          kernel.band = band;
          RunConfig run = with_switches(kernel, switches);
          run.schedule.kernels.dse = "fewest-kernels";
          run.schedule.kernels.penalty_milli_percent = std::int64_t{1000} * percent;
          ++best_.combinations;
          std::optional<Candidate> made = candidate(run, iterations_.parts(run, network_));
          if (!made) continue;
          made->launches = {};
          candidates_.push_back(std::move(*made));
        }
      }
    }
  }

  static constexpr int kProfiles = 1 << std::size(fpgpt::kProfileSwitches);
  RunConfig with_switches(const KernelConfig& without, int switches) const {
    KernelConfig kernel = without;
    for (std::size_t i = 0; i < std::size(fpgpt::kProfileSwitches); ++i) {
      if ((switches >> i) % 2 != 0) kernel.profile.*fpgpt::kProfileSwitches[i].on = true;
    }
    return config::with_kernel(run_, kernel);
  }

  // The convolutions of a run on its parts; nothing if a kernel is impossible or does not fit.
  std::optional<Candidate> candidate(const RunConfig& run, std::vector<Part> parts) const {
    Candidate made{run, std::move(parts), 0, {}};
    try {
      for (const Part& part : made.parts) {
        const run::Result result = run::prepare(part.run, part.network);
        if (!run::rows_that_do_not_fit(result).empty()) return std::nullopt;
        const Frequency clock = part.run.kernel->clock;
        for (const design::Row& row : result.rows) {
          for (const design::LaunchedUnit& unit : row.units) {
            const design::Launch& launch = unit.launch;
            const Cycles end = launch.to_start + unit.cycles + launch.to_done;
            made.launches.insert(made.launches.end(), {launch.register_writes, launch.to_start, end});
            made.convolutions += duration(unit.cycles, clock);
          }
        }
      }
    } catch (const Error&) {
      return std::nullopt;
    }
    return made;
  }

  // Least time of the host's operators, which no step changes.
  Picoseconds host_time() {
    Picoseconds least = std::numeric_limits<Picoseconds>::max();
    const std::vector<Part> parts{{run_, network_, run::prepare(run_, network_).rows, false}};
    for (const auto updates : {config::Updates::AtEnd, config::Updates::AsReady}) {
      RunConfig run = run_;
      run.schedule.updates = updates;
      Picoseconds sum = 0;
      for (const timeline::Step& step : iterations_.of(run, parts).timeline.steps) {
        if (step.activity == timeline::StepKind::HostOperator) sum += step.duration();
      }
      least = std::min(least, sum);
    }
    return least;
  }

  void rate(const RunConfig& run, const std::vector<Part>& parts) {
    try {
      const Picoseconds end = iterations_.of(run, parts).timeline.end;
      ++best_.iterations;
      if (end >= best_.iteration) return;
      best_.iteration = end;
      best_.run = run;
    } catch (const Error&) {
      // Tensors do not fit the card's memory with this schedule.
    }
  }

  config::Library library_{WEFT_CONFIG_DIR};
  RunConfig run_;
  timeline::Iterations iterations_;
  workloads::Network network_ = iterations_.network(run_);
  std::vector<Candidate> candidates_;
  Best best_;
};

class EndOfTheLadder : public testing::TestWithParam<std::string> {};

TEST_P(EndOfTheLadder, IsNearTheBestOfAllCombinations) {
  const std::string name = GetParam();
  AllCombinations combinations(name);
  explain::Request request;
  request.run = combinations.run();
  request.library = combinations.library();
  request.config = name;
  request.command = "weft run " + name;
  request.load = [&](const std::vector<std::string>& sets) { return combinations.load(name, sets); };
  request.workers = 2;
  const explain::Explanation explanation = explain::explain(request, {}).explanation;
  const explain::Line& end = explanation.end();

  const Best best = combinations.best();
  const double hours = timeline::seconds(best.iteration) * static_cast<double>(best.run.iterations_per_epoch()) / 3600;
  std::cout << fmt::format(
      "{}: explain ends at {:.5f} h an epoch, the best of {} combinations takes {:.5f} h ({:+.2f}%)\n"
      "  {} of the kernels and profiles may be best, {} iterations were built\n  best: {}, overlap {}, order {}\n",
      name, *end.figures.epoch_hours, best.combinations, hours, 100 * (*end.figures.epoch_hours / hours - 1),
      best.candidates, best.iterations,
      best.run.schedule.kernels.given() ? "fewest-kernels" : best.run.kernel->text().headline,
      static_cast<int>(best.run.schedule.overlap), static_cast<int>(best.run.schedule.order));
  EXPECT_EQ(*end.figures.misfits, 0);
  EXPECT_LE(*end.figures.epoch_hours, kWithin * hours);
  EXPECT_GE(*end.figures.epoch_hours, (1 - 1e-9) * hours) << "a combination of steps was not tried";
}

// WEFT_EXHAUSTIVE: further runs, such as googlenet-u250,mobilenet-u250, which take three and six minutes.
std::vector<std::string> runs() {
  std::vector<std::string> all{"resnet20-u250", "alexnet-u250"};
  const char* const more = std::getenv("WEFT_EXHAUSTIVE");
  std::istringstream names(more ? more : "");
  for (std::string name; std::getline(names, name, ',');) all.push_back(name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Runs, EndOfTheLadder, testing::ValuesIn(runs()), [](const auto& run) {
  std::string name = run.param;
  name.erase(name.find('-'));
  return name;
});

}  // namespace
}  // namespace weft
