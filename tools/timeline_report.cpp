#include "tools/timeline_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "platform/host/calls.h"
#include "platform/report/text.h"
#include "platform/timeline/columns.h"
#include "platform/timeline/what_counted.h"

namespace weft::tools {

using report::csv_field;
using report::thousands;
using report::trimmed;
using timeline::Activity;
using timeline::Resource;
using timeline::seconds;
using timeline::Step;
using timeline::TrainingIteration;
using Json = nlohmann::ordered_json;

namespace {

constexpr int kTimelineSchema = 2;
constexpr std::size_t kLongest = 10;

class Formatter {
 public:
  explicit Formatter(const TrainingIteration& iteration)
      : it_(iteration),
        t_(iteration.timeline),
        parts_(iteration.parts),
        busy_(timeline::busy(t_)),
        path_(timeline::critical_path(t_)) {}

  double iteration_seconds() const { return seconds(t_.end); }
  double hours_per_epoch() const { return timeline::hours_per_epoch(it_); }
  Picoseconds part(Activity activity) const { return parts_.time[static_cast<std::size_t>(activity)]; }
  double share(Picoseconds time) const {
    return t_.end == 0 ? 0 : static_cast<double>(time) / static_cast<double>(t_.end);
  }
  // Of the convolutions, over the time of all kernels or of everything.
  double gops(Picoseconds time) const {
    return time == 0 ? 0 : 1e-9 * static_cast<double>(it_.convolution_flops) / seconds(time);
  }
  Picoseconds kernel_time() const { return part(Activity::Kernel) + part(Activity::Precompute); }

  std::string line() const {
    std::string text =
        fmt::format("{:.3f} s of {} images, {:.2f} h an epoch:", iteration_seconds(), it_.run.batch, hours_per_epoch());
    const char* separator = " ";
    for (const auto& [activity, name, meaning] : kTimelineParts) {
      if (share(part(activity)) < 0.001) continue;
      text += fmt::format("{}{} {:.1f}%", separator, name, 100 * share(part(activity)));
      separator = ", ";
    }
    if (share(parts_.idle) >= 0.001) text += fmt::format(", idle {:.1f}%", 100 * share(parts_.idle));
    return text + fmt::format(" (host {}, weft timeline)", it_.host.name);
  }

  std::string table() const { return head() + where() + resources() + loads() + longest() + path() + foot(); }
  Json json() const;
  std::string csv() const;

 private:
  std::string head() const {
    const config::Schedule& how = it_.run.schedule;
    std::string text = fmt::format("{}: an iteration of training {} on {}, {}, batch {}, {} rung; host {}\n",
                                   it_.run.name, it_.graph().name, it_.run.board.name, kernels_text(), it_.run.batch,
                                   config::to_string(it_.run.rung), it_.host.name);
    text += "schedule: " + schedule_text(how) + "\n\n";
    text += fmt::format("iteration        {:.6f} s, {:.2f} hours an epoch of {} images ({} iterations)\n",
                        iteration_seconds(), hours_per_epoch(), thousands(it_.run.dataset_images),
                        thousands(it_.iterations_per_epoch()));
    if (it_.run.batch > it_.run.dataset_images) {
      text += fmt::format("                 of which the batch of {} has more than there are (dataset_images)\n",
                          thousands(it_.run.batch));
    }
    text += fmt::format("convolutions     {:.1f} GOPS while kernels run, {:.1f} over the iteration\n",
                        gops(kernel_time()), gops(t_.end));
    const config::PublishedIteration& published = it_.run.published;
    if (!published.source.empty()) {
      text += "published       ";
      const char* separator = " ";
      const auto add = [&](const std::optional<double>& value, const char* of) {
        if (!value) return;
        text += fmt::format("{}{} {}", separator, *value, of);
        separator = ", ";
      };
      add(published.hours_per_epoch, "hours an epoch");
      add(published.conv_gops, "GOPS while kernels run");
      add(published.gops, published.conv_gops ? "over the iteration" : "GOPS over the iteration");
      text += fmt::format(" ({})\n", published.source);
      for (const std::string& each : published.assumed) text += fmt::format("                 assumed: {}\n", each);
    }
    return text + "\n";
  }

