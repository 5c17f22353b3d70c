
#include "tools/bench/bench.h"
#include "tools/bench/growth.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands.h"

namespace weft::tools {

int bench_command(const BenchOptions& options) {
  const Format format = parse_format(options.format, options.growth);
  print(options.growth ? growth() : bench(options.only), format);
  return 0;
}

}  // namespace weft::tools
