#include "tools/train/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/core/checked.h"
#include "model/core/error.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/iteration/timeline/columns.h"
#include "platform/os/content.h"
#include "tools/cli/cli.h"
#include "tools/results/result_dir.h"

namespace weft::tools {

using precision::Level;
using precision::level_name;
using report::FittedTable;
using report::thousands;
using timeline::seconds;
using train::Claim;
using train::Setup;
using train::TimedStretch;
using train::TrainConfig;
using train::Training;
using Json = nlohmann::ordered_json;

namespace {

double hours(train::LongTime time) {
  return train::seconds(time) / 3600;
}

class Formatter {
 public:
  Formatter(const TrainConfig& config, const Training& training, const std::string& network)
      : config_(config), training_(training), network_(network), alone_(fp32_alone(config, training)) {}

  Json json() const {
    const config::RunConfig& run = config_.run();
    Json json{{"schema", kTrainSchema},
              {"weft_version", WEFT_VERSION},
              {"training", config_.name},
              {"policy", config_.gm ? "gm" : "muppet"},
              {"network", network_},
              {"board", run.board.name},
              {"batch", run.batch},
              {"rung", config::to_string(run.rung)},
              {"time", train::to_string(config_.counted)},
              {"iterations_per_epoch", config_.iterations_per_epoch()},
              {"epochs_in_all", training_.epochs.size()},
              {"hours", hours(training_.time())},
              {"fp32_alone", {{"epochs", config_.fp32_alone_epochs}, {"hours", hours(alone_)}}},
              {"speedup", speedup()},
              {"loads", training_.loads()}};
    for (const train::LevelRun& each : config_.runs) json["levels"].push_back(level(each));
    json["switches"] = switches();
    json["convolutions"] = convolutions();
    json["for_80_percent"] = names(training_.for_80_percent);
    if (config_.gm) json["accelerated"] = names(training_.course.accelerated);
    for (const Setup& setup : training_.setups) json["setups"].push_back(this->setup(setup));
    for (std::size_t epoch = 0; epoch < training_.epochs.size(); ++epoch) json["epochs"].push_back(this->epoch(epoch));
    json["published"] = published();
    json["unused_lines"] = training_.course.unused_lines;
    return json;
  }

  std::string csv() const {
    std::string text = kEpochColumns;
    for (std::size_t e = 0; e < training_.epochs.size(); ++e) {
      const precision::Epoch& epoch = training_.course.epochs[e];
      for (const TimedStretch& stretch : training_.epochs[e]) {
        const Setup& setup = training_.setups[stretch.setup];
        text += fmt::format("{},{},{:.6g},{},{},{},{},{},{},{}\n", e, level_name(epoch.level), epoch.rate,
                            stretch.iterations, lowered(setup, epoch.level), setup.cycles, seconds(setup.convolutions),
                            setup.iteration ? fmt::format("{}", seconds(setup.iteration->end)) : "",
                            setup.iteration ? fmt::format("{}", training_.loads(stretch)) : "",
                            hours(training_.time(stretch)));
      }
    }
    return text;
  }

 private:
  double speedup() const {
    const train::LongTime time = training_.time();
    return time == 0 ? 0 : static_cast<double>(alone_) / static_cast<double>(time);
  }
  static std::int64_t lowered(const Setup& setup, Level level) {
    return std::count_if(setup.levels.begin(), setup.levels.end(), [&](Level each) { return each < level; });
  }
  Json names(const std::vector<std::size_t>& convolutions) const {
    Json list = Json::array();
    for (const std::size_t c : convolutions) list.push_back(training_.convolutions[c]);
    return list;
  }

  // All convolutions in it, whether or not the course comes to that.
  Json level(const train::LevelRun& of) const {
    const std::size_t place = static_cast<std::size_t>(&of - config_.runs.data());
    Picoseconds convolutions = 0;
    train::LongTime time = 0;
    for (const precision::LevelTimes& times : training_.times) {
      checked::add(convolutions, times[place], "the picoseconds of all convolutions");
    }
    std::int64_t epochs = 0;
    for (std::size_t e = 0; e < training_.epochs.size(); ++e) {
      if (training_.course.epochs[e].level != of.level) continue;
      ++epochs;
      time += training_.time(e);
    }
    return {{"level", level_name(of.level)},
            {"kernel", of.run.schedule.kernels.given() ? "kernels of weft dse " + of.run.schedule.kernels.dse
                                                       : of.run.kernel->headline()},
            {"convolution_seconds", seconds(convolutions)},
            {"epochs", epochs},
            {"hours", hours(time)}};
  }

  Json switches() const {
    Json list = Json::array();
    const auto& epochs = training_.course.epochs;
    for (std::size_t e = 1; e < epochs.size(); ++e) {
      if (epochs[e].level != epochs[e - 1].level)
        list.push_back({{"epoch", e}, {"level", level_name(epochs[e].level)}});
    }
    return list;
  }