  std::string kernels_text() const {
    const config::KernelsOfDse& kernels = it_.run.schedule.kernels;
    if (!kernels.given()) return it_.run.kernel->headline();
    const std::string how =
        kernels.own ? "each convolution on its optimal one"
                    : fmt::format("shared within {}%", static_cast<double>(kernels.penalty_milli_percent) / 1000);
    return fmt::format("{} kernels of weft dse {} ({}) at {} MHz", t_.kernels, kernels.dse, how,
                       config::exact_text(it_.run.kernel->clock));
  }

  static std::string schedule_text(const config::Schedule& how) {
    std::string text;
    for (const config::Node& entry : config::write_schedule(how).children) {
      if (entry.kind != config::Node::Kind::Scalar) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", entry.key, entry.text);
    }
    return text;
  }

  std::string where() const {
    std::string text =
        trimmed(fmt::format("{:<16} {:>14}  {:>6}  {:>14}", "where it goes", "seconds", "share", "busy"));
    std::map<Activity, Picoseconds> sums;
    for (const Step& step : t_.steps) sums[step.activity] += step.duration();
    const auto row = [&](const char* name, Picoseconds time, Picoseconds sum) {
      text +=
          fmt::format("{:<16} {:>14.6f}  {:>5.1f}%  {:>14.6f}\n", name, seconds(time), 100 * share(time), seconds(sum));
    };
    for (const auto& [activity, name, meaning] : kTimelineParts) {
      if (activity == Activity::Im2col && sums[activity] == 0) continue;
      row(name, part(activity), sums[activity]);
    }
    row("idle", parts_.idle, parts_.idle);
    return text + "what runs at once counts as the first of these; busy: how long in all\n\n";
  }

  std::string resources() const {
    std::string text = "busy share      ";
    for (std::size_t i = 0; i < timeline::kResources; ++i) {
      text += fmt::format("{}{} {:.1f}%", i == 0 ? " " : ", ", timeline::to_string(static_cast<Resource>(i)),
                          100 * share(busy_[i]));
    }
    return text + "\n";
  }

  std::string loads() const {
    std::string text = fmt::format("kernels          {}, {} launches, {} calls; H2C {} MB, C2H {} MB\n", t_.kernels,
                                   thousands(t_.launches), thousands(t_.calls), thousands(t_.to_card / 1'000'000),
                                   thousands(t_.to_host / 1'000'000));
    text += fmt::format("loads            {} an iteration of {:.3f} s each", t_.loads, seconds(it_.load_time));
    if (it_.run.schedule.order == config::Order::FewestLoads) {
      text += fmt::format("; {} in the order of the graph, {} saved", t_.loads_in_given_order,
                          t_.loads_in_given_order - t_.loads);
    }
    text += fmt::format("; no order has fewer than {}\n", t_.fewest_loads);
    const config::LoadCost& cost = load_cost();
    text += fmt::format("                 at {:.2f} to {:.2f} s each {:.2f} to {:.2f} hours an epoch\n",
                        seconds(cost.low_ps), seconds(cost.high_ps), hours_with(cost.low_ps), hours_with(cost.high_ps));
    if (t_.sent_again > 0) {
      text += fmt::format("sent again       {} tensors, {} MB, which loads of the whole card had lost\n", t_.sent_again,
                          thousands(t_.sent_again_bytes / 1'000'000));
    }
    if (it_.run.schedule.overlap != config::Overlap::None) {
      text += fmt::format("ahead            {} transfers began beside the kernel before\n", t_.prefetches);
    }
    text += "card memory      at most";
    for (std::size_t channel = 0; channel < t_.channel_peak.size(); ++channel) {
      if (t_.channel_peak[channel] > 0) {
        text += fmt::format(" {} MB in channel {},", thousands(t_.channel_peak[channel] / 1'000'000), channel);
      }
    }
    text.back() = '\n';
    return text + "\n";
  }

  const config::LoadCost& load_cost() const {
    return it_.run.schedule.load == config::LoadKind::Card ? it_.host.load_card : it_.host.load_region;
  }
  // With another cost of a load, all other things alike: exact where nothing goes on beside one.
  double hours_with(Picoseconds load) const {
    const double change = static_cast<double>(t_.loads) * (seconds(load) - seconds(it_.load_time));
    return (iteration_seconds() + change) * static_cast<double>(it_.iterations_per_epoch()) / 3600;
  }

