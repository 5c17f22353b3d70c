#include "tools/timeline/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "model/core/checked.h"
#include "model/core/error.h"
#include "platform/catalogue/load.h"
#include "platform/document/text.h"
#include "platform/iteration/host/calls.h"
#include "platform/iteration/timeline/columns.h"
#include "platform/iteration/timeline/what_counted.h"
#include "platform/os/content.h"
#include "tools/cli/cli.h"
#include "tools/results/result_dir.h"

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

  Json json() const;
  std::string csv() const;

 private:
  const config::LoadCost& load_cost() const {
    return it_.run.schedule.load == config::LoadKind::Card ? it_.host.load_card : it_.host.load_region;
  }
  // With another cost of a load, all other things alike: exact where nothing goes on beside one.
  double hours_with(Picoseconds load) const {
    const double change = static_cast<double>(t_.loads) * (seconds(load) - seconds(it_.load_time));
    return (iteration_seconds() + change) * static_cast<double>(it_.iterations_per_epoch()) / 3600;
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
  // A host that prepares each launch makes im2col, whatever the run says of other designs.
  const bool prepared = std::any_of(t_.steps.begin(), t_.steps.end(),
                                    [](const timeline::Step& step) { return step.activity == Activity::Tiling; });
  if (prepared) json["schedule"]["im2col"] = "cpu";
  const bool fixed = std::any_of(t_.steps.begin(), t_.steps.end(),
                                 [](const timeline::Step& step) { return of_fixed_point(step.activity); });
  const config::KernelsOfDse& kernels = it_.run.schedule.kernels;
  if (kernels.given()) {
    Json& set = json["schedule"]["kernels"] = {{"dse", kernels.dse}};
    if (kernels.own) {
      set["own"] = true;
    } else {
      set["penalty_percent"] = static_cast<double>(kernels.penalty_milli_percent) / 1000;
    }
  }
  for (const auto& [activity, name, meaning] : kTimelineParts) {
    if (of_prepared_launches(activity) && !prepared) continue;
    if (of_fixed_point(activity) && !fixed) continue;
    json["where_ps"][name] = part(activity);
  }
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
             {"number", step.op},
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
  std::string text = kStepColumns;
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

// The tables of a timeline, from its JSON: what is printed and what is shown of a saved one are the same.
class Tables {
 public:
  // `steps`: their CSV.
  Tables(const Json& json, const config::RunConfig& run, const std::string& steps, const TableView& view)
      : json_(json), run_(run), steps_(steps), view_(view) {}

  std::string text() const {
    return head() + where() + resources() + loads() +
           (view_.columns.empty() ? longest() : report::chosen_table(steps_, view_) + "\n") + path() + foot();
  }

 private:
  static std::string word(const Json& json, const char* key) { return json.at(key).get<std::string>(); }
  static std::int64_t count(const Json& json, const char* key) { return json.at(key).get<std::int64_t>(); }
  static double real(const Json& json, const char* key) { return json.at(key).get<double>(); }
  static Picoseconds duration(const Json& step) { return count(step, "end_ps") - count(step, "start_ps"); }

  Picoseconds end() const { return count(json_, "iteration_ps"); }
  double share(Picoseconds time) const {
    return end() == 0 ? 0 : static_cast<double>(time) / static_cast<double>(end());
  }

  std::string head() const {
    std::string text = fmt::format("{}: an iteration of training {} on {}, {}, batch {}, {} rung; host {}\n",
                                   word(json_, "run"), word(json_, "network"), word(json_, "board"), kernels_text(),
                                   count(json_, "batch"), word(json_, "rung"), word(json_, "host"));
    text += "schedule: " + schedule_text() + "\n\n";
    text += fmt::format("iteration        {:.6f} s, {:.2f} hours an epoch of {} images ({} iterations)\n",
                        real(json_, "iteration_seconds"), real(json_, "hours_per_epoch"),
                        thousands(run_.dataset_images), thousands(count(json_, "iterations_per_epoch")));
    if (run_.batch > run_.dataset_images) {
      text += fmt::format("                 of which the batch of {} has more than there are (dataset_images)\n",
                          thousands(run_.batch));
    }
    text += fmt::format("convolutions     {:.1f} GOPS while kernels run, {:.1f} over the iteration\n",
                        real(json_, "conv_gops"), real(json_, "gops"));
    if (json_.contains("published")) text += published_text(json_.at("published"));
    return text + "\n";
  }

  static std::string published_text(const Json& published) {
    if (!published.contains("source")) return "";
    std::string text = "published       ";
    const char* separator = " ";
    const auto add = [&](const char* key, const char* of) {
      if (!published.contains(key)) return;
      text += fmt::format("{}{} {}", separator, real(published, key), of);
      separator = ", ";
    };
    add("hours_per_epoch", "hours an epoch");
    add("conv_gops", "GOPS while kernels run");
    add("gops", published.contains("conv_gops") ? "over the iteration" : "GOPS over the iteration");
    text += fmt::format(" ({})\n", word(published, "source"));
    for (const Json& each : published.at("assumed")) {
      text += fmt::format("                 assumed: {}\n", each.get<std::string>());
    }
    return text;
  }

  std::string kernels_text() const {
    const Json& schedule = json_.at("schedule");
    if (!schedule.contains("kernels")) return run_.kernel->headline();
    const Json& kernels = schedule.at("kernels");
    const std::string how = kernels.contains("own")
                                ? "each convolution on its optimal one"
                                : fmt::format("shared within {}%", real(kernels, "penalty_percent"));
    return fmt::format("{} kernels of weft dse {} ({}) at {} MHz", count(json_, "kernels"), word(kernels, "dse"), how,
                       config::exact_text(run_.kernel->clock));
  }

  std::string schedule_text() const {
    std::string text;
    for (const auto& [key, value] : json_.at("schedule").items()) {
      if (!value.is_string()) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, value.get<std::string>());
    }
    return text;
  }

  std::string where() const {
    std::string text =
        trimmed(fmt::format("{:<16} {:>14}  {:>6}  {:>14}", "where it goes", "seconds", "share", "busy"));
    std::map<std::string, Picoseconds> sums;
    for (const Json& step : json_.at("steps")) sums[word(step, "activity")] += duration(step);
    const Json& where = json_.at("where_ps");
    const auto row = [&](const char* name, Picoseconds sum) {
      const Picoseconds time = count(where, name);
      text +=
          fmt::format("{:<16} {:>14.6f}  {:>5.1f}%  {:>14.6f}\n", name, seconds(time), 100 * share(time), seconds(sum));
    };
    for (const auto& [activity, name, meaning] : kTimelineParts) {
      const Picoseconds sum = sums[timeline::to_string(activity)];
      if (sum == 0 && (activity == Activity::Im2col || of_some_kernels(activity))) continue;
      row(name, sum);
    }
    row("idle", count(where, "idle"));
    return text + "what runs at once counts as the first of these; busy: how long in all\n\n";
  }

  std::string resources() const {
    std::string text = "busy share      ";
    const char* separator = " ";
    for (const auto& [name, busy] : json_.at("busy_share").items()) {
      text += fmt::format("{}{} {:.1f}%", separator, name, 100 * busy.get<double>());
      separator = ", ";
    }
    return text + "\n";
  }

  std::string loads() const {
    const auto megabytes = [&](const char* key) { return thousands(count(json_, key) / 1'000'000); };
    std::string text =
        fmt::format("kernels          {}, {} launches, {} calls; H2C {} MB, C2H {} MB\n", count(json_, "kernels"),
                    thousands(count(json_, "launches")), thousands(count(json_, "calls")), megabytes("bytes_to_card"),
                    megabytes("bytes_to_host"));
    const Json& loads = json_.at("loads");
    text += fmt::format("loads            {} an iteration of {:.3f} s each", count(loads, "count"),
                        real(loads, "seconds_each"));
    if (run_.schedule.order == config::Order::FewestLoads) {
      text += fmt::format("; {} in the order of the graph, {} saved", count(loads, "in_order_of_graph"),
                          count(loads, "in_order_of_graph") - count(loads, "count"));
    }
    text += fmt::format("; no order has fewer than {}\n", count(loads, "at_least"));
    text += fmt::format("                 at {:.2f} to {:.2f} s each {:.2f} to {:.2f} hours an epoch\n",
                        real(loads, "seconds_low"), real(loads, "seconds_high"), real(loads, "hours_per_epoch_low"),
                        real(loads, "hours_per_epoch_high"));
    const Json& again = json_.at("sent_again");
    if (count(again, "tensors") > 0) {
      text += fmt::format("sent again       {} tensors, {} MB, which loads of the whole card had lost\n",
                          count(again, "tensors"), thousands(count(again, "bytes") / 1'000'000));
    }
    if (run_.schedule.overlap != config::Overlap::None) {
      text += fmt::format("ahead            {} transfers began beside the kernel before\n", count(json_, "prefetches"));
    }
    text += "card memory      at most";
    std::size_t channel = 0;
    for (const Json& peak : json_.at("channel_peak_bytes")) {
      const auto bytes = peak.get<Bytes>();
      if (bytes > 0) text += fmt::format(" {} MB in channel {},", thousands(bytes / 1'000'000), channel);
      ++channel;
    }
    text.back() = '\n';
    return text + "\n";
  }

  // Operators by the time that they and all that serves them take.
  std::vector<std::pair<Picoseconds, std::string>> operators() const {
    std::map<std::int64_t, std::pair<Picoseconds, std::string>> sums;
    for (const Json& step : json_.at("steps")) {
      auto& [time, name] = sums[count(step, "number")];
      checked::add(time, duration(step), "the picoseconds of the steps of an operator");
      name = word(step, "operator");
    }
    std::vector<std::pair<Picoseconds, std::string>> list;
    list.reserve(sums.size());
    for (const auto& each : sums) list.push_back(each.second);
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    return list;
  }

  std::string longest() const {
    std::string text = "longest operators, with all that serves them\n";
    const auto list = operators();
    for (std::size_t i = 0; i < std::min(kLongest, list.size()); ++i) {
      text += fmt::format("{:>14.6f} s  {:>5.1f}%  {}\n", seconds(list[i].first), 100 * share(list[i].first),
                          list[i].second);
    }
    return text + "\n";
  }

  std::string path() const {
    std::map<std::string, Picoseconds> sums;
    std::set<std::int64_t> operators;
    const Json& path = json_.at("critical_path");
    for (const Json& step : path) {
      const Json& each = json_.at("steps").at(step.get<std::size_t>());
      sums[word(each, "activity")] += duration(each);
      operators.insert(count(each, "number"));
    }
    std::string text =
        fmt::format("critical path    {} steps of {} operators:", thousands(static_cast<std::int64_t>(path.size())),
                    thousands(static_cast<std::int64_t>(operators.size())));
    const char* separator = " ";
    for (const auto& [activity, what, meaning] : kTimelineParts) {
      const Picoseconds sum = sums[timeline::to_string(activity)];
      if (sum == 0) continue;
      text += fmt::format("{}{} {:.3f} s", separator, what, seconds(sum));
      separator = ", ";
    }
    return text +
           fmt::format(
               "\ndata path        {:.6f} s: the longest chain of operators that need each other, loads left out\n",
               seconds(count(json_, "data_path_ps")));
  }

  std::string foot() const {
    std::string text;
    const Json& steps = json_.at("steps");
    const auto unknown = std::count_if(steps.begin(), steps.end(), [](const Json& step) {
      return step.contains("priced_by") && step.at("priced_by") == host::to_string(host::Basis::Bytes);
    });
    if (unknown > 0)
      text += fmt::format("by bytes         {} operators that are not known are priced by their bytes\n", unknown);
    if (run_.host && !run_.host->measured.empty()) {
      const Json& measured = json_.at("measured");
      text += fmt::format(
          "measured         {} operators, {} scaled from another batch, {} by plain loops, {} entries unused\n",
          count(measured, "operators"), count(measured, "scaled"), count(measured, "plain_loops"),
          count(measured, "entries_unused"));
    }
    for (const Json& note : json_.at("notes")) {
      text += fmt::format("network          {}\n", note.get<std::string>());
    }
    const char* title = "assumed         ";
    for (const auto& [of, keys] : json_.at("assumed").items()) {
      if (keys.empty()) continue;
      text += fmt::format("{} {}: {}\n", title, of, joined(keys));
      title = "                ";
    }
    return text;
  }
  static std::string joined(const Json& words) {
    std::string text;
    for (const Json& each : words) text += (text.empty() ? "" : ", ") + each.get<std::string>();
    return text;
  }

  const Json& json_;
  const config::RunConfig& run_;
  const std::string& steps_;
  const TableView& view_;
};

}  // namespace

report::Report timeline_report(const TrainingIteration& iteration, const TableView& view) {
  const Formatter formatter(iteration);
  const Json json = formatter.json();
  const std::string steps = formatter.csv();
  return {Tables(json, iteration.run, steps, view).text(), json.dump(2) + "\n", steps};
}

std::string saved_timeline_tables(const std::filesystem::path& folder, const TableView& view) {
  check(view, report::columns_of(kStepColumns));
  const config::RunConfig run = design::load_run((folder / kResultConfig).string(), {}, project_library());
  const std::string file = (folder / kResultJson).string();
  const Json json = Json::parse(os::content(file), nullptr, false);
  if (!json.is_object()) throw InputError(file, 0, "", "is not a result of weft timeline");
  try {
    if (json.at("schema") != kTimelineSchema) {
      throw InputError(file, 0, "schema", fmt::format("must be {}: made by another version of weft", kTimelineSchema));
    }
    return Tables(json, run, os::content(folder / kStepsCsv), view).text();
  } catch (const Json::exception& error) {
    throw InputError(file, 0, "", fmt::format("is not as weft timeline writes it ({})", error.what()));
  }
}

std::string timeline_line(const TrainingIteration& iteration) {
  return Formatter(iteration).line();
}

}  // namespace weft::tools
