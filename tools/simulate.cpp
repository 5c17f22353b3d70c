#include "tools/simulate.h"

#include "model/core/error.h"
#include "platform/run/simulate.h"
#include "tools/report.h"

namespace weft::tools {

Report simulate(const config::RunConfig& run, Progress& progress) {
  const workloads::Network network = run::load_network(run, project_library());
  return report(run::simulate(run, network, [&](std::int64_t done, std::int64_t expected) {
    progress.set_total(expected);
    progress.update(done);
  }));
}

Report simulate_trace(const DramJob&) {
  throw Error("the simulation of a trace is not part of this build");
}

Report bench() {
  throw Error("the benchmarks are not part of this build");
}

}  // namespace weft::tools