  // Operators by the time that they and all that serves them take.
  std::vector<std::pair<Picoseconds, workloads::OperatorId>> operators() const {
    std::map<workloads::OperatorId, Picoseconds> sums;
    for (const Step& step : t_.steps) sums[step.op] += step.duration();
    std::vector<std::pair<Picoseconds, workloads::OperatorId>> list;
    list.reserve(sums.size());
    for (const auto& [op, time] : sums) list.emplace_back(time, op);
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    return list;
  }
  std::string name(workloads::OperatorId op) const { return workloads::label(it_.graph().operators[op]); }

  std::string longest() const {
    std::string text = "longest operators, with all that serves them\n";
    const auto list = operators();
    for (std::size_t i = 0; i < std::min(kLongest, list.size()); ++i) {
      text += fmt::format("{:>14.6f} s  {:>5.1f}%  {}\n", seconds(list[i].first), 100 * share(list[i].first),
                          name(list[i].second));
    }
    return text + "\n";
  }

  std::string path() const {
    std::map<Activity, Picoseconds> sums;
    std::set<workloads::OperatorId> ops;
    for (const std::size_t step : path_) {
      sums[t_.steps[step].activity] += t_.steps[step].duration();
      ops.insert(t_.steps[step].op);
    }
    std::string text =
        fmt::format("critical path    {} steps of {} operators:", thousands(static_cast<std::int64_t>(path_.size())),
                    thousands(static_cast<std::int64_t>(ops.size())));
    const char* separator = " ";
    for (const auto& [activity, what, meaning] : kTimelineParts) {
      if (sums[activity] == 0) continue;
      text += fmt::format("{}{} {:.3f} s", separator, what, seconds(sums[activity]));
      separator = ", ";
    }
    return text +
           fmt::format(
               "\ndata path        {:.6f} s: the longest chain of operators that need each other, loads left out\n",
               seconds(t_.data_path));
  }

  std::string foot() const {
    std::string text;
    std::int64_t unknown = 0;
    for (const host::Price& price : it_.prices) unknown += price.basis == host::Basis::Bytes ? 1 : 0;
    if (unknown > 0)
      text += fmt::format("by bytes         {} operators that are not known are priced by their bytes\n", unknown);
    const timeline::MeasuredUse measured = timeline::measured_use(it_);
    if (!it_.host.measured.empty()) {
      text += fmt::format(
          "measured         {} operators, {} scaled from another batch, {} by plain loops, {} entries unused\n",
          measured.operators, measured.scaled, measured.plain_loops, measured.unused);
    }
    for (const std::string& note : it_.network->notes) text += fmt::format("network          {}\n", note);
    const timeline::Assumed assumed = timeline::assumed_of(it_);
    const char* title = "assumed         ";
    const auto list = [&](const char* of, const std::vector<std::string>& keys) {
      if (keys.empty()) return;
      text += fmt::format("{} {}: {}\n", title, of, joined(keys));
      title = "                ";
    };
    list("schedule", assumed.schedule);
    list("host", assumed.host);
    list("board", assumed.board);
    return text;
  }
  static std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
  }