  Json convolutions() const {
    Json list = Json::array();
    for (std::size_t c = 0; c < training_.convolutions.size(); ++c) {
      Json of{{"convolution", training_.convolutions[c]}};
      for (std::size_t place = 0; place < config_.runs.size(); ++place) {
        of["seconds"][level_name(config_.runs[place].level)] = seconds(training_.times[c][place]);
      }
      list.push_back(std::move(of));
    }
    return list;
  }

  static Json setup(const Setup& setup) {
    Json of{{"cycles", setup.cycles}, {"convolution_seconds", seconds(setup.convolutions)}};
    if (setup.iteration) {
      of["iteration_seconds"] = seconds(setup.iteration->end);
      of["kernel_seconds"] = seconds(setup.iteration->kernels);
      of["host_seconds"] = seconds(setup.iteration->host);
      of["loads"] = setup.iteration->loads;
      of["bitstreams"] = setup.iteration->bitstreams;
      of["load_seconds"] = seconds(setup.iteration->load);
    }
    of["levels"] = Json::array();
    for (const Level level : setup.levels) of["levels"].push_back(level_name(level));
    return of;
  }

  Json epoch(std::size_t e) const {
    const precision::Epoch& epoch = training_.course.epochs[e];
    Json of{{"epoch", e}, {"level", level_name(epoch.level)}, {"learning_rate", epoch.rate}};
    if (epoch.diversity) {
      of["diversity"] = *epoch.diversity;
      of["threshold"] = *epoch.threshold;
      of["violations"] = epoch.violations;
    }
    of["stretches"] = Json::array();
    for (const TimedStretch& stretch : training_.epochs[e]) {
      const Setup& setup = training_.setups[stretch.setup];
      of["stretches"].push_back(
          {{"iterations", stretch.iterations}, {"setup", stretch.setup}, {"lowered", lowered(setup, epoch.level)}});
    }
    of["loads"] = training_.loads(e);
    of["hours"] = hours(training_.time(e));
    return of;
  }

  double here(Claim claim) const {
    switch (claim) {
      case Claim::Speedup:
        return speedup();
      case Claim::Hours:
        return hours(training_.time());
      case Claim::Fp32Hours:
        return hours(alone_);
      case Claim::ConvolutionsFor80Percent:
        break;
    }
    return static_cast<double>(training_.for_80_percent.size());
  }
  Json published() const {
    Json list = Json::array();
    for (const train::Published& each : config_.published) {
      Json of{
          {"of", train::to_string(each.of)}, {"value", each.value}, {"here", here(each.of)}, {"source", each.source}};
      if (!each.why.empty()) of["why"] = each.why;
      list.push_back(std::move(of));
    }
    return list;
  }

  const TrainConfig& config_;
  const Training& training_;
  const std::string& network_;
  train::LongTime alone_;
};

// The tables of a training, from its JSON: what is printed and what is shown of a saved one are the same.
class Tables {
 public:
  Tables(const Json& json, const std::string& csv, const report::TableView& view)
      : json_(json), csv_(csv), view_(view) {}

  std::string text() const {
    const std::string course = view_.columns.empty() ? this->course() : report::chosen_table(csv_, view_);
    return head() + levels() + "\n" + course + "\n" + totals() + published();
  }

 private:
  static std::string word(const Json& json, const char* key) { return json.at(key).get<std::string>(); }
  static std::int64_t count(const Json& json, const char* key) { return json.at(key).get<std::int64_t>(); }
  static double real(const Json& json, const char* key) { return json.at(key).get<double>(); }
  bool iterations() const { return json_.at("setups").at(0).contains("iteration_seconds"); }

  std::string head() const {
    return fmt::format("{}: training {} on {}, batch {}, {} rung; {}; hours of {}\n\n", word(json_, "training"),
                       word(json_, "network"), word(json_, "board"), count(json_, "batch"), word(json_, "rung"),
                       word(json_, "policy") == "gm" ? "GM on MuPPET" : "MuPPET",
                       word(json_, "time") == "iteration" ? "whole iterations" : "the convolutions alone");
  }

  std::string levels() const {
    FittedTable table(
        {{"level"}, {"convolutions s/iteration", true}, {"epochs", true}, {"hours", true}, {"kernel", false, 0, 1}});
    for (const Json& level : json_.at("levels")) {
      table.add({word(level, "level"), fmt::format("{:.6f}", real(level, "convolution_seconds")),
                 fmt::format("{}", count(level, "epochs")), fmt::format("{:.2f}", real(level, "hours")),
                 word(level, "kernel")});
    }
    return table.text(view_.width);
  }

