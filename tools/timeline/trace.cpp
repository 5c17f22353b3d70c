#include "platform/hardware/perfetto/trace.h"

#include <fmt/core.h>

#include <array>

#include "tools/timeline/view.h"

namespace weft::tools {

namespace {

using perfetto::Trace;
using timeline::Step;
using timeline::StepKind;

std::string name_of(const timeline::TrainingIteration& iteration, const Step& step) {
  std::string op = workloads::label(iteration.graph().operators[step.op]);
  const StepKind kind = step.activity;
  if (kind == StepKind::Kernel || kind == StepKind::HostOperator) return op;
  if (kind == StepKind::ToCard || kind == StepKind::ToHost || kind == StepKind::Call) {
    return step.what.empty() ? op : fmt::format("{}: {}", op, step.what);
  }
  return fmt::format("{} ({})", op, to_string(step.activity));
}

std::vector<Trace::Note> notes_of(const timeline::TrainingIteration& iteration, const Step& step) {
  std::vector<Trace::Note> notes{
      {"activity", to_string(step.activity)}, {"start_ps", step.start}, {"end_ps", step.end}};
  if (!step.what.empty()) notes.emplace_back("what", step.what);
  if (step.bytes > 0) notes.emplace_back("bytes", step.bytes);
  if (step.channel) notes.emplace_back("memory_channel", std::int64_t{*step.channel});
  const bool of_kernel = step.activity == StepKind::Kernel || step.activity == StepKind::Precompute ||
                         step.activity == StepKind::Reconfiguration;
  if (of_kernel) notes.emplace_back("kernel", iteration.kernel_names[step.kernel]);
  return notes;
}

}  // namespace

std::string timeline_trace(const timeline::TrainingIteration& iteration) {
  constexpr Picoseconds kPsPerNs = 1000;
  Trace trace(fmt::format("{}: an iteration of training {}", iteration.run.name, iteration.graph().name));
  std::array<Trace::Track, timeline::kResources> tracks{};
  for (std::size_t i = 0; i < timeline::kResources; ++i) {
    tracks[i] = trace.add_track(to_string(static_cast<timeline::Resource>(i)));
  }
  const Trace::Track critical = trace.add_track("critical path");
  const std::vector<Step>& steps = iteration.timeline.steps;
  const auto add = [&](Trace::Track track, const Step& step) {
    trace.slice(track, step.start / kPsPerNs, step.end / kPsPerNs, name_of(iteration, step), notes_of(iteration, step));
  };
  for (const Step& step : steps) add(tracks[static_cast<std::size_t>(resource_of(step.activity))], step);
  for (const std::size_t i : timeline::critical_path(iteration.timeline)) add(critical, steps[i]);
  return trace.bytes();
}

}  // namespace weft::tools
