#include <fmt/core.h>

#include "model/core/text.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"

namespace weft::tools {

using report::Page;
using report::Section;
using report::Table;
using train::EpochResult;
using train::TrainResult;
using Json = nlohmann::ordered_json;

namespace {

// What the hours count of an iteration.
double counted_s(const TrainResult& r, std::size_t setup) {
  const train::SetupResult& of = r.setups[setup];
  return r.counted == train::Counted::Iteration ? of.iteration_s.value_or(0) : of.convolution_s;
}

Section course_section(const TrainResult& r) {
  Table table{"The epochs",
              {{"epoch", ""},
               {"level", "MuPPET's"},
               {"lowered", "convolutions that GM has below it, at its end"},
               {"learning rate", "of what it began with"},
               {"diversity", "where one was asked for"},
               {"threshold", "of the largest diversity over this one"},
               {"loads", "of bitstreams"},
               {"hours", ""}},
              {},
              true,
              true};
  const auto if_any = [](const std::optional<double>& value) { return value ? real_cell(*value) : text_cell(""); };
  for (const EpochResult& epoch : r.epochs) {
    table.rows.push_back({count_cell(epoch.epoch), text_cell(epoch.level), count_cell(epoch.stretches.back().lowered),
                          real_cell(epoch.learning_rate), if_any(epoch.diversity), if_any(epoch.threshold),
                          count_cell(epoch.loads), real_cell(epoch.hours)});
  }
  return {"course",
          "The course of the training",
          {"What an iteration takes, epoch by epoch, coloured by MuPPET's level; the line is FP32."},
          true,
          {table}};
}

Section levels_section(const TrainResult& r) {
  Table table{"Levels",
              {{"level", ""},
               {"convolutions", "of an iteration, all in this level"},
               {"epochs", ""},
               {"hours", ""},
               {"kernel", ""}},
              {},
              false,
              false};
  for (const train::LevelResult& level : r.levels) {
    table.rows.push_back({text_cell(level.level), time_cell(level.convolution_s), count_cell(level.epochs),
                          real_cell(level.hours), text_cell(level.kernel)});
  }
  return {"levels", "What each level takes", {}, false, {table}};
}

Section convolutions_section(const TrainResult& r) {
  Table table{"Each convolution in each level", {{"convolution", ""}}, {}, true, true};
  for (const train::LevelResult& level : r.levels) table.columns.push_back({level.level, "of an iteration"});
  for (const train::ConvolutionResult& of : r.convolutions) {
    table.rows.push_back({text_cell(of.name)});
    for (const auto& [level, seconds] : of.seconds) table.rows.back().push_back(time_cell(seconds));
  }
  return {"convolutions",
          "Where the gain is",
          {fmt::format("The fewest convolutions with 80 % of what the lowest level gains over FP32 are {} of {}.",
                       r.for_80_percent.size(), r.convolutions.size())},
          false,
          {table}};
}

Section published_section(const TrainResult& r) {
  Table table{"Published figures",
              {{"figure", ""}, {"published", ""}, {"here", ""}, {"source", ""}, {"why they differ", ""}},
              {},
              false,
              false};
  for (const train::PublishedResult& each : r.published) {
    table.rows.push_back({text_cell(to_string(each.of)), real_cell(each.value), real_cell(each.here),
                          text_cell(each.source), text_cell(each.why.value_or(""))});
  }
  return {"published", "Beside what is published", {}, false, {table}};
}

// A bar an epoch: what its iterations take at the mean.
Json data_of(const TrainResult& r) {
  Json data{{"levels", Json::array()}, {"epochs", Json::array()}};
  for (const train::LevelResult& level : r.levels) data["levels"].push_back(level.level);
  for (const EpochResult& epoch : r.epochs) {
    double seconds = 0, all = 0;
    for (const train::StretchResult& stretch : epoch.stretches) {
      const auto iterations = static_cast<double>(stretch.iterations);
      seconds += iterations * counted_s(r, stretch.setup);
      all += iterations;
    }
    data["epochs"].push_back({{"epoch", epoch.epoch},
                              {"level", epoch.level},
                              {"lowered", epoch.stretches.back().lowered},
                              {"seconds", seconds / all},
                              {"hours", epoch.hours}});
  }
  data["fp32_seconds"] = counted_s(r, 0);
  return data;
}

}  // namespace

Page train_page(const TrainResult& r) {
  Page page;
  page.kind = page.command = "train";
  page.title = r.training;
  page.lead = fmt::format("Training {} on {} under {}: batch {}, {} rung. The hours are of {}.", r.network, r.board,
                          r.policy == "gm" ? "GM on MuPPET" : "MuPPET", thousands(r.batch), r.rung,
                          r.counted == train::Counted::Iteration ? "whole iterations" : "the convolutions alone");
  page.weft_version = r.weft_version;
  page.figures = {{"Training", real_text(r.hours) + " h",
                   fmt::format("{} epochs of {} iterations", r.epochs_in_all, thousands(r.iterations_per_epoch))},
                  {"FP32 alone", real_text(r.fp32_alone_hours) + " h", fmt::format("{} epochs", r.fp32_alone_epochs)},
                  {"Gain", real_text(r.speedup) + " times", ""}};
  if (r.setups.front().loads) page.figures.push_back({"Loads", thousands(r.loads), "of bitstreams in all"});
  page.sections = {course_section(r), levels_section(r), convolutions_section(r)};
  if (!r.published.empty()) page.sections.push_back(published_section(r));
  page.data = data_of(r);
  return page;
}

}  // namespace weft::tools
