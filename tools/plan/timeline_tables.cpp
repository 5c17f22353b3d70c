#include <fmt/core.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "platform/config/reader.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/os/content.h"
#include "tools/cli/cli.h"
#include "tools/plan/report.h"
#include "tools/plan/tables.h"
#include "tools/results/json_at.h"
#include "tools/results/result_dir.h"

namespace weft::tools {

using report::FittedTable;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::array<std::pair<const char*, const char*>, 4> kSteps{
    {{"fill", "up to the first image's last gradient, or the last pixel's entering"},
     {"steady", "images come and go"},
     {"drain", "behind the last pixel's entering"},
     {"update", "of the slowest layer's weights"}}};

const char* meaning_of(const std::string& step) {
  for (const auto& [name, meaning] : kSteps) {
    if (step == name) return meaning;
  }
  return "";
}

std::string steps(const Json& timeline) {
  FittedTable table({{"step"}, {"cycles", true}, {"ms", true}, {"%", true}, {"what"}});
  double all = 0;
  for (const Json& step : timeline.at("steps")) all += real(step, "cycles");
  for (const Json& step : timeline.at("steps")) {
    table.add({text(step, "step"), thousands(count(step, "cycles")),
               fmt::format("{:.3f}", 1000 * real(step, "seconds")),
               fmt::format("{:.1f}", 100 * real(step, "cycles") / all), meaning_of(text(step, "step"))});
  }
  return table.text(page_width());
}

std::string table_of(const Json& timeline) {
  std::string out =
      fmt::format("{}: {} on {} x {}, batches of {}\n\n", text(timeline, "cluster"), text(timeline, "network"),
                  count(timeline, "number_of_boards"), text(timeline, "board"), thousands(count(timeline, "batch")));
  out += steps(timeline) + "\n";
  out += headed_line("efficiency", fmt::format("{:.4f} of the rate without end: {:.1f} of {:.1f} images/s",
                                               real(timeline, "efficiency"), real(timeline, "images_per_s"),
                                               real(timeline, "endless_images_per_s")));
  out += headed_line("epoch", fmt::format("{:.3f} h of {} images", real(timeline, "epoch_hours"),
                                          thousands(count(timeline, "dataset_images"))));
  FittedTable over({{"batch", true}, {"efficiency", true}});
  for (const Json& each : timeline.at("efficiencies")) {
    over.add({thousands(count(each, "batch")), fmt::format("{:.4f}", real(each, "efficiency"))});
  }
  out += "\n" + over.text(page_width()) + "\n";
  FittedTable stores({{"store"}, {"pixels at most", true}, {"words", true}, {"images", true}});
  for (const Json& each : timeline.at("stores")) {
    stores.add({text(each, "store"), thousands(count(each, "pixels")), thousands(count(each, "words")),
                fmt::format("{:.2f}", real(each, "images"))});
  }
  out += stores.text(page_width()) + "\n";
  for (const Json& each : timeline.at("links")) {
    const std::int64_t from = count(each, "from");
    out += headed_line("link", fmt::format("board {} to {}: {:.2f} Gb/s a direction, {:.1f} %", from, from + 1,
                                           real(each, "gbits_per_s"), 100 * real(each, "part")));
  }
  const auto assumed = timeline.at("assumed").get<std::vector<std::string>>();
  if (!assumed.empty()) out += headed_line("assumed", config::join(assumed));
  out += headed_line("", "links take no time in it: their latency is microseconds");
  return out;
}

std::string csv_of(const Json& timeline) {
  std::string csv = "step,cycles,seconds\n";
  for (const Json& step : timeline.at("steps")) {
    csv += fmt::format("{},{},{}\n", text(step, "step"), count(step, "cycles"), real(step, "seconds"));
  }
  return csv;
}

}  // namespace

report::Report cluster_timeline_report(const Json& timeline) {
  return {table_of(timeline), timeline.dump(2) + "\n", csv_of(timeline)};
}

report::Report plan_report(const Json& plan) {
  return text(plan, "design") == kNadaDesign ? nada_plan_report(plan) : array_plan_report(plan);
}

report::Report saved_cluster_report(const std::filesystem::path& folder) {
  const std::string file = (folder / kResultJson).string();
  const Json json = Json::parse(os::content(file), nullptr, false);
  if (!json.is_object()) throw InputError(file, 0, "", "is not a result of weft");
  try {
    if (json.at("schema") != kPlanSchema) {
      throw InputError(file, 0, "schema", fmt::format("must be {}: made by another version of weft", kPlanSchema));
    }
    return json.contains("steps") ? cluster_timeline_report(json) : plan_report(json);
  } catch (const Json::exception& error) {
    throw InputError(file, 0, "", fmt::format("is not as weft writes it ({})", error.what()));
  }
}

}  // namespace weft::tools
