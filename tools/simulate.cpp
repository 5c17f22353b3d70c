#include "tools/simulate.h"

#include "model/core/error.h"

namespace weft::tools {

Report simulate(const config::RunConfig& run, Progress&) {
  const std::vector<conv::Layer> layers = config::inline_layers(run);
  if (!layers.empty()) config::choose(run, layers);
  throw Error("the simulation of a run is not part of this build");
}

Report simulate_trace(const DramJob&) {
  throw Error("the simulation of a trace is not part of this build");
}

Report bench() {
  throw Error("the benchmarks are not part of this build");
}

}  // namespace weft::tools
