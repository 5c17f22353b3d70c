#include "platform/iteration/timeline/columns.h"

namespace weft::timeline {

namespace {

using Column = run::Column<TrainingIteration>;

Column seconds_of(const char* name, const char* meaning, std::vector<Activity> activities) {
  return {name, "REAL", "s", meaning, [activities = std::move(activities)](const TrainingIteration& of) {
            Picoseconds sum = 0;
            for (const Activity activity : activities) sum += of.parts.time[static_cast<std::size_t>(activity)];
            return Value(seconds(sum));
          }};
}

}  // namespace

double seconds(Picoseconds time) {
  return static_cast<double>(time) / 1e12;
}

double hours_per_epoch(const TrainingIteration& iteration) {
  return seconds(iteration.timeline.end) * static_cast<double>(iteration.iterations_per_epoch()) / 3600;
}

const std::vector<Column>& iteration_columns() {
  static const std::vector<Column> columns{
      {"hours_per_epoch", "REAL", "h", "of training: host, link, loads and kernels (weft timeline)",
       [](const TrainingIteration& of) { return Value(hours_per_epoch(of)); }},
      {"iteration_seconds", "REAL", "s", "a whole training iteration",
       [](const TrainingIteration& of) { return Value(seconds(of.timeline.end)); }},
      seconds_of("iteration_kernel_seconds", "of it: kernels", {Activity::Kernel, Activity::Precompute}),
      seconds_of("iteration_load_seconds", "of it: loads of bitstreams", {Activity::Reconfiguration}),
      seconds_of("iteration_link_seconds", "of it: data on the link", {Activity::ToCard, Activity::ToHost}),
      seconds_of("iteration_call_seconds", "of it: software around transfers and launches", {Activity::Call}),
      seconds_of("iteration_host_seconds", "of it: operators of the host, im2col, tiles and fixed point there included",
                 {Activity::HostOperator, Activity::Im2col, Activity::Tiling, Activity::Untiling, Activity::Quantise,
                  Activity::Dequantise}),
      {"iteration_loads", "INTEGER", "loads", "bitstreams loaded in a training iteration",
       [](const TrainingIteration& of) { return Value(of.timeline.loads); }}};
  return columns;
}

}  // namespace weft::timeline