  // Epochs that are alike in a line.
  std::string course() const {
    FittedTable table({{"epochs"},
                       {"level"},
                       {"lowered", true},
                       {"rate", true},
                       {"convolutions s", true},
                       {iterations() ? "iteration s" : "", true},
                       {iterations() ? "loads/iteration" : "", true},
                       {"hours", true}});
    const Json& epochs = json_.at("epochs");
    for (std::size_t first = 0; first < epochs.size();) {
      std::size_t last = first;
      double hours = real(epochs[first], "hours");
      while (last + 1 < epochs.size() && alike(epochs[first], epochs[last + 1])) hours += real(epochs[++last], "hours");
      const Json& stretches = epochs[first].at("stretches");
      for (const Json& stretch : stretches) {
        const bool whole = &stretch == &stretches.front();
        const Json& setup = json_.at("setups").at(stretch.at("setup").get<std::size_t>());
        table.add({!whole          ? fmt::format("  {} iterations", count(stretch, "iterations"))
                   : first == last ? fmt::format("{}", first)
                                   : fmt::format("{}-{}", first, last),
                   word(epochs[first], "level"), fmt::format("{}", count(stretch, "lowered")),
                   fmt::format("{:.4g}", real(epochs[first], "learning_rate")),
                   fmt::format("{:.6f}", real(setup, "convolution_seconds")),
                   iterations() ? fmt::format("{:.6f}", real(setup, "iteration_seconds")) : "",
                   iterations() ? fmt::format("{}", count(setup, "loads")) : "",
                   whole ? fmt::format("{:.3f}", hours) : ""});
      }
      first = last + 1;
    }
    return table.text(view_.width);
  }
  static bool alike(const Json& a, const Json& b) {
    return a.at("stretches") == b.at("stretches") && a.at("level") == b.at("level") &&
           a.at("learning_rate") == b.at("learning_rate");
  }

  std::string totals() const {
    const Json& alone = json_.at("fp32_alone");
    std::string text = fmt::format("{:<16} {:.2f} hours, {} epochs of {} iterations\n",
                                   word(json_, "policy") == "gm" ? "GM" : "MuPPET", real(json_, "hours"),
                                   count(json_, "epochs_in_all"), thousands(count(json_, "iterations_per_epoch")));
    text += fmt::format("{:<16} {:.2f} hours, {} epochs; {:.3f} times the hours\n", "FP32 alone", real(alone, "hours"),
                        count(alone, "epochs"), real(json_, "speedup"));
    if (iterations()) {
      text += fmt::format("{:<16} {} of bitstreams in all{}\n", "loads", thousands(count(json_, "loads")),
                          word(json_, "time") == "iteration" ? "" : ", which these hours leave out");
    }
    if (json_.contains("accelerated")) {
      text += fmt::format("{:<16} GM may lower {} of {} convolutions\n", "accelerated", json_.at("accelerated").size(),
                          json_.at("convolutions").size());
    }
    text += fmt::format("{:<16} the fewest convolutions with 80 % of what {} gains over fp32: {} of {} ({})\n", "80 %",
                        word(json_.at("levels").front(), "level"), json_.at("for_80_percent").size(),
                        json_.at("convolutions").size(), kinds());
    if (count(json_, "unused_lines") > 0) {
      text += fmt::format("{:<16} {} lines of the traces are of epochs in which nothing is asked for\n", "unused",
                          thousands(count(json_, "unused_lines")));
    }
    return text;
  }

  // "12 F, 10 GI, 4 GW"
  std::string kinds() const {
    std::string text;
    for (const char* kind : {"F", "GI", "GW"}) {
      const Json& list = json_.at("for_80_percent");
      const auto of = std::count_if(list.begin(), list.end(), [&](const Json& name) {
        const auto whole = name.get<std::string>();
        return whole.substr(whole.rfind(':') + 1) == kind;
      });
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", of, kind);
    }
    return text;
  }

  std::string published() const {
    if (json_.at("published").empty()) return "";
    std::string text;
    FittedTable table({{"published"}, {"value", true}, {"here", true}, {"source", false, 0}});
    for (const Json& each : json_.at("published")) {
      table.add({word(each, "of"), fmt::format("{:.4g}", real(each, "value")),
                 fmt::format("{:.4g}", real(each, "here")), word(each, "source")});
      if (each.contains("why")) table.add_note("  " + word(each, "why"));
    }
    return "\n" + table.text(view_.width);
  }

  const Json& json_;
  const std::string& csv_;
  const report::TableView& view_;
};

}  // namespace

report::Report train_report(const TrainConfig& config, const Training& training, const std::string& network,
                            const report::TableView& view) {
  const Formatter formatter(config, training, network);
  const Json json = formatter.json();
  const std::string csv = formatter.csv();
  return {Tables(json, csv, view).text(), json.dump(2) + "\n", csv};
}

std::string saved_train_tables(const std::filesystem::path& folder, const report::TableView& view) {
  check(view, report::columns_of(kEpochColumns));
  const std::string file = (folder / kResultJson).string();
  const Json json = Json::parse(os::content(file), nullptr, false);
  if (!json.is_object()) throw InputError(file, 0, "", "is not a result of weft train");
  try {
    if (json.at("schema") != kTrainSchema) {
      throw InputError(file, 0, "schema", fmt::format("must be {}: made by another version of weft", kTrainSchema));
    }
    return Tables(json, os::content(folder / kEpochsCsv), view).text();
  } catch (const Json::exception& error) {
    throw InputError(file, 0, "", fmt::format("is not as weft train writes it ({})", error.what()));
  }
}

}  // namespace weft::tools
