#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/catalogue/rtl_designs.h"
#include "platform/hardware/cosim/build.h"
#include "platform/hardware/cosim/campaign.h"
#include "platform/hardware/cosim/lockstep.h"
#include "platform/hardware/cosim/mutation.h"
#include "platform/hardware/cosim/rtl_design.h"
#include "platform/hardware/waves/fst_writer.h"
#include "platform/hardware/waves/save_file.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/content.h"
#include "platform/os/data_root.h"
#include "platform/os/standard_streams.h"
#include "platform/os/temporary_folder.h"
#include "platform/os/worker_pool.h"
#include "platform/record/bytes.h"
#include "tools/cli/commands.h"
#include "tools/cosim/report.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

struct CosimOptions : ResultOptions {
  int refuse = 0;
  std::string rtl, waves;
  std::int64_t waves_from = -1, waves_cycles = 1000;
  bool campaign = false, mutants = false;
  cosim::CampaignOptions random;  // of the campaign; `design`: also of the faults, default: first design with RTL
  int only_case = -1;
};

void add_campaign_options(Arguments& command, CosimOptions& options, const Argument& campaign) {
  command.heading(headings::kCampaign);
  command.add_option("--count", options.random.count, "N", "Number of convolutions (default 2000)")
      .range(1, 1000000)
      .needs(campaign);
  command.add_option("--builds", options.random.builds, "N", "Number of builds of the RTL (default 60)")
      .range(1, 1000)
      .needs(campaign);
  command.add_option("--seed", options.random.seed, "S", "Seed of the random numbers (default 1)").needs(campaign);
  command.add_option("--case", options.only_case, "I", "Only convolution I, after the earlier ones on its build")
      .range(0, 1000000)
      .needs(campaign);
  command
      .add_option("--numbers", options.random.numbers, "NAME",
                  "Number format: fp32, or fixed with 4 to 16 bits (default fp32)")
      .needs(campaign);
}

void add_waves_options(Arguments& command, CosimOptions& options, const Argument& config) {
  command.heading(headings::kFiles);
  const Argument waves =
      command.add_option("--waves", options.waves, "FILE", "Waveforms (FST) around the first difference").needs(config);
  command.add_option("--waves-from", options.waves_from, "CYCLE", "First cycle of the waveforms")
      .not_negative()
      .needs(waves);
  command.add_option("--waves-cycles", options.waves_cycles, "N", "Cycles of the waveforms (default 1000)")
      .positive()
      .needs(waves);
}

void declare(Arguments& command, CosimOptions& options) {
  const Argument config = command.add_argument("CONFIG", options.config, "Run: a file, or a name in configs/runs");
  command.add_set(options.sets, "a key of the run").needs(config);
  command.add_only(options.only).needs(config);
  const Argument campaign =
      command.add_flag("--campaign", options.campaign, "Compare random convolutions on random builds instead of CONFIG")
          .excludes("CONFIG");
  command.add_flag("--mutants", options.mutants, "Check that faults in a copy of the RTL are detected")
      .excludes(campaign)
      .excludes("CONFIG");
  command.add_option("--design", options.random.design, "NAME", "Design of --campaign or --mutants (default fpgpt)")
      .excludes("CONFIG");
  command
      .add_option("--refuse", options.refuse, "PERCENT", "Percentage of cycles with the AXI side not ready (default 0)")
      .range(0, 95)
      .needs(config);
  command.add_option("--rtl", options.rtl, "DIR", "RTL written by weft rtl, instead of the project's").needs(config);
  add_campaign_options(command, options, campaign);
  command.add_format(options.format);
  command.add_columns(options.columns);
  command.add_workers(options.workers);
  add_waves_options(command, options, config);
}

// Number of random convolutions after which a mutant counts as survived.
constexpr int kMutantCases = 300;

cosim::BuildContext build_context() {
  return {os::data_root(), build_cache(WEFT_COSIM_CACHE)};
}

