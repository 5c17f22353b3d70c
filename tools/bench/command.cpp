
#include "tools/bench/bench.h"
#include "tools/bench/growth.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands.h"

namespace weft::tools {

namespace {

struct BenchOptions {
  bool growth = false;
  std::string only;
  std::string format = "table";
};

void declare(Arguments& command, BenchOptions& options) {
  command
      .add_option("--only", options.only,
                  "Only this part: systemc, exact, headline, ddr4, pcie, start-up, sweep, rtl, card, transfers, hosts "
                  "or barista")
      .type_name("PART");
  command
      .add_flag(
          "--growth", options.growth,
          "Instead: what the exact rung costs as the batch, the groups, the number of convolutions, the layer and "
          "the array change")
      .excludes("--only");
  command.add_format(options.format, true);
  command.footer(R"(Some five minutes; half a minute more when Verilator has to compile the RTL first.

Examples:
  weft bench
      simulated cycles and requests per second of this machine, and what each is of its bar
  weft bench --only rtl
      the RTL under Verilator, and the SystemC model beside it
  weft bench --growth --format csv
      the points that docs/performance.md plots; some minutes
  weft bench --format json
      the same, for a script that watches for regressions)");
}

int execute(const BenchOptions& options) {
  const Format format = parse_format(options.format, options.growth);
  print(options.growth ? growth() : bench(options.only), format);
  return 0;
}

}  // namespace

Command bench_command() {
  return command("bench", "The project's own speed, as ratios from one run", declare, execute);
}

}  // namespace weft::tools
