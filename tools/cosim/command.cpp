#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <optional>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/catalogue/load.h"
#include "platform/catalogue/rtl_designs.h"
#include "platform/hardware/cosim/build.h"
#include "platform/hardware/cosim/campaign.h"
#include "platform/hardware/cosim/lockstep.h"
#include "platform/hardware/cosim/mutation.h"
#include "platform/hardware/cosim/subject.h"
#include "platform/hardware/waves/fst_writer.h"
#include "platform/os/content.h"
#include "platform/os/standard_streams.h"
#include "platform/os/temporary_folder.h"
#include "platform/os/worker_pool.h"
#include "tools/cli/cache.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands.h"
#include "tools/cli/progress.h"
#include "tools/cosim/report.h"
#include "tools/results/output_file.h"
#include "tools/rtl/package.h"
#include "tools/run/network.h"

namespace weft::tools {

namespace {

// Random convolutions that a mutant may survive.
constexpr int kMutantCases = 300;

cosim::Workshop workshop() {
  return {WEFT_SOURCE_DIR, build_cache(WEFT_COSIM_CACHE)};
}

// An FST file of Verilator's with the version of those that weft writes, by which it may be replaced later. The field
// has 128 bytes, zeros after the text.
std::string marked_fst(std::string fst) {
  constexpr std::string_view kVerilators = "fstWriter";
  std::string version = waves::kFstVersion;
  version.resize(kVerilators.size());
  if (const std::size_t at = fst.find(kVerilators); at < 1024) fst.replace(at, version.size(), version);
  return fst;
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
  void write_waves(std::size_t unit, const cosim::Verdict& verdict, const OutputFile& file) const;

 private:
  cosim::BuildOptions build_of(std::size_t unit) const;
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

cosim::BuildOptions RunComparison::build_of(std::size_t unit) const {
  if (options_.rtl.empty()) return {};
  return exported_build(options_.rtl, run_, cases_->hardware(unit));
}

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
    if (unit == 0 || units[unit].row != units[unit - 1].row)
      cosim::RtlBuild(cases_->hardware(unit), workshop(), build_of(unit));
  }
  os::WorkerPool pool(units.size(), sizeof(Outcome), workers_);
  pool.run(
      os::Deal::LongestFirst, weights,
      [&](std::size_t unit, void* memory, const std::function<void(Cycles)>&) {
        const cosim::Verdict verdict = run_unit(unit, build_of(unit), nullptr);
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

void RunComparison::write_waves(std::size_t unit, const cosim::Verdict& verdict, const OutputFile& file) const {
  const Cycles length = options_.waves_cycles;
  // Mostly what led to the difference.
  Cycles from = verdict.equal() ? 0 : std::max<Cycles>(0, verdict.cycles - length * 3 / 4);
  if (options_.waves_from >= 0) from = options_.waves_from;
  const os::TemporaryFolder folder(std::filesystem::temp_directory_path(), "weft-waves-");
  const cosim::Waves waves{folder.path() / "waves.fst", from, length};
  cosim::BuildOptions build = build_of(unit);
  build.waves = true;
  run_unit(unit, build, &waves);
  file.write(marked_fst(os::content(waves.file)));
  const cosim::RunCases::Unit& what = cases_->units()[unit];
  os::say(fmt::format("weft: {}: waveforms of cycles {} to {} of {} {}\n", options_.waves, from, from + length - 1,
                      what.layer, what.kind));
}

int compare_run(const CosimOptions& options, int workers, Format format, const TableView& view) {
  RunComparison comparison(options, workers);
  std::optional<OutputFile> waves;
  if (!options.waves.empty()) waves.emplace(options.waves, "--waves", waves::kFstVersion);
  const std::vector<CosimRow> rows = comparison.compare();
  const auto different =
      std::find_if(rows.begin(), rows.end(), [](const CosimRow& row) { return !row.verdict.equal(); });
  const bool equal = different == rows.end();
  if (waves) {
    const auto job = static_cast<std::size_t>(equal ? 0 : different - rows.begin());
    comparison.write_waves(job, rows[job].verdict, *waves);
  }
  print(report(rows, view), format);
  return equal ? 0 : 1;
}

// Of what names no run.
const cosim::Subject& subject_of(const CosimOptions& options) {
  return design::cosim_subject_of(options.design.empty() ? design::design_with_rtl()
                                                         : design::design_named(options.design));
}

std::string numbers_of(const cosim::Subject& subject, const CosimOptions& options) {
  const std::vector<const char*> all = subject.numbers();
  if (options.numbers.empty()) return all.front();
  if (std::find(all.begin(), all.end(), options.numbers) != all.end()) return options.numbers;
  throw Error(fmt::format("--numbers {}: the RTL computes in {}", options.numbers, fmt::join(all, " or ")));
}

int campaign(const CosimOptions& options, int workers, Format format, const TableView& view) {
  cosim::CampaignOptions what;
  what.design = options.design;
  what.numbers = numbers_of(subject_of(options), options);
  what.seed = options.seed;
  what.count = options.count;
  what.builds = options.builds;
  what.workers = workers;
  if (options.only_case >= 0) what.only = options.only_case;
  const cosim::Subject& subject = subject_of(options);
  Progress progress("campaign", options.count);
  const cosim::CampaignResult result =
      cosim::run_campaign(subject, what, workshop(), [&](std::int64_t done, std::int64_t all) {
        progress.set_total(all);
        progress.update(done);
      });
  print(report(subject, result, view), format);
  return result.equal() ? 0 : 1;
}

int mutants(const CosimOptions& options, int workers, Format format, const TableView& view) {
  const cosim::Subject& subject = subject_of(options);
  const std::vector<cosim::Mutant> faults = cosim::load_mutants(subject, project_library().configs / subject.faults());
  Progress progress("mutants", static_cast<std::int64_t>(faults.size()));
  const cosim::MutationResult result =
      cosim::run_mutants(subject, faults, workshop(), kMutantCases, workers, [&](std::int64_t done, std::int64_t all) {
        progress.set_total(all);
        progress.update(done);
      });
  print(report(result, view), format);
  return result.passed() ? 0 : 1;
}

}  // namespace

int cosim_command(const CosimOptions& options) {
  const Format format = parse_format(options.format, true);
  const TableView view = table_view(options.columns, format);
  check(view, report::columns_of(options.campaign  ? campaign_columns(subject_of(options))
                                 : options.mutants ? kMutantColumns
                                                   : kCosimColumns));
  const int workers = workers_of(options.workers);
  if (options.campaign) return campaign(options, workers, format, view);
  if (options.mutants) return mutants(options, workers, format, view);
  if (options.config.empty()) throw Error("CONFIG is required, or --campaign or --mutants (see weft cosim --help)");
  return compare_run(options, workers, format, view);
}

}  // namespace weft::tools