// Convolutions of a run, compared with the RTL.
class RunComparison {
 public:
  RunComparison(const CosimOptions& options, int workers)
      : options_(options),
        workers_(workers),
        run_(design::load_run(options.config, changes_of(options), project_library())) {
    config::require_simulated_memory(run_);
    const cosim::RtlDesign& rtl_design = design::rtl_design_of(design::design_of(run_));
    cases_ = rtl_design.plan(run_, training::load_network(run_, project_library()));
  }

  cosim::RunComparisonResult compare();
  // Repeats the convolution `unit` in a build with waveforms.
  void write_waves(std::size_t unit, const cosim::Verdict& verdict, const OutputFile& file,
                   const OutputFile& save) const;

 private:
  // A result as bytes, in memory shared by the workers.
  struct Outcome {
    std::size_t size;
    std::array<char, 16384> bytes;
  };

  cosim::BuildOptions build_of(std::size_t unit) const {
    if (options_.rtl.empty()) return {};
    return cosim::exported_build(options_.rtl, run_, cases_->hardware(unit));
  }
  // Completes the path of the file in the verdict's first difference.
  void name_file(cosim::Verdict& verdict, const rtl::Sources& sources) const {
    std::string& file = verdict.first.in.file;
    if (file.empty()) return;
    const auto& root = os::data_root();
    file = options_.rtl.empty() ? fs::relative(rtl::file(sources, build_context(), file), root).string()
                                : (fs::path(options_.rtl) / "rtl" / file).string();
    verdict.difference = cosim::text(verdict.first);
  }
  cosim::Verdict run_unit(std::size_t unit, const cosim::BuildOptions& build, const cosim::Waves* waves) const {
    const cosim::RtlBuild rtl(cases_->hardware(unit), build_context(), build);
    cosim::PlacedCase placed = cases_->place(unit, run_.seed + unit);
    placed.environment.refuse_percent = options_.refuse;
    return cosim::run_lockstep(*rtl.make(), *placed.convolution, placed.stores, placed.environment, waves);
  }

  const CosimOptions& options_;
  int workers_;
  config::RunConfig run_;
  std::unique_ptr<cosim::RunCases> cases_;
};

cosim::RunComparisonResult RunComparison::compare() {
  const std::vector<cosim::RunCases::Unit>& units = cases_->units();
  std::vector<std::int64_t> weights;
  weights.reserve(units.size());
  for (const cosim::RunCases::Unit& unit : units) weights.push_back(unit.weight);
  Progress progress("cosim", std::accumulate(weights.begin(), weights.end(), std::int64_t{0}));
  for (std::size_t unit = 0; unit < units.size(); ++unit) {  // before workers are forked
    if (unit == 0 || units[unit].row != units[unit - 1].row)
      cosim::RtlBuild(cases_->hardware(unit), build_context(), build_of(unit));
  }
  os::WorkerPool pool(units.size(), sizeof(Outcome), workers_);
  pool.run(
      os::Deal::LongestFirst, weights,
      [&](std::size_t unit, void* memory, const std::function<void(Cycles)>&) {
        const cosim::UnitResult row{{units[unit].name, units[unit].kind, run_unit(unit, build_of(unit), nullptr)}};
        const std::string bytes = record::to_bytes(row);
        auto* const outcome = new (memory) Outcome{};
        outcome->size = bytes.copy(outcome->bytes.data(), outcome->bytes.size());
      },
      [&](std::int64_t done) { progress.update(done); });
  cosim::RunComparisonResult result;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const auto* const outcome = static_cast<const Outcome*>(pool.result(unit));
    auto row = record::from_bytes<cosim::UnitResult>({outcome->bytes.data(), outcome->size});
    name_file(row.verdict, cases_->hardware(unit).rtl.sources);
    result.units.push_back(std::move(row));
  }
  return result;
}

