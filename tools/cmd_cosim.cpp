#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "model/core/error.h"
#include "platform/cosim/build.h"
#include "platform/cosim/campaign.h"
#include "platform/cosim/lockstep.h"
#include "platform/cosim/mutation.h"
#include "platform/cosim/subject.h"
#include "platform/design/designs.h"
#include "platform/design/load.h"
#include "platform/os/worker_pool.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/cosim_report.h"
#include "tools/network.h"
#include "tools/progress.h"

namespace weft::tools {

namespace {

void add_config_options(CLI::App& command, CosimOptions& options) {
  CLI::Option* config = command.add_option("CONFIG", options.config, "A run: a file, or a name in configs/runs");
  add_set(command, options.sets, "a value of the configuration, by its dotted key")->needs(config);
  add_only(command, options.only)->needs(config);
  command
      .add_option("--refuse", options.refuse, "Per cent of the cycles in which the AXI side accepts no address or beat")
      ->type_name("PERCENT")
      ->check(CLI::Range(0, 95))
      ->needs(config);
  CLI::Option* waves =
      command
          .add_option("--waves", options.waves,
                      "Waveforms (FST) around the first difference; of the first convolution if there is none")
          ->type_name("FILE")
          ->needs(config);
  command
      .add_option("--waves-from", options.waves_from, "First cycle of the waveforms, instead of around the difference")
      ->type_name("CYCLE")
      ->check(CLI::NonNegativeNumber)
      ->needs(waves);
  command.add_option("--waves-cycles", options.waves_cycles, "Cycles of the waveforms; 1000 unless given")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->needs(waves);
}

void add_campaign_options(CLI::App& command, CosimOptions& options) {
  CLI::Option* campaign =
      command.add_flag("--campaign", options.campaign, "Random convolutions on random builds of the RTL")
          ->excludes("CONFIG");
  command.add_option("--count", options.count, "Convolutions of the campaign; 2000 unless given")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000))
      ->needs(campaign);
  command.add_option("--seed", options.seed, "Of the campaign; 1 unless given")->type_name("S")->needs(campaign);
  command.add_option("--builds", options.builds, "Builds of the campaign; 60 unless given")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->needs(campaign);
  command
      .add_option("--case", options.only_case,
                  "Only this convolution of the campaign, after those that precede it on its build")
      ->type_name("I")
      ->check(CLI::Range(0, 1000000))
      ->needs(campaign);
  command.add_flag("--mutants", options.mutants, "Faults put into a copy of the RTL: all must be noticed")
      ->excludes(campaign)
      ->excludes("CONFIG");
}

}  // namespace

CLI::App* add_cosim(CLI::App& app, CosimOptions& options) {
  CLI::App* command = app.add_subcommand("cosim", "The RTL and the model side by side, every handshake compared");
  add_config_options(*command, options);
  add_campaign_options(*command, options);
  add_workers(*command, options.workers, "Processes");
  add_format(*command, options.format);
  command->footer(
      R"(Verilator compiles the RTL for each kernel of the run (10 to 60 seconds, kept for the next time); then the RTL and the
SystemC model run each convolution on random data against the same memory. Any difference ends with exit code 1. The
RTL of a 16 x 16 array makes some tens of thousands of cycles a second: choose small convolutions or few.

Examples:
  weft cosim conv-small --set kernel.array.x=4 --set kernel.array.y=4
      one convolution, every push, pop and word compared
  weft cosim resnet20-u250 --set batch=1 --set kernel.array.x=4 --set kernel.array.y=4 --only 'layer3.0.conv1:F' --refuse 30
      a real layer on DDR4, with an AXI side that refuses 30% of the time
  weft cosim conv-small --set kernel.array.x=4 --set kernel.array.y=4 --waves small.fst --waves-from 5000
      the same convolution, and cycles 5000 to 5999 as waveforms
  weft cosim --campaign --seed 7
      2000 random convolutions on 60 random builds
  weft cosim --campaign --seed 7 --case 1234
      one of them again
  weft cosim --mutants
      that the comparison can fail: every seeded fault must be noticed)");
  return command;
}

namespace {

// Random convolutions that a mutant may survive.
constexpr int kMutantCases = 300;

cosim::Workshop workshop() {
  return {WEFT_SOURCE_DIR, WEFT_COSIM_CACHE};
}

// The convolutions of a run, and what they are compared with.
class RunComparison {
 public:
  RunComparison(const CosimOptions& options, int workers) : options_(options), workers_(workers), run_(load(options)) {
    config::require_simulated_memory(run_);
    const cosim::Subject& subject = design::cosim_subject_of(design::design_of(run_));
    cases_ = subject.plan(run_, load_network(run_, project_library()));
  }

  std::vector<CosimRow> compare();
  // The convolution `unit` again, in a build with waveforms.
  void write_waves(std::size_t unit, const cosim::Verdict& verdict) const;

 private:
  // Plain, for the memory that workers share.
  struct Outcome {
    Cycles cycles;
    std::int64_t handshakes;
    std::array<char, 2000> difference;
  };

  static config::RunConfig load(const CosimOptions& options) {
    std::vector<config::Override> overrides = parse_overrides(options.sets);
    if (!options.only.empty()) overrides.push_back({"only", options.only, "--only " + options.only, true});
    return design::load_run(options.config, overrides, project_library());
  }
  cosim::Verdict run_unit(std::size_t unit, const cosim::BuildOptions& build, const cosim::Waves* waves) const;

