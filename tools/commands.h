#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace weft::tools {

// One pair per command: what its options are, and what it does with them; the result is the exit code.

struct RunOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string rung, only, out, workers;
  std::string format = "table";
  bool strict_fit = false;
  bool no_save = false;
};
CLI::App* add_run(CLI::App& app, RunOptions& options);
int run_command(const RunOptions& options);

struct DramOptions {
  std::string trace;
  std::string board = "u250";
  std::string map;
  std::vector<std::string> sets;
  std::string format = "table";
};
CLI::App* add_dram(CLI::App& app, DramOptions& options);
int dram_command(const DramOptions& options);

struct ShowOptions {
  std::string what;
  std::vector<std::string> sets;
  bool yaml = false;
};
CLI::App* add_show(CLI::App& app, ShowOptions& options);
int show_command(const ShowOptions& options);

struct CosimOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string only;
  int refuse = 0;
  std::string format = "table";
};
CLI::App* add_cosim(CLI::App& app, CosimOptions& options);
int cosim_command(const CosimOptions& options);

struct ValidateOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string only, kernels, model, against, baseline, save_baseline, junit, out, workers;
  std::string format = "table";
  bool no_save = false;
};
CLI::App* add_validate(CLI::App& app, ValidateOptions& options);
int validate_command(const ValidateOptions& options);

struct BenchOptions {
  std::string format = "table";
};
CLI::App* add_bench(CLI::App& app, BenchOptions& options);
int bench_command(const BenchOptions& options);

}  // namespace weft::tools
