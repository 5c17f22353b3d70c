#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/cache.h"
#include "tools/cli/options.h"

namespace weft::tools {

// One pair per command: the values of its options (tools/main/command_line.cpp says what they are called), and what it
// does with them; the result is the exit code.

struct RunOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string rung, only, workers, verify, resume, columns;
  bool summary = false;
  std::string format = "table";
  std::string waves, perfetto, activity;
  std::optional<std::int64_t> trace_from, trace_cycles;
  bool strict_fit = false;
  SaveOptions save;
  CacheOptions cache;
};
int run_command(const RunOptions& options);

struct TimelineOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string rung, workers, perfetto, columns;
  std::optional<std::string> from;
  std::string format = "table";
  SaveOptions save;
  CacheOptions cache;
};
int timeline_command(const TimelineOptions& options);
int cluster_timeline_command(const TimelineOptions& options);  // where CONFIG is a cluster

struct TrainOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string rung, workers, columns;
  std::string format = "table";
  SaveOptions save;
};
int train_command(const TrainOptions& options);

struct PlanOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string format = "table";
  SaveOptions save;
};
int plan_command(const PlanOptions& options);

struct CardOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string execution = "fast", check, transcript, xclbin;
  std::string train, live, steps, batch, rate, data;
  bool compare = false, emulate = false;
  std::vector<std::string> program;  // and its arguments
};
int card_command(const CardOptions& options);

struct DramOptions {
  std::string trace;
  std::string board = "u250";
  std::string map;
  std::vector<std::string> sets;
  std::string format = "table";
};
int dram_command(const DramOptions& options);

struct ShowOptions {
  std::string what;
  std::vector<std::string> sets;
  bool yaml = false;
  // Of a network:
  bool training = false;
  std::string batch, loss;
  // Of a database of results:
  std::vector<std::string> where, minimize, maximize;
  std::string sort, columns, limit, point, sweep;
  std::string format = "table";
  bool summary = false;  // of a result of weft run
  bool descending = false, pareto = false, feasible = false, failed = false, convolutions = false, rerank = false;

  bool of_database_only() const {
    return !where.empty() || !minimize.empty() || !maximize.empty() || !sort.empty() || !limit.empty() ||
           !point.empty() || !sweep.empty() || descending || pareto || feasible || failed || convolutions || rerank;
  }
  bool of_database() const { return of_database_only() || !columns.empty() || summary; }
  bool of_results() const { return of_database() || (format != "table" && !training); }
};
int show_command(const ShowOptions& options);

struct ExplainOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string rung, only, workers, search_batch, columns;
  std::string format = "table";
  SaveOptions save;
  CacheOptions cache;
};
int explain_command(const ExplainOptions& options);

struct CacheCommandOptions {
  std::string action, directory;
};
int cache_command(const CacheCommandOptions& options);

struct CompareOptions {
  std::string a, b;
  std::vector<std::string> sets;
  std::string only, fail_above, workers, columns;
  std::string most = "20";
  std::string format = "table";
};
int compare_command(const CompareOptions& options);

struct ReportOptions {
  std::vector<std::string> results;
  std::string out;
};
int report_command(const ReportOptions& options);

struct SweepOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string out, workers, points, rerank, slurm, sbatch;
  std::vector<std::string> merge;
  std::string slurm_poll = "2", rank_timeout = "15";
  bool dry_run = false, beside = false, retry_failed = false;
  CacheOptions cache;
};
int sweep_command(const SweepOptions& options);

struct CosimOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string only, columns;
  int refuse = 0;
  std::string rtl, waves;
  std::int64_t waves_from = -1, waves_cycles = 1000;
  bool campaign = false;
  std::string design;   // of the campaign or the faults; empty: the first with RTL
  std::string numbers;  // of the campaign; empty: the usual ones
  std::uint64_t seed = 1;
  int count = 2000, builds = 60, only_case = -1;
  bool mutants = false;
  std::string workers;
  std::string format = "table";
};
int cosim_command(const CosimOptions& options);

struct MutantsOptions {
  std::string name;
  std::string format = "table";
};
int mutants_command(const MutantsOptions& options);

struct RtlOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string only, out;
};
int rtl_command(const RtlOptions& options);

struct SynthOptions {
  std::string kernel;
  std::vector<std::string> sets;
  std::string run = "conv-small";
  std::string block, workers, calibrate, design, columns;
  bool whole = false, errors = false;
  std::string format = "table";
};
int synth_command(const SynthOptions& options);

struct HostProfileOptions {
  std::string network;
  std::vector<std::string> sets;
  std::string batch, threads, repeat, loss, matrices, host, out;
  std::string format = "table";
  bool forward = false, convolutions = false;
};
int host_profile_command(const HostProfileOptions& options);

struct DseOptions {
  std::vector<std::string> configs;
  std::vector<std::string> sets;
  std::string only, rerank, workers, columns;
  std::string format = "table";
  SaveOptions save;
  CacheOptions cache;
};
int dse_command(const DseOptions& options);

struct ValidateOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string only, kernels, model, against, baseline, save_baseline, junit, workers, columns;
  std::string format = "table";
  SaveOptions save;
};
int validate_command(const ValidateOptions& options);

struct BenchOptions {
  bool growth = false;
  std::string only;
  std::string format = "table";
};
int bench_command(const BenchOptions& options);

}  // namespace weft::tools
