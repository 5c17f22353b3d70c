#include "tools/timeline/report.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/core/checked.h"
#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/document/text.h"
#include "platform/iteration/timeline/figures.h"
#include "platform/record/csv.h"
#include "platform/record/json.h"
#include "platform/record/result_dir.h"

namespace weft::tools {

using report::TableView;
using report::trimmed;
using timeline::kPartNames;
using timeline::kStepKinds;
using timeline::seconds;
using timeline::StepKind;
using timeline::StepResult;
using timeline::TimelineResult;

namespace {

constexpr std::size_t kLongest = 10;
using Sums = std::array<Picoseconds, kStepKinds>;  // by activity

std::string megabytes(Bytes bytes) {
  return thousands(bytes / 1'000'000);
}

std::string published_text(const TimelineResult& r) {
  if (!r.published || !r.published->source) return "";
  std::vector<std::string> figures;
  const auto add = [&](const std::optional<double>& value, const char* of) {
    if (value) figures.push_back(fmt::format("{} {}", *value, of));
  };
  add(r.published->hours_per_epoch, "hours an epoch");
  add(r.published->conv_gops, "GOPS while kernels run");
  add(r.published->gops, r.published->conv_gops ? "over the iteration" : "GOPS over the iteration");
  std::string text = fmt::format("published        {} ({})\n", fmt::join(figures, ", "), *r.published->source);
  for (const std::string& each : r.published->assumed.value_or(std::vector<std::string>())) {
    text += fmt::format("                 assumed: {}\n", each);
  }
  return text;
}

std::string head(const TimelineResult& r) {
  std::vector<std::string> schedule;
  for (const auto& [key, value] : r.schedule) schedule.push_back(fmt::format("{} {}", key, value));
  std::string text = fmt::format("{}: an iteration of training {} on {}, {}, batch {}, {} rung; host {}\n", r.run,
                                 r.network, r.board, r.kernel, r.batch, r.rung, r.host);
  text += fmt::format("schedule: {}\n\n", fmt::join(schedule, ", "));
  text += fmt::format("iteration        {:.6f} s, {:.2f} hours an epoch of {} images ({} iterations)\n",
                      r.iteration_seconds, r.hours_per_epoch, thousands(r.dataset_images),
                      thousands(r.iterations_per_epoch));
  if (r.batch > r.dataset_images) {
    text += fmt::format("                 of which the batch of {} has more than there are (dataset_images)\n",
                        thousands(r.batch));
  }
  text +=
      fmt::format("convolutions     {:.1f} GOPS while kernels run, {:.1f} over the iteration\n", r.conv_gops, r.gops);
  return text + published_text(r) + "\n";
}

std::string where(const TimelineResult& r) {
  std::string text = trimmed(fmt::format("{:<16} {:>14}  {:>6}  {:>14}", "where it goes", "seconds", "share", "busy"));
  Sums sums{};
  for (const StepResult& step : r.steps) sums[static_cast<std::size_t>(step.activity)] += step.duration();
  const auto row = [&](const char* name, Picoseconds time, Picoseconds sum) {
    text +=
        fmt::format("{:<16} {:>14.6f}  {:>5.1f}%  {:>14.6f}\n", name, seconds(time), 100 * r.share(time), seconds(sum));
  };
  for (std::size_t i = 0; i < kStepKinds; ++i) {
    const auto activity = static_cast<StepKind>(i);
    if (sums[i] == 0 && (activity == StepKind::Im2col || of_some_kernels(activity))) continue;
    row(kPartNames[i].name, r.where[i].value_or(0), sums[i]);
  }
  row("idle", r.idle, 0);
  return text + "what runs at once counts as the first of these; busy: how long in all\n\n";
}

std::string resources(const TimelineResult& r) {
  std::vector<std::string> shares;
  for (std::size_t i = 0; i < timeline::kResources; ++i) {
    shares.push_back(fmt::format("{} {:.1f}%", to_string(static_cast<timeline::Resource>(i)), 100 * r.busy_share[i]));
  }
  return fmt::format("busy share       {}\n", fmt::join(shares, ", "));
}

std::string loads(const TimelineResult& r) {
  std::string text = fmt::format("kernels          {}, {} launches, {} calls; H2C {} MB, C2H {} MB\n", r.counts.kernels,
                                 thousands(r.counts.launches), thousands(r.counts.calls), megabytes(r.counts.to_card),
                                 megabytes(r.counts.to_host));
  text += fmt::format("loads            {} an iteration of {:.3f} s each", r.counts.loads, r.load_s);
  if (r.scheduled("order") == "fewest_loads") {
    text += fmt::format("; {} in the order of the graph, {} saved", r.counts.loads_in_given_order,
                        r.counts.loads_in_given_order - r.counts.loads);
  }
  text += fmt::format("; no order has fewer than {}\n", r.counts.fewest_loads);
  text += fmt::format("                 at {:.2f} to {:.2f} s each {:.2f} to {:.2f} hours an epoch\n", r.load_s_low,
                      r.load_s_high, r.hours_per_epoch_low, r.hours_per_epoch_high);
  if (r.counts.sent_again > 0) {
    text += fmt::format("sent again       {} tensors, {} MB, which loads of the whole card had lost\n",
                        r.counts.sent_again, megabytes(r.counts.sent_again_bytes));
  }
  if (r.scheduled("overlap") != "none") {
    text += fmt::format("ahead            {} transfers began beside the kernel before\n", r.counts.prefetches);
  }
  text += "card memory      at most";
  for (std::size_t channel = 0; channel < r.counts.channel_peak.size(); ++channel) {
    const Bytes bytes = r.counts.channel_peak[channel];
    if (bytes > 0) text += fmt::format(" {} MB in channel {},", megabytes(bytes), channel);
  }
  text.back() = '\n';
  return text + "\n";
}

// Operators by the time that they and all that serves them take.
std::string longest(const TimelineResult& r) {
  std::map<std::size_t, std::pair<Picoseconds, std::string>> sums;
  for (const StepResult& step : r.steps) {
    auto& [time, name] = sums[step.number];
    checked::add(time, step.duration(), "the picoseconds of the steps of an operator");
    name = step.of;
  }
  std::vector<std::pair<Picoseconds, std::string>> list;
  list.reserve(sums.size());
  for (const auto& each : sums) list.push_back(each.second);
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text = "longest operators, with all that serves them\n";
  for (std::size_t i = 0; i < std::min(kLongest, list.size()); ++i) {
    text += fmt::format("{:>14.6f} s  {:>5.1f}%  {}\n", seconds(list[i].first), 100 * r.share(list[i].first),
                        list[i].second);
  }
  return text + "\n";
}

std::string path(const TimelineResult& r) {
  Sums sums{};
  std::set<std::size_t> operators;
  for (const std::size_t place : r.critical_path) {
    const StepResult& step = r.steps[place];
    sums[static_cast<std::size_t>(step.activity)] += step.duration();
    operators.insert(step.number);
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kStepKinds; ++i) {
    if (sums[i] != 0) parts.push_back(fmt::format("{} {:.3f} s", kPartNames[i].name, seconds(sums[i])));
  }
  return fmt::format("critical path    {} steps of {} operators: {}\n",
                     thousands(static_cast<std::int64_t>(r.critical_path.size())),
                     thousands(static_cast<std::int64_t>(operators.size())), fmt::join(parts, ", ")) +
         fmt::format("data path        {:.6f} s: the longest chain of operators that need each other, loads left out\n",
                     seconds(r.counts.data_path));
}

std::string foot(const TimelineResult& r) {
  std::string text;
  const auto unknown = std::count_if(r.steps.begin(), r.steps.end(), [](const StepResult& step) {
    return step.priced_by == host::to_string(host::Basis::Bytes);
  });
  if (unknown > 0)
    text += fmt::format("by bytes         {} operators that are not known are priced by their bytes\n", unknown);
  if (const timeline::MeasuredUse& measured = r.measured; measured.operators + measured.unused > 0) {
    text += fmt::format(
        "measured         {} operators, {} scaled from another batch, {} by plain loops, {} entries unused\n",
        measured.operators, measured.scaled, measured.plain_loops, measured.unused);
  }
  for (const std::string& note : r.notes) text += fmt::format("network          {}\n", note);
  const char* title = "assumed         ";
  for (const auto& [of, keys] : {std::pair("schedule", &r.assumed.schedule), std::pair("host", &r.assumed.host),
                                 std::pair("board", &r.assumed.board)}) {
    if (keys->empty()) continue;
    text += fmt::format("{} {}: {}\n", title, of, fmt::join(*keys, ", "));
    title = "                ";
  }
  return text;
}

// Of a step that moves nothing JSON has no bytes, and CSV 0.
std::string csv(const TimelineResult& r) {
  std::vector<StepResult> steps = r.steps;
  for (StepResult& step : steps) step.bytes = step.bytes.value_or(0);
  return record::csv_text(steps, kStepColumns);
}

}  // namespace

report::Report timeline_report(const TimelineResult& r, const TableView& view) {
  const std::string steps = csv(r);
  const std::string chosen = view.columns.empty() ? longest(r) : report::chosen_table(steps, view) + "\n";
  return {head(r) + where(r) + resources(r) + loads(r) + chosen + path(r) + foot(r), record::json_text(r), steps};
}

TimelineResult load_timeline(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / record::kResultJson;
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

}  // namespace weft::tools
