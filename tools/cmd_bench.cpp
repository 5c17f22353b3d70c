#include <CLI/CLI.hpp>

#include "tools/bench.h"
#include "tools/bench_growth.h"
#include "tools/cli.h"
#include "tools/commands.h"

namespace weft::tools {

CLI::App* add_bench(CLI::App& app, BenchOptions& options) {
  CLI::App* command = app.add_subcommand("bench", "The project's own speed, as ratios from one run");
  command
      ->add_option(
          "--only", options.only,
          "Only this part: systemc, exact, headline, ddr4, pcie, start-up, sweep, rtl, card, transfers or hosts")
      ->type_name("PART");
  command
      ->add_flag("--growth", options.growth,
                 "Instead: what the exact rung costs as the batch, the layer and the array change")
      ->excludes("--only");
  add_format(*command, options.format, true);
  command->footer(R"(Some five minutes; half a minute more when Verilator has to compile the RTL first.

Examples:
  weft bench
      simulated cycles and requests per second of this machine, and what each is of its bar
  weft bench --only rtl
      the RTL under Verilator, and the SystemC model beside it
  weft bench --growth --format csv
      the points that docs/performance.md plots; some minutes
  weft bench --format json
      the same, for a script that watches for regressions)");
  return command;
}

int bench_command(const BenchOptions& options) {
  const Format format = parse_format(options.format, options.growth);
  print((options.growth ? growth() : bench(options.only)).in(format));
  return 0;
}

}  // namespace weft::tools