  const TrainingIteration& it_;
  const timeline::Timeline& t_;
  const timeline::Breakdown& parts_;
  std::array<Picoseconds, timeline::kResources> busy_;
  std::vector<std::size_t> path_;
};

Json Formatter::json() const {
  Json json{{"schema", kTimelineSchema},
            {"weft_version", WEFT_VERSION},
            {"run", it_.run.name},
            {"network", it_.graph().name},
            {"board", it_.run.board.name},
            {"host", it_.host.name},
            {"batch", it_.run.batch},
            {"rung", config::to_string(it_.run.rung)},
            {"iteration_ps", t_.end},
            {"iteration_seconds", iteration_seconds()},
            {"iterations_per_epoch", it_.iterations_per_epoch()},
            {"hours_per_epoch", hours_per_epoch()},
            {"conv_gops", gops(kernel_time())},
            {"gops", gops(t_.end)}};
  for (const config::Node& entry : config::write_schedule(it_.run.schedule).children) {
    if (entry.kind == config::Node::Kind::Scalar) json["schedule"][entry.key] = entry.text;
  }
  const config::KernelsOfDse& kernels = it_.run.schedule.kernels;
  if (kernels.given()) {
    Json& set = json["schedule"]["kernels"] = {{"dse", kernels.dse}};
    if (kernels.own) {
      set["own"] = true;
    } else {
      set["penalty_percent"] = static_cast<double>(kernels.penalty_milli_percent) / 1000;
    }
  }
  for (const auto& [activity, name, meaning] : kTimelineParts) json["where_ps"][name] = part(activity);
  json["where_ps"]["idle"] = parts_.idle;
  for (std::size_t i = 0; i < timeline::kResources; ++i) {
    json["busy_share"][timeline::to_string(static_cast<Resource>(i))] = share(busy_[i]);
  }
  json["kernels"] = t_.kernels;
  json["loads"] = {{"count", t_.loads},
                   {"in_order_of_graph", t_.loads_in_given_order},
                   {"at_least", t_.fewest_loads},
                   {"seconds_each", seconds(it_.load_time)},
                   {"seconds_low", seconds(load_cost().low_ps)},
                   {"seconds_high", seconds(load_cost().high_ps)},
                   {"hours_per_epoch_low", hours_with(load_cost().low_ps)},
                   {"hours_per_epoch_high", hours_with(load_cost().high_ps)}};
  json["launches"] = t_.launches;
  json["calls"] = t_.calls;
  json["prefetches"] = t_.prefetches;
  json["bytes_to_card"] = t_.to_card;
  json["bytes_to_host"] = t_.to_host;
  json["sent_again"] = {{"tensors", t_.sent_again}, {"bytes", t_.sent_again_bytes}};
  json["channel_peak_bytes"] = t_.channel_peak;
  json["data_path_ps"] = t_.data_path;
  json["critical_path"] = path_;
  const config::PublishedIteration& published = it_.run.published;
  if (published.hours_per_epoch) json["published"]["hours_per_epoch"] = *published.hours_per_epoch;
  if (published.conv_gops) json["published"]["conv_gops"] = *published.conv_gops;
  if (published.gops) json["published"]["gops"] = *published.gops;
  if (!published.source.empty()) {
    json["published"]["source"] = published.source;
    json["published"]["assumed"] = published.assumed;
  }
  const timeline::MeasuredUse measured = timeline::measured_use(it_);
  json["measured"] = {{"operators", measured.operators},
                      {"scaled", measured.scaled},
                      {"plain_loops", measured.plain_loops},
                      {"entries_unused", measured.unused}};
  json["notes"] = it_.network->notes;
  const timeline::Assumed assumed = timeline::assumed_of(it_);
  json["assumed"] = {{"schedule", assumed.schedule}, {"host", assumed.host}, {"board", assumed.board}};
  json["steps"] = Json::array();
  for (const Step& step : t_.steps) {
    const workloads::Operator& op = it_.graph().operators[step.op];
    Json one{{"operator", workloads::label(op)},
             {"direction", workloads::to_string(op.direction)},
             {"class", workloads::to_string(workloads::class_of(op))},
             {"activity", timeline::to_string(step.activity)},
             {"resource", timeline::to_string(timeline::resource_of(step.activity))},
             {"start_ps", step.start},
             {"end_ps", step.end}};
    if (!step.what.empty()) one["what"] = step.what;
    if (step.bytes > 0) one["bytes"] = step.bytes;
    if (timeline::resource_of(step.activity) == Resource::Card) one["kernel"] = step.kernel;
    if (step.channel) one["memory_channel"] = *step.channel;
    if (step.activity == Activity::HostOperator) one["priced_by"] = host::to_string(it_.prices[step.op].basis);
    json["steps"].push_back(std::move(one));
  }
  return json;
}

std::string Formatter::csv() const {
  std::string text =
      "operator,direction,class,activity,resource,what,start_ps,end_ps,bytes,kernel,priced_by,memory_channel\n";
  for (const Step& step : t_.steps) {
    const workloads::Operator& op = it_.graph().operators[step.op];
    const bool card = timeline::resource_of(step.activity) == Resource::Card;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(workloads::label(op)),
                        workloads::to_string(op.direction), workloads::to_string(workloads::class_of(op)),
                        timeline::to_string(step.activity), timeline::to_string(timeline::resource_of(step.activity)),
                        csv_field(step.what), step.start, step.end, step.bytes, card ? std::to_string(step.kernel) : "",
                        step.activity == Activity::HostOperator ? host::to_string(it_.prices[step.op].basis) : "",
                        step.channel ? std::to_string(*step.channel) : "");
  }
  return text;
}

}  // namespace

report::Report timeline_report(const TrainingIteration& iteration) {
  const Formatter formatter(iteration);
  return {formatter.table(), formatter.json().dump(2) + "\n", formatter.csv()};
}

std::string timeline_line(const TrainingIteration& iteration) {
  return Formatter(iteration).line();
}

}  // namespace weft::tools