void RunComparison::write_waves(std::size_t unit, const cosim::Verdict& verdict, const OutputFile& file,
                                const OutputFile& save) const {
  const Cycles length = options_.waves_cycles;
  // Default window: mostly the cycles before the difference.
  Cycles from = verdict.equal() ? 0 : std::max<Cycles>(0, verdict.cycles - length * 3 / 4);
  if (options_.waves_from >= 0) from = options_.waves_from;
  const os::TemporaryFolder folder(fs::temp_directory_path(), "weft-waves-");
  const cosim::Waves waves{folder.path() / "waves.fst", from, length};
  cosim::BuildOptions build = build_of(unit);
  build.waves = true;
  run_unit(unit, build, &waves);
  const waves::WriterBuild library(os::data_root(), build_cache(WEFT_WAVES_CACHE));
  file.write(waves::marked_fst(os::content(waves.file)));
  save.write(cosim::save_file({file.path().filename(), library.names(waves.file), from, run_.kernel->clock},
                              *cases_->hardware(unit).topology, verdict));
  const cosim::RunCases::Unit& what = cases_->units()[unit];
  os::say(fmt::format("weft: {}: waveforms of cycles {} to {} of {} {}\n", options_.waves, from, from + length - 1,
                      what.layer, what.kind));
}

int compare_run(const CosimOptions& options, int workers, Format format, const TableView& view) {
  RunComparison comparison(options, workers);
  std::optional<OutputFile> waves, save;
  if (!options.waves.empty()) {
    waves::check_name("--waves", options.waves);
    waves.emplace(options.waves, "--waves", waves::kFstVersion);
    save.emplace(fs::path(options.waves).replace_extension(".gtkw"), "--waves", "[dumpfile] ");
  }
  const cosim::RunComparisonResult result = comparison.compare();
  if (waves) {
    const auto first = std::find_if(result.units.begin(), result.units.end(),
                                    [](const cosim::UnitResult& unit) { return !unit.verdict.equal(); });
    const auto job = first == result.units.end() ? 0 : static_cast<std::size_t>(first - result.units.begin());
    comparison.write_waves(job, result.units[job].verdict, *waves, *save);
  }
  print(report(result, view), format);
  return result.equal() ? 0 : 1;
}

// RtlDesign of commands that name no run.
const cosim::RtlDesign& subject_of(const CosimOptions& options) {
  const std::string& name = options.random.design;
  return design::rtl_design_of(name.empty() ? design::design_with_rtl() : design::design_named(name));
}

std::string numbers_of(const cosim::RtlDesign& rtl_design, const std::string& given) {
  const std::vector<const char*> all = rtl_design.numbers();
  if (given.empty()) return all.front();
  if (std::find(all.begin(), all.end(), given) != all.end()) return given;
  throw Error(fmt::format("--numbers: must be {}, not '{}'", fmt::join(all, " or "), given));
}

int campaign(const CosimOptions& options, int workers, Format format, const TableView& view) {
  const cosim::RtlDesign& rtl_design = subject_of(options);
  cosim::CampaignOptions what = options.random;
  what.numbers = numbers_of(rtl_design, what.numbers);
  what.workers = workers;
  if (options.only_case >= 0) what.only = options.only_case;
  Progress progress("campaign", what.count);
  const cosim::CampaignResult result = cosim::run_campaign(rtl_design, what, build_context(), progress.watcher());
  print(report(rtl_design, result, view), format);
  return result.equal() ? 0 : 1;
}

int mutants(const CosimOptions& options, int workers, Format format, const TableView& view) {
  const cosim::RtlDesign& rtl_design = subject_of(options);
  const std::vector<cosim::Mutant> faults =
      cosim::load_mutants(rtl_design, project_library().configs / rtl_design.faults());
  Progress progress("mutants", static_cast<std::int64_t>(faults.size()));
  const cosim::MutationResult result =
      cosim::run_mutants(rtl_design, faults, build_context(), kMutantCases, workers, progress.watcher());
  print(report(result, view), format);
  return result.passed() ? 0 : 1;
}

int execute(const CosimOptions& options) {
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

}  // namespace

Command cosim_command() {
  return command<CosimOptions>("cosim", "Compare the RTL with the model at every handshake", declare, execute);
}

}  // namespace weft::tools
