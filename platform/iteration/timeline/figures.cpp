#include "platform/iteration/timeline/figures.h"

#include <initializer_list>

namespace weft::timeline {

double seconds(Picoseconds time) {
  return static_cast<double>(time) / 1e12;
}

double hours_per_epoch(const TrainingIteration& iteration) {
  return seconds(iteration.timeline.end) * static_cast<double>(iteration.iterations_per_epoch()) / 3600;
}

void fields(record::Visitor& io, IterationFigures& x) {
  io("epoch_hours", "h", "of training: host, link, loads and kernels (weft timeline)", x.hours_per_epoch);
  io("iteration_seconds", "s", "a whole training iteration", x.whole);
  io("iteration_kernel_seconds", "s", "of it: kernels", x.kernels);
  io("iteration_load_seconds", "s", "of it: loads of bitstreams", x.loads);
  io("iteration_link_seconds", "s", "of it: data on the link", x.link);
  io("iteration_call_seconds", "s", "of it: software around transfers and launches", x.calls);
  io("iteration_host_seconds", "s", "of it: operators of the host, im2col, tiles and fixed point there included",
     x.host);
  io("iteration_loads", "loads", "bitstreams loaded in a training iteration", x.number_of_loads);
}

IterationFigures figures_of(const TrainingIteration& iteration) {
  const auto in = [&](std::initializer_list<StepKind> kinds) {
    Picoseconds sum = 0;
    for (const StepKind kind : kinds) sum += iteration.parts.time[static_cast<std::size_t>(kind)];
    return seconds(sum);
  };
  return {hours_per_epoch(iteration),
          seconds(iteration.timeline.end),
          in({StepKind::Kernel, StepKind::Precompute}),
          in({StepKind::Reconfiguration}),
          in({StepKind::ToCard, StepKind::ToHost}),
          in({StepKind::Call}),
          in({StepKind::HostOperator, StepKind::Im2col, StepKind::Tiling, StepKind::Untiling, StepKind::Quantise,
              StepKind::Dequantise}),
          iteration.timeline.loads};
}

}  // namespace weft::timeline
