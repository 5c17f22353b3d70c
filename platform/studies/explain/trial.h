#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/iteration/timeline/run_iteration.h"
#include "platform/run/simulate.h"
#include "platform/studies/explain/explanation.h"
#include "platform/studies/explain/ladder.h"

namespace weft::explain {

// Rates runs by the time of a training iteration, or of their convolutions alone; each kernel is simulated once.
class Runs {
 public:
  // `iteration`: rate by the iteration. `simulations`, `iterations`, `progress` must outlive this.
  Runs(run::Simulations& simulations, timeline::Iterations& iterations, bool iteration, const run::Progress& progress)
      : simulations_(simulations), iterations_(iterations), iteration_(iteration), progress_(progress) {}

  std::vector<Tried> operator()(const std::vector<config::RunConfig>& runs);
  // Returns the figures of a run that was tried and is possible.
  Figures figures(const config::RunConfig& run);
  const run::Result& result(const config::RunConfig& run) const;

 private:
  // Convolutions of a run on one kernel, or on the kernels of its schedule.
  struct Convolutions {
    std::vector<timeline::Part> parts;
    run::Result result;
    std::int64_t misfits = 0;
    std::string why_not;
  };

  static std::string key_of(const config::RunConfig& run);
  void simulate(const std::vector<config::RunConfig>& runs);
  Convolutions planned(const config::RunConfig& run, std::vector<run::Planned>& plans);
  Tried tried(const config::RunConfig& run);

  run::Simulations& simulations_;
  timeline::Iterations& iterations_;
  bool iteration_;
  const run::Progress& progress_;
  std::map<std::string, std::shared_ptr<const Convolutions>> known_;
};

// Lower bounds on the convolutions of a run: all PEs useful in every cycle; every tensor moved once.
std::vector<Bound> convolution_bounds(const run::Result& result, const char* of);

}  // namespace weft::explain
