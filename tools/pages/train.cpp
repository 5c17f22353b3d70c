#include <fmt/core.h>

#include "platform/document/text.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"
#include "tools/results/json_at.h"

namespace weft::tools {

using report::Page;
using report::Section;
using report::Table;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

bool iterations(const Json& saved) {
  return text(saved, "time") == "iteration";
}
// What the hours count of an iteration.
const char* counted(const Json& saved) {
  return iterations(saved) ? "iteration_seconds" : "convolution_seconds";
}

Section course_section(const Json& saved) {
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
  const auto if_any = [](const Json& epoch, const char* key) {
    return epoch.contains(key) ? real_cell(real(epoch, key)) : text_cell("");
  };
  for (const Json& epoch : saved.at("epochs")) {
    table.rows.push_back({count_cell(epoch.at("epoch").get<std::int64_t>()), text_cell(text(epoch, "level")),
                          count_cell(epoch.at("stretches").back().at("lowered").get<std::int64_t>()),
                          real_cell(real(epoch, "learning_rate")), if_any(epoch, "diversity"),
                          if_any(epoch, "threshold"), count_cell(epoch.at("loads").get<std::int64_t>()),
                          real_cell(real(epoch, "hours"))});
  }
  return {"course",
          "The course of the training",
          {"What an iteration takes, epoch by epoch, coloured by MuPPET's level; the line is FP32."},
          true,
          {table}};
}

Section levels_section(const Json& saved) {
  Table table{"Levels",
              {{"level", ""},
               {"convolutions", "of an iteration, all in this level"},
               {"epochs", ""},
               {"hours", ""},
               {"kernel", ""}},
              {},
              false,
              false};
  for (const Json& level : saved.at("levels")) {
    table.rows.push_back({text_cell(text(level, "level")), time_cell(real(level, "convolution_seconds")),
                          count_cell(level.at("epochs").get<std::int64_t>()), real_cell(real(level, "hours")),
                          text_cell(text(level, "kernel"))});
  }
  return {"levels", "What each level takes", {}, false, {table}};
}

Section convolutions_section(const Json& saved) {
  Table table{"Each convolution in each level", {{"convolution", ""}}, {}, true, true};
  for (const Json& level : saved.at("levels")) table.columns.push_back({text(level, "level"), "of an iteration"});
  for (const Json& of : saved.at("convolutions")) {
    table.rows.push_back({text_cell(text(of, "convolution"))});
    for (const Json& level : saved.at("levels")) {
      table.rows.back().push_back(time_cell(of.at("seconds").at(text(level, "level")).get<double>()));
    }
  }
  const auto few = saved.at("for_80_percent").size();
  return {"convolutions",
          "Where the gain is",
          {fmt::format("The fewest convolutions with 80 % of what the lowest level gains over FP32 are {} of {}.", few,
                       saved.at("convolutions").size())},
          false,
          {table}};
}

Section published_section(const Json& saved) {
  Table table{"Published figures",
              {{"figure", ""}, {"published", ""}, {"here", ""}, {"source", ""}, {"why they differ", ""}},
              {},
              false,
              false};
  for (const Json& each : saved.at("published")) {
    table.rows.push_back({text_cell(text(each, "of")), real_cell(real(each, "value")), real_cell(real(each, "here")),
                          text_cell(text(each, "source")), text_cell(each.value("why", ""))});
  }
  return {"published", "Beside what is published", {}, false, {table}};
}

// A bar an epoch: what its iterations take at the mean.
Json data_of(const Json& saved) {
  Json data{{"levels", Json::array()}, {"epochs", Json::array()}};
  for (const Json& level : saved.at("levels")) data["levels"].push_back(text(level, "level"));
  const char* key = counted(saved);
  for (const Json& epoch : saved.at("epochs")) {
    double seconds = 0, all = 0;
    for (const Json& stretch : epoch.at("stretches")) {
      const double iterations = real(stretch, "iterations");
      seconds += iterations * real(saved.at("setups").at(stretch.at("setup").get<std::size_t>()), key);
      all += iterations;
    }
    data["epochs"].push_back({{"epoch", epoch.at("epoch")},
                              {"level", epoch.at("level")},
                              {"lowered", epoch.at("stretches").back().at("lowered")},
                              {"seconds", seconds / all},
                              {"hours", epoch.at("hours")}});
  }
  data["fp32_seconds"] = saved.at("setups").front().at(key);
  return data;
}

}  // namespace

Page train_page(const Json& saved) {
  Page page;
  page.kind = page.command = "train";
  page.title = text(saved, "training");
  page.lead = fmt::format("Training {} on {} under {}: batch {}, {} rung. The hours are of {}.", text(saved, "network"),
                          text(saved, "board"), text(saved, "policy") == "gm" ? "GM on MuPPET" : "MuPPET",
                          thousands(saved.at("batch").get<std::int64_t>()), text(saved, "rung"),
                          iterations(saved) ? "whole iterations" : "the convolutions alone");
  page.weft_version = text(saved, "weft_version");
  const Json& alone = saved.at("fp32_alone");
  page.figures = {{"Training", real_text(real(saved, "hours")) + " h",
                   fmt::format("{} epochs of {} iterations", saved.at("epochs_in_all").get<std::int64_t>(),
                               thousands(saved.at("iterations_per_epoch").get<std::int64_t>()))},
                  {"FP32 alone", real_text(real(alone, "hours")) + " h",
                   fmt::format("{} epochs", alone.at("epochs").get<std::int64_t>())},
                  {"Gain", real_text(real(saved, "speedup")) + " times", ""}};
  if (saved.at("setups").front().contains("loads")) {
    page.figures.push_back({"Loads", thousands(saved.at("loads").get<std::int64_t>()), "of bitstreams in all"});
  }
  page.sections = {course_section(saved), levels_section(saved), convolutions_section(saved)};
  if (!saved.at("published").empty()) page.sections.push_back(published_section(saved));
  page.data = data_of(saved);
  return page;
}

}  // namespace weft::tools