  const CosimOptions& options_;
  int workers_;
  config::RunConfig run_;
  std::unique_ptr<cosim::RunCases> cases_;
};

cosim::Verdict RunComparison::run_unit(std::size_t unit, const cosim::BuildOptions& build,
                                       const cosim::Waves* waves) const {
  const cosim::RtlBuild rtl(cases_->hardware(unit), workshop(), build);
  cosim::PlacedCase placed = cases_->place(unit, run_.seed + unit);
  placed.surroundings.refuse_percent = options_.refuse;
  return cosim::run_lockstep(*rtl.make(), *placed.convolution, placed.stores, placed.surroundings, waves);
}

std::vector<CosimRow> RunComparison::compare() {
  const std::vector<cosim::RunCases::Unit>& units = cases_->units();
  std::vector<std::int64_t> weights;
  weights.reserve(units.size());
  for (const cosim::RunCases::Unit& unit : units) weights.push_back(unit.weight);
  Progress progress("cosim", std::accumulate(weights.begin(), weights.end(), std::int64_t{0}));
  for (std::size_t unit = 0; unit < units.size(); ++unit) {  // before there are workers
    if (unit == 0 || units[unit].row != units[unit - 1].row) cosim::RtlBuild(cases_->hardware(unit), workshop());
  }
  os::WorkerPool pool(units.size(), sizeof(Outcome), workers_);
  pool.run(
      os::longest_first(weights), weights,
      [&](std::size_t unit, void* memory, const std::function<void(Cycles)>&) {
        const cosim::Verdict verdict = run_unit(unit, {}, nullptr);
        auto* const outcome = new (memory) Outcome{verdict.cycles, verdict.handshakes, {}};
        std::strncpy(outcome->difference.data(), verdict.difference.c_str(), outcome->difference.size() - 1);
      },
      [&](std::int64_t done) { progress.update(done); });
  std::vector<CosimRow> rows;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const auto* const outcome = static_cast<const Outcome*>(pool.result(unit));
    CosimRow row{units[unit].name, units[unit].kind, {}};
    row.verdict.difference = outcome->difference.data();
    row.verdict.cycles = outcome->cycles;
    row.verdict.handshakes = outcome->handshakes;
    rows.push_back(std::move(row));
  }
  return rows;
}

void RunComparison::write_waves(std::size_t unit, const cosim::Verdict& verdict) const {
  const Cycles length = options_.waves_cycles;
  // Mostly what led to the difference.
  Cycles from = verdict.equal() ? 0 : std::max<Cycles>(0, verdict.cycles - length * 3 / 4);
  if (options_.waves_from >= 0) from = options_.waves_from;
  const cosim::Waves waves{options_.waves, from, length};
  cosim::BuildOptions build;
  build.waves = true;
  run_unit(unit, build, &waves);
  const cosim::RunCases::Unit& what = cases_->units()[unit];
  fmt::print(stderr, "weft: {}: waveforms of cycles {} to {} of {} {}\n", options_.waves, from, from + length - 1,
             what.layer, what.kind);
}

// Before minutes of work; leaves no file behind.
void require_writable(const std::filesystem::path& path) {
  const bool existed = std::filesystem::exists(path);
  if (!std::ofstream(path, std::ios::app)) throw Error(fmt::format("--waves {}: cannot be written", path.string()));
  if (!existed) std::filesystem::remove(path);
}

int compare_run(const CosimOptions& options, int workers, Format format) {
  RunComparison comparison(options, workers);
  if (!options.waves.empty()) require_writable(options.waves);
  const std::vector<CosimRow> rows = comparison.compare();
  const auto different =
      std::find_if(rows.begin(), rows.end(), [](const CosimRow& row) { return !row.verdict.equal(); });
  const bool equal = different == rows.end();
  print(report(rows).in(format));
  if (!options.waves.empty()) {
    const auto job = static_cast<std::size_t>(equal ? 0 : different - rows.begin());
    comparison.write_waves(job, rows[job].verdict);
  }
  return equal ? 0 : 1;
}

int campaign(const CosimOptions& options, int workers, Format format) {
  cosim::CampaignOptions what;
  what.seed = options.seed;
  what.count = options.count;
  what.builds = options.builds;
  what.workers = workers;
  if (options.only_case >= 0) what.only = options.only_case;
  Progress progress("campaign", options.count);
  const cosim::Subject& subject = design::cosim_subject_of(design::design_with_rtl());
  const cosim::CampaignResult result =
      cosim::run_campaign(subject, what, workshop(), [&](std::int64_t done, std::int64_t all) {
        progress.set_total(all);
        progress.update(done);
      });
  print(report(subject, result).in(format));
  return result.equal() ? 0 : 1;
}

int mutants(int workers, Format format) {
  const cosim::Subject& subject = design::cosim_subject_of(design::design_with_rtl());
  const std::vector<cosim::Mutant> faults = cosim::load_mutants(subject, project_library().configs / subject.faults());
  Progress progress("mutants", static_cast<std::int64_t>(faults.size()));
  const cosim::MutationResult result =
      cosim::run_mutants(subject, faults, workshop(), kMutantCases, workers, [&](std::int64_t done, std::int64_t all) {
        progress.set_total(all);
        progress.update(done);
      });
  print(report(result).in(format));
  return result.passed() ? 0 : 1;
}

}  // namespace

int cosim_command(const CosimOptions& options) {
  const Format format = parse_format(options.format, true);
  const int workers = workers_of(options.workers);
  if (options.campaign) return campaign(options, workers, format);
  if (options.mutants) return mutants(workers, format);
  if (options.config.empty()) throw Error("CONFIG is required, or --campaign or --mutants (see weft cosim --help)");
  return compare_run(options, workers, format);
}

}  // namespace weft::tools
