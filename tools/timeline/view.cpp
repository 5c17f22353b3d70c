#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/record/csv.h"
#include "tools/cli/views.h"

namespace weft::tools {

using namespace report;
using timeline::kPartNames;
using timeline::kStepKinds;
using timeline::seconds;
using timeline::StepKind;
using timeline::StepResult;
using timeline::TimelineResult;

namespace {

constexpr std::size_t kIndent = 17, kOperators = 10, kLongest = 30;
using Sums = std::array<Picoseconds, kStepKinds>;  // by activity

std::string megabytes(Bytes bytes) {
  return bytes < 10'000'000 ? fmt::format("{:.2g}", static_cast<double>(bytes) / 1e6) : thousands(bytes / 1'000'000);
}

void add_published(const TimelineResult& r, Facts& facts) {
  if (!r.published || !r.published->source) return;
  std::vector<std::string> figures;
  const auto add = [&](const std::optional<double>& value, const char* of) {
    if (value) figures.push_back(fmt::format("{} {}", *value, of));
  };
  add(r.published->epoch_hours, "hours an epoch");
  add(r.published->conv_gops, "GOPS while kernels run");
  add(r.published->gops, r.published->conv_gops ? "over the iteration" : "GOPS over the iteration");
  facts.add("published", fmt::format("{} ({})", fmt::join(figures, ", "), *r.published->source));
  for (const std::string& each : r.published->assumed.value_or(std::vector<std::string>())) {
    facts.add("", "assumed: " + each);
  }
}

Facts head(const TimelineResult& r) {
  std::vector<std::string> schedule;
  for (const auto& [key, value] : r.schedule) schedule.push_back(fmt::format("{} {}", key, value));
  Facts facts{{{"schedule", fmt::format("{}", fmt::join(schedule, ", "))},
               {"iteration", fmt::format("{}, {} an epoch of {} images ({} iterations)",
                                         duration_text(r.iteration_seconds), hours_text(r.epoch_hours),
                                         thousands(r.dataset_images), thousands(r.iterations_per_epoch))}},
              kIndent};
  if (r.kernels_of_dse) {
    const timeline::KernelsResult& of = *r.kernels_of_dse;
    facts.lines.insert(
        facts.lines.begin() + 1,
        {"", "kernels of " + of.dse + (of.penalty_percent ? fmt::format(", penalty {}%", *of.penalty_percent) : "") +
                 (of.own.value_or(false) ? ", each convolution on its own" : "")});
  }
  if (r.batch > r.dataset_images) {
    facts.add("", fmt::format("the batch of {} is larger than the data set (dataset_images)", thousands(r.batch)));
  }
  facts.add("convolutions",
            fmt::format("{:.1f} GOPS while kernels run, {:.1f} over the iteration", r.conv_gops, r.gops));
  add_published(r, facts);
  return facts;
}

Section where(const TimelineResult& r) {
  Table table{"Where the time of an iteration goes",
              {{"where it goes"}, {"seconds", "", 14}, {"share", "", 6}, {"busy", "total seconds", 14}}};
  Bars chart{"where", "Parts of the iteration"};
  chart.form = Form::Time;
  Bar bar;
  Sums sums{};
  for (const StepResult& step : r.steps) sums[static_cast<std::size_t>(step.activity)] += step.duration();
  const auto add = [&](const char* name, const std::string& color, Picoseconds time, Picoseconds sum) {
    table.rows.push_back({name, fixed_cell(seconds(time), 6), share_cell(r.share(time)), fixed_cell(seconds(sum), 6)});
    if (time == 0) return;
    bar.parts.emplace_back(chart.parts.size(), seconds(time));
    chart.parts.push_back(
        {name, color, fmt::format("{}, {}", duration_text(seconds(time)), share_cell(r.share(time)).text)});
  };
  for (std::size_t i = 0; i < kStepKinds; ++i) {
    const auto kind = static_cast<StepKind>(i);
    if (sums[i] == 0 && (kind == StepKind::Im2col || of_some_kernels(kind))) continue;
    add(kPartNames[i].name, fmt::format("k-{}", 1 + i % 8), r.where[i].value_or(0), sums[i]);
  }
  add("idle", "idle", r.idle, 0);
  chart.bars.push_back(std::move(bar));
  std::vector<std::string> shares;
  for (std::size_t i = 0; i < timeline::kResources; ++i) {
    shares.push_back(fmt::format("{} {:.1f}%", to_string(static_cast<timeline::Resource>(i)), 100 * r.busy_share[i]));
  }
  return {"where",
          "Where the time goes",
          {chart, table, Text{"concurrent steps count as the first of these; busy: total time"}, Text{"", On::Terminal},
           Facts{{{"busy share", fmt::format("{}", fmt::join(shares, ", "))}}, kIndent}}};
}

Facts loads(const TimelineResult& r) {
  Facts facts{{}, kIndent};
  facts.add("kernels", fmt::format("{}, {} launches, {} calls; H2C {} MB, C2H {} MB", r.counts.kernels,
                                   thousands(r.counts.launches), thousands(r.counts.calls), megabytes(r.counts.to_card),
                                   megabytes(r.counts.to_host)));
  std::string text = fmt::format("{} an iteration of {} each", r.counts.loads, duration_text(r.load_s));
  if (r.scheduled("order") == "fewest_loads") {
    text += fmt::format("; {} in the order of the graph, {} saved", r.counts.loads_in_given_order,
                        r.counts.loads_in_given_order - r.counts.loads);
  }
  facts.add("loads", text + fmt::format("; no order has fewer than {}", r.counts.fewest_loads));
  facts.add("",
            fmt::format("at {} to {} each {} to {} an epoch", duration_text(r.load_s_low), duration_text(r.load_s_high),
                        hours_text(r.epoch_hours_low), hours_text(r.epoch_hours_high)));
  if (r.counts.sent_again > 0) {
    facts.add("sent again", fmt::format("{} tensors, {} MB, lost by loads of the whole card", r.counts.sent_again,
                                        megabytes(r.counts.sent_again_bytes)));
  }
  if (r.scheduled("overlap") != "none") {
    facts.add("ahead", fmt::format("{} transfers began during the previous kernel", r.counts.prefetches));
  }
  std::string memory = "at most";
  for (std::size_t channel = 0; channel < r.counts.channel_peak.size(); ++channel) {
    const Bytes bytes = r.counts.channel_peak[channel];
    if (bytes > 0) memory += fmt::format(" {} MB in channel {},", megabytes(bytes), channel);
  }
  memory.pop_back();
  facts.add("card memory", std::move(memory));
  return facts;
}

// Operators by the total time of all their steps.
Table operators(const TimelineResult& r) {
  struct Sum {
    Picoseconds time = 0;
    std::int64_t steps = 0;
    std::string name;
  };
  std::map<std::size_t, Sum> sums;
  for (const StepResult& step : r.steps) {
    Sum& sum = sums[step.number];
    checked::add(sum.time, step.duration(), "the picoseconds of the steps of an operator");
    ++sum.steps;
    sum.name = step.of;
  }
  std::vector<Sum> list;
  list.reserve(sums.size());
  for (const auto& each : sums) list.push_back(each.second);
  std::stable_sort(list.begin(), list.end(), [](const Sum& a, const Sum& b) { return a.time > b.time; });
  Table table{"Longest operators, with their transfers and calls",
              {{"longest operators"}, {"seconds", "sum of its steps", 14}, {"share", "", 6}, {"steps"}}};
  table.search = table.chosen = true;
  table.most = kOperators;
  for (const Sum& sum : list) {
    table.rows.push_back(
        {sum.name, fixed_cell(seconds(sum.time), 6), share_cell(r.share(sum.time)), count_cell(sum.steps)});
  }
  return table;
}

// For readers of the page without scripts.
Table longest(const TimelineResult& r) {
  const auto order = largest(r.steps, kLongest, [](const StepResult& step) { return step.duration(); });
  Table table{
      fmt::format("The longest {} of {} steps", order.size(), thousands(static_cast<std::int64_t>(r.steps.size()))),
      {{"operator"}, {"activity"}, {"on"}, {"start"}, {"time"}, {"what", "tensor of a transfer, kernel of a load"}},
      {},
      On::Page};
  table.folded = true;
  for (const std::size_t i : order) {
    const StepResult& step = r.steps[i];
    table.rows.push_back({step.of, to_string(step.activity), to_string(step.resource), time_cell(seconds(step.start)),
                          time_cell(seconds(step.duration())), step.what.value_or("")});
  }
  return table;
}

Facts path(const TimelineResult& r) {
  Sums sums{};
  std::set<std::size_t> operators;
  for (const std::size_t place : r.critical_path) {
    const StepResult& step = r.steps[place];
    sums[static_cast<std::size_t>(step.activity)] += step.duration();
    operators.insert(step.number);
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kStepKinds; ++i) {
    if (sums[i] != 0) parts.push_back(fmt::format("{} {}", kPartNames[i].name, duration_text(seconds(sums[i]))));
  }
  Facts facts{
      {{"critical path",
        fmt::format("{} steps of {} operators: {}", thousands(static_cast<std::int64_t>(r.critical_path.size())),
                    thousands(static_cast<std::int64_t>(operators.size())), fmt::join(parts, ", "))},
       {"data path",
        duration_text(seconds(r.counts.data_path)) + ": the longest chain of dependent operators, without loads"}},
      kIndent};
  const auto unknown = std::count_if(r.steps.begin(), r.steps.end(), [](const StepResult& step) {
    return step.priced_by == host::to_string(host::Basis::Bytes);
  });
  if (unknown > 0) {
    facts.add("by bytes", fmt::format("{} unknown operators are priced by their bytes", unknown));
  }
  if (const timeline::MeasuredUse& measured = r.measured; measured.operators + measured.unused > 0) {
    facts.add("measured",
              fmt::format("{} operators, {} scaled from another batch, {} by plain loops, {} entries unused",
                          measured.operators, measured.scaled, measured.plain_loops, measured.unused));
  }
  for (const std::string& note : r.notes) facts.add("network", note);
  const char* title = "assumed";
  for (const auto& [of, keys] : {std::pair("schedule", &r.assumed.schedule), std::pair("host", &r.assumed.host),
                                 std::pair("board", &r.assumed.board)}) {
    if (keys->empty()) continue;
    facts.add(title, fmt::format("{}: {}", of, fmt::join(*keys, ", ")));
    title = "";
  }
  return facts;
}

std::vector<Series> frame_of(const TimelineResult& r) {
  std::vector<Series> frame;
  const auto add = [&](const char* name, Form form, auto value) {
    frame.push_back(series_of(name, "", form, r.steps, value));
    const std::vector<Value>& values = frame.back().values;
    if (std::all_of(values.begin(), values.end(), [](const Value& each) { return each == Value(); })) frame.pop_back();
  };
  const auto if_any = [](const auto& value) { return value ? Value(static_cast<std::int64_t>(*value)) : Value(); };
  const auto text_if_any = [](const std::optional<std::string>& text) { return text ? Value(*text) : Value(); };
  add("operator", Form::Plain, [](const StepResult& step) { return step.of; });
  add("activity", Form::Plain, [](const StepResult& step) { return to_string(step.activity); });
  add("on", Form::Plain, [](const StepResult& step) { return to_string(step.resource); });
  add("start, s", Form::Time, [](const StepResult& step) { return seconds(step.start); });
  add("time, s", Form::Time, [](const StepResult& step) { return seconds(step.duration()); });
  add("what", Form::Plain, [&](const StepResult& step) { return text_if_any(step.what); });
  add("bytes", Form::Bytes, [&](const StepResult& step) { return if_any(step.bytes); });
  add("kernel", Form::Plain, [&](const StepResult& step) { return if_any(step.kernel); });
  add("channel", Form::Plain, [&](const StepResult& step) { return if_any(step.channel); });
  add("priced by", Form::Plain, [&](const StepResult& step) { return text_if_any(step.priced_by); });
  if (frame.empty()) return frame;
  Series path{"critical path", "", Form::Plain, std::vector<Value>(r.steps.size(), Value("not on it"))};
  for (const std::size_t place : r.critical_path) path.values[place] = "on it";
  frame.push_back(std::move(path));
  return frame;
}

Points lanes(const TimelineResult& r, const std::vector<Series>& frame) {
  Points chart{Points::Kind::Lanes, "lanes", "Steps of the iteration on each resource", {"operator", "activity"}};
  for (const Series& each : frame) {
    if (each.name != "operator" && each.name != "activity") chart.tip.push_back(each.name);
  }
  chart.x = "start, s";
  chart.y = "time, s";
  chart.row = "on";
  chart.color = "activity";
  for (std::size_t i = 0; i < kStepKinds; ++i) {
    const auto kind = static_cast<StepKind>(i);
    const bool met =
        std::any_of(r.steps.begin(), r.steps.end(), [&](const StepResult& step) { return step.activity == kind; });
    if (met) chart.parts.push_back({to_string(kind), fmt::format("k-{}", 1 + i % 8)});
  }
  for (std::size_t i = 0; i < timeline::kResources; ++i) {
    chart.lanes.emplace_back(to_string(static_cast<timeline::Resource>(i)));
  }
  chart.end = seconds(r.counts.end);
  return chart;
}

}  // namespace

Document view_of(const TimelineResult& r) {
  Document d{"timeline", r.run};
  d.lead = fmt::format("an iteration of training {} on {}, {}, batch {}, {} rung; host {}", r.network, r.board,
                       r.kernel, r.batch, r.rung, r.host);
  d.weft_version = r.weft_version;
  d.figures = {{"Iteration", duration_text(r.iteration_seconds), ""},
               {"Epoch", hours_text(r.epoch_hours), thousands(r.iterations_per_epoch) + " iterations"},
               {"Speed", fmt::format("{:.4g} GOPS", r.gops), fmt::format("{:.4g} while kernels run", r.conv_gops)},
               {"Loads", thousands(r.counts.loads), "of " + duration_text(r.load_s) + " each"},
               {"Launches", thousands(r.counts.launches), fmt::format("{} kernels", r.counts.kernels)},
               {"PCIe", megabytes(r.counts.to_card) + " MB", megabytes(r.counts.to_host) + " MB back"}};
  d.frame = frame_of(r);
  Points steps{Points::Kind::Rows, "steps", "Every step, in time"};
  for (const Series& each : d.frame) steps.columns.push_back(each.name);
  d.sections = {
      {"iteration", "The iteration", {head(r)}},
      where(r),
      {"lanes",
       "The iteration in time",
       {Text{"Steps of each resource. Drag over an interval to enlarge it; the strip below shows the whole iteration.",
             On::Page},
        lanes(r, d.frame)}},
      {"loads", "Kernels, loads and memory", {loads(r)}},
      {"operators", "Operators", {operators(r)}},
      {"steps", "Every step", {steps, longest(r)}},
      {"path", "Critical path and assumptions", {path(r)}}};
  return d;
}

// Steps without transfer have no bytes in JSON, and 0 in CSV.
std::string csv_of(const TimelineResult& r) {
  std::vector<StepResult> steps = r.steps;
  for (StepResult& step : steps) step.bytes = step.bytes.value_or(0);
  return record::csv_text(steps, kStepColumns);
}

}  // namespace weft::tools
