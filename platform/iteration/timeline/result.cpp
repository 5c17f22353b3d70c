#include "platform/iteration/timeline/result.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "model/core/error.h"
#include "platform/config/reader.h"
#include "platform/record/json.h"
#include "platform/run/comparison.h"

namespace weft::timeline {

namespace {

constexpr int kTimelineSchema = 5;

bool always(std::size_t activity) {
  return !of_some_kernels(static_cast<StepKind>(activity));
}

std::string kernel_text(const TrainingIteration& it) {
  const config::KernelsOfDse& kernels = it.run.schedule.kernels;
  return kernels.given() ? config::kernels_text(kernels, it.timeline.kernels, it.run.kernel->clock)
                         : it.run.kernel->text().headline;
}

StepResult step_of(const TrainingIteration& it, const Step& from) {
  const workloads::Operator& op = it.graph().operators[from.op];
  StepResult step;
  step.of = workloads::label(op);
  step.number = from.op;
  step.direction = workloads::to_string(op.direction);
  step.operator_class = workloads::to_string(workloads::class_of(op));
  step.activity = from.activity;
  step.resource = resource_of(from.activity);
  step.start = from.start;
  step.end = from.end;
  if (!from.what.empty()) step.what = from.what;
  if (from.bytes > 0) step.bytes = from.bytes;
  if (step.resource == Resource::Card) step.kernel = from.kernel;
  step.channel = from.channel;
  if (from.activity == StepKind::HostOperator) step.priced_by = host::to_string(it.prices[from.op].basis);
  return step;
}

}  // namespace

void fields(record::Visitor& io, StepResult& step) {
  io("operator", "operator that the step computes or serves", step.of);
  io("number", "1", "number of the operator in weft show NETWORK --training", step.number);
  io("direction", "direction of the operator: forward, backward or update", step.direction);
  io("class", "class of the operator", step.operator_class);
  io.choice("activity", "what is done", step.activity, kStepKinds);
  io.choice("resource", "resource that is busy", step.resource, kResources);
  io("start_ps", "ps", "start, from the start of the iteration", step.start);
  io("end_ps", "ps", "end, from the start of the iteration", step.end);
  io("what", "tensor of a transfer, kernel of a load", step.what);
  io("bytes", "bytes", "bytes moved over the link, or written by the host", step.bytes);
  io("kernel", "1", "number of the kernel of a load or a convolution", step.kernel);
  io("memory_channel", "1", "number of the card's memory channel, for data on the link", step.channel);
  io("priced_by", "source of the time of an operator of the host", step.priced_by);
}

void fields(record::Visitor& io, KernelsResult& kernels) {
  io("dse", "the exploration, or its result", kernels.dse);
  io("own", "each convolution on its own best kernel", kernels.own);
  io("penalty_percent", "%", "largest increase of time for which kernels are shared", kernels.penalty_percent);
}

static void fields(record::Visitor& io, PublishedResult& published) {
  io("epoch_hours", "h", "hours of an epoch", published.epoch_hours);
  io("conv_gops", "GOPS", "operations of the convolutions while kernels run", published.conv_gops);
  io("gops", "GOPS", "operations of the convolutions over the iteration", published.gops);
  io("source", "source of the figures", published.source);
  io.list("assumed", "assumptions about the published iteration", "", "an assumption", published.assumed);
}

static void fields(record::Visitor& io, MeasuredUse& measured) {
  io("operators", "operators", "operators priced by measurements", measured.operators);
  io("scaled", "operators", "priced operators that are scaled from another batch", measured.scaled);
  io("plain_loops", "operators", "priced operators that no library runs", measured.plain_loops);
  io("entries_unused", "entries", "measured entries that match no operator", measured.unused);
}

static void fields(record::Visitor& io, Assumed& assumed) {
  io.list("schedule", "assumed keys of the run's `schedule`", "", "a key", assumed.schedule);
  io.list("host", "assumed keys of the host's file", "", "a key", assumed.host);
  io.list("board", "assumed keys of the board's file", "", "a key", assumed.board);
}

void fields(record::Visitor& io, TimelineResult& r) {
  using record::Visitor;
  io.head("timeline", kTimelineSchema, r.weft_version);
  io("name", "name of the run", r.run);
  io("network", "name of the network", r.network);
  io("board", "name of the board", r.board);
  io("host", "name of the host", r.host);
  io("batch", "images", "images of an iteration", r.batch);
  io("rung", "what counted the cycles: analytical, systemc or exact", r.rung);
  io("iteration_ps", "ps", "a whole training iteration", r.counts.end);
  io("iteration_seconds", "s", "`iteration_ps` in seconds", r.iteration_seconds);
  io("iterations_per_epoch", "iterations", "images of the data set over the batch, rounded up", r.iterations_per_epoch);
  io("epoch_hours", "h", "hours of an epoch: host, link, loads and kernels", r.epoch_hours);
  io("conv_gops", "GOPS", "1e9 operations a second of the convolutions while kernels run", r.conv_gops);
  io("gops", "GOPS", "1e9 operations a second of the convolutions over the iteration", r.gops);
  io.group("schedule",
           "how the iteration was put on host, link and card: the run's `schedule` (docs/explanation/timeline.md)",
           [&](Visitor& sub) {
             sub.others("", "the key's value", r.schedule);
             sub("kernels", "the kernels that run the convolutions, where an exploration gives them", r.kernels_of_dse);
           });
  io.group("where_ps", "time of the iteration by activity; of activities at the same time the first counts",
           [&](Visitor& sub) {
             for (std::size_t i = 0; i < kStepKinds; ++i) {
               const auto& [name, meaning] = kPartNames[i];
               always(i) ? sub(name, "ps", meaning, *r.where[i]) : sub(name, "ps", meaning, r.where[i]);
             }
             sub("idle", "ps", "no activity", r.idle);
           });
  io.group("busy_share", "share of the iteration in which each resource is busy", [&](Visitor& sub) {
    for (std::size_t i = 0; i < kResources; ++i) {
      sub(to_string(static_cast<Resource>(i)), "1", "share of the iteration", r.busy_share[i]);
    }
  });
  io("kernels", "kernels", "distinct kernels", r.counts.kernels);
  io.group("loads", "loads of bitstreams in an iteration", [&](Visitor& sub) {
    sub("count", "loads", "loads of an iteration", r.counts.loads);
    sub("in_order_of_graph", "loads", "loads if operators run in the order of the graph",
        r.counts.loads_in_given_order);
    sub("at_least", "loads", "loads that every order needs", r.counts.fewest_loads);
    sub("load_seconds", "s", "time of a load", r.load_s);
    sub("seconds_low", "s", "least time of a load, by the host's file", r.load_s_low);
    sub("seconds_high", "s", "greatest time of a load, by the host's file", r.load_s_high);
    sub("epoch_hours_low", "h", "hours of an epoch with the least time of a load", r.epoch_hours_low);
    sub("epoch_hours_high", "h", "hours of an epoch with the greatest time of a load", r.epoch_hours_high);
  });
  io("launches", "launches", "kernel launches of an iteration", r.counts.launches);
  io("calls", "calls", "calls of the host's software", r.counts.calls);
  io("prefetches", "transfers", "transfers that began during the previous kernel", r.counts.prefetches);
  io("bytes_to_card", "bytes", "bytes over the link to the card", r.counts.to_card);
  io("bytes_to_host", "bytes", "bytes over the link to the host", r.counts.to_host);
  io.group("sent_again", "tensors that loads of the whole card erased", [&](Visitor& sub) {
    sub("tensors", "tensors", "tensors sent again", r.counts.sent_again);
    sub("bytes", "bytes", "bytes of these tensors", r.counts.sent_again_bytes);
  });
  io.list("channel_peak_bytes", "peak use of each memory channel of the card", "bytes",
          "most bytes that tensors take at once", r.counts.channel_peak);
  io("data_path_ps", "ps", "longest chain of dependent operators, without loads", r.counts.data_path);
  io.list("critical_path", "the steps that decide the end, in order", "1", "index into `steps`, from 0",
          r.critical_path);
  io("published", "published figures of this iteration, if the run names them", r.published);
  io("measured", "prices of operators of the host that were measured", r.measured);
  io.list("notes", "notes about the network", "", "a note", r.notes);
  io("assumed", "keys with assumed values that affect the result", r.assumed);
  io.list("steps", "all steps", "", "a step", r.steps);
  io("kernel", "the kernel: its array, clock and profile; or those of an exploration", r.kernel);
  io("dataset_images", "images", "images of the data set", r.dataset_images);
  config::inputs_field(io, r.inputs);
}

TimelineResult::TimelineResult() {
  for (std::size_t i = 0; i < kStepKinds; ++i) {
    if (always(i)) where[i] = 0;
  }
}

double TimelineResult::share(Picoseconds time) const {
  return counts.end == 0 ? 0 : static_cast<double>(time) / static_cast<double>(counts.end);
}

std::string TimelineResult::scheduled(const char* key) const {
  const auto found =
      std::find_if(schedule.begin(), schedule.end(), [&](const auto& each) { return each.first == key; });
  return found == schedule.end() ? "" : found->second;
}

TimelineResult result_of(const TrainingIteration& it) {
  const Timeline& t = it.timeline;
  const auto part = [&](StepKind activity) { return it.parts.time[static_cast<std::size_t>(activity)]; };
  const auto gops = [&](Picoseconds time) {
    return time == 0 ? 0 : 1e-9 * static_cast<double>(it.convolution_flops) / seconds(time);
  };
  TimelineResult r;
  r.run = it.run.name;
  r.network = it.graph().name;
  r.board = it.run.board.name;
  r.host = it.host.name;
  r.batch = it.run.batch;
  r.rung = config::to_string(it.run.rung);
  r.counts = t;
  r.iteration_seconds = seconds(t.end);
  r.iterations_per_epoch = it.iterations_per_epoch();
  r.epoch_hours = epoch_hours(it);
  r.conv_gops = gops(part(StepKind::Kernel) + part(StepKind::Precompute));
  r.gops = gops(t.end);
  const auto has = [&](StepKind a, StepKind b) {
    return std::any_of(t.steps.begin(), t.steps.end(),
                       [&](const Step& step) { return step.activity == a || step.activity == b; });
  };
  const bool prepared = has(StepKind::Tiling, StepKind::Tiling);
  const bool fixed = has(StepKind::Quantise, StepKind::Dequantise);
  for (const config::Node& entry : config::write_schedule(it.run.schedule).children) {
    if (entry.kind != config::Node::Kind::Scalar) continue;
    // A host that prepares each launch runs im2col itself, whatever `im2col` of the run says.
    r.schedule.emplace_back(entry.key, prepared && entry.key == "im2col" ? "cpu" : entry.text);
  }
  if (const config::KernelsOfDse& kernels = it.run.schedule.kernels; kernels.given()) {
    r.kernels_of_dse.emplace().dse = kernels.dse;
    if (kernels.own) r.kernels_of_dse->own = true;
    if (!kernels.own) r.kernels_of_dse->penalty_percent = static_cast<double>(kernels.penalty_milli_percent) / 1000;
  }
  for (std::size_t i = 0; i < kStepKinds; ++i) {
    const auto activity = static_cast<StepKind>(i);
    const bool tiles = activity == StepKind::Tiling || activity == StepKind::Untiling;
    if (always(i) || (tiles ? prepared : fixed)) r.where[i] = it.parts.time[i];
  }
  r.idle = it.parts.idle;
  const auto busy_time = busy(t);
  for (std::size_t i = 0; i < kResources; ++i) r.busy_share[i] = r.share(busy_time[i]);
  const bool card = it.run.schedule.load == config::LoadKind::Card;
  const config::LoadCost& cost = card ? it.host.load_card : it.host.load_region;
  // Hours with another load time, all else equal: exact if no activity overlaps a load.
  const auto hours_with = [&](double load_s) {
    const double change = static_cast<double>(t.loads) * (load_s - seconds(it.load_time));
    return (seconds(t.end) + change) * static_cast<double>(it.iterations_per_epoch()) / 3600;
  };
  r.load_s = seconds(it.load_time);
  r.load_s_low = seconds(cost.low_ps);
  r.load_s_high = seconds(cost.high_ps);
  r.epoch_hours_low = hours_with(r.load_s_low);
  r.epoch_hours_high = hours_with(r.load_s_high);
  r.critical_path = critical_path(t);
  if (const config::PublishedIteration& from = it.run.published;
      !from.source.empty() || from.epoch_hours || from.conv_gops || from.gops) {
    r.published = {from.epoch_hours, from.conv_gops, from.gops, {}, {}};
    if (!from.source.empty()) r.published->source = from.source;
    if (r.published->source) r.published->assumed = from.assumed;
  }
  r.measured = measured_use(it);
  r.notes = it.network->notes;
  r.assumed = assumed_of(it);
  for (const Step& step : t.steps) r.steps.push_back(step_of(it, step));
  r.kernel = kernel_text(it);
  r.dataset_images = it.run.dataset_images;
  return r;
}

TimelineResult read_result(const std::filesystem::path& file) {
  auto result = record::from_file<TimelineResult>(file);
  if (result.batch < 1) {
    throw InputError(file.string(), 0, "batch", fmt::format("must be from 1 on, not {}", result.batch));
  }
  for (const std::size_t place : result.critical_path) {
    if (place < result.steps.size()) continue;
    throw InputError(file.string(), 0, "critical_path", fmt::format("must have places in steps, not {}", place));
  }
  return result;
}

run::IterationRecord record_of(const TrainingIteration& iteration) {
  run::IterationRecord record;
  record.seconds = seconds(iteration.timeline.end);
  record.epoch_hours = epoch_hours(iteration);
  const auto add = [&](const char* name, Picoseconds time) {
    if (time > 0) {
      record.shares.emplace_back(name, static_cast<double>(time) / static_cast<double>(iteration.timeline.end));
    }
  };
  for (std::size_t i = 0; i < kStepKinds; ++i) add(kPartNames[i].name, iteration.parts.time[i]);
  add("idle", iteration.parts.idle);
  record.host = iteration.host.name;
  return record;
}

double seconds(Picoseconds time) {
  return static_cast<double>(time) / 1e12;
}

double epoch_hours(const TrainingIteration& iteration) {
  return seconds(iteration.timeline.end) * static_cast<double>(iteration.iterations_per_epoch()) / 3600;
}

void fields(record::Visitor& io, IterationFigures& x) {
  io("epoch_hours", "h", "hours of an epoch: host, link, loads and kernels (weft timeline)", x.epoch_hours);
  io("iteration_seconds", "s", "a whole training iteration", x.whole);
  io("iteration_kernel_seconds", "s", "kernels, part of iteration_seconds", x.kernels);
  io("iteration_load_seconds", "s", "loads of bitstreams, part of iteration_seconds", x.loads);
  io("iteration_link_seconds", "s", "data on the link, part of iteration_seconds", x.link);
  io("iteration_call_seconds", "s", "software around transfers and launches, part of iteration_seconds", x.calls);
  io("iteration_host_seconds", "s", "operators, im2col, tiles and fixed point of the host, part of iteration_seconds",
     x.host);
}

IterationFigures figures_of(const TrainingIteration& iteration) {
  const auto in = [&](std::initializer_list<StepKind> kinds) {
    Picoseconds sum = 0;
    for (const StepKind kind : kinds) sum += iteration.parts.time[static_cast<std::size_t>(kind)];
    return seconds(sum);
  };
  return {epoch_hours(iteration),
          seconds(iteration.timeline.end),
          in({StepKind::Kernel, StepKind::Precompute}),
          in({StepKind::Reconfiguration}),
          in({StepKind::ToCard, StepKind::ToHost}),
          in({StepKind::Call}),
          in({StepKind::HostOperator, StepKind::Im2col, StepKind::Tiling, StepKind::Untiling, StepKind::Quantise,
              StepKind::Dequantise})};
}

static void figures(record::Visitor& io, TimelineResult& of) {
  io("batch", "images", "images of an iteration", of.batch);
  io("conv_gops", "GOPS", "operations of the convolutions while kernels run", of.conv_gops);
  io("gops", "GOPS", "operations of the convolutions over the iteration", of.gops);
  io("kernels", "kernels", "distinct kernels", of.counts.kernels);
  io("loads", "loads", "loads of bitstreams in an iteration", of.counts.loads);
  io("launches", "launches", "kernel launches of an iteration", of.counts.launches);
  io("calls", "calls", "calls of the runtime in an iteration", of.counts.calls);
  io("bytes_to_card", "bytes", "bytes over the link to the card", of.counts.to_card);
  io("bytes_to_host", "bytes", "bytes over the link to the host", of.counts.to_host);
}

void fields(record::Visitor& io, ComparedPart& part) {
  io("part", "name in where_ps of a timeline, or iteration", part.part);
  io("a_ps", "ps", "time in an iteration of A", part.a);
  io("b_ps", "ps", "time in an iteration of B", part.b);
  io("a_seconds_per_image", "s", "time per image of A", part.a_image_s);
  io("b_seconds_per_image", "s", "time per image of B", part.b_image_s);
  io.nullable("change", "1", "change of the time per image, B / A - 1; null if A has none", part.change);
}

void fields(record::Visitor& io, TimelineComparison& comparison) {
  io.head("compare timelines", 2, comparison.weft_version);
  io("a", "first result, as named on the command line", comparison.a);
  io("b", "second result, as named on the command line", comparison.b);
  io.list("keys", "keys of the run that differ", "", "a key", comparison.keys);
  io.group("iteration", "an iteration of each", [&](record::Visitor& sub) {
    sub.group("a", "one of the two", [&](record::Visitor& side) { figures(side, comparison.iteration_a); });
    sub.group("b", "one of the two", [&](record::Visitor& side) { figures(side, comparison.iteration_b); });
  });
  io.list("where", "time of A and B by activity; last the iteration", "", "a part", comparison.where);
}

TimelineComparison compare(TimelineResult a, TimelineResult b) {
  TimelineComparison comparison;
  const auto add = [&](const char* name, Picoseconds time_a, Picoseconds time_b) {
    ComparedPart part{name, time_a, time_b, seconds(time_a) / a.batch, seconds(time_b) / b.batch, {}};
    if (time_a != 0) part.change = run::change(part.a_image_s, part.b_image_s);
    comparison.where.push_back(part);
  };
  for (std::size_t i = 0; i < kStepKinds; ++i) {
    const Picoseconds time_a = a.where[i].value_or(0), time_b = b.where[i].value_or(0);
    if (time_a != 0 || time_b != 0) add(kPartNames[i].name, time_a, time_b);
  }
  if (a.idle != 0 || b.idle != 0) add("idle", a.idle, b.idle);
  add("iteration", a.counts.end, b.counts.end);
  comparison.iteration_a = std::move(a);
  comparison.iteration_b = std::move(b);
  return comparison;
}

}  // namespace weft::timeline
