#include <array>
#include <utility>

#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/record/csv.h"
#include "tools/cli/cli.h"
#include "tools/plan/tables.h"

namespace weft::tools {

using cluster::BatchResult;
using report::FittedTable;
using report::thousands;

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

std::string steps(const BatchResult& timeline) {
  FittedTable table({{"step"}, {"cycles", true}, {"ms", true}, {"%", true}, {"what"}});
  double all = 0;
  for (const cluster::BatchStep& step : timeline.steps) all += static_cast<double>(step.cycles);
  for (const cluster::BatchStep& step : timeline.steps) {
    table.add({step.step, thousands(step.cycles), fmt::format("{:.3f}", 1000 * step.seconds),
               fmt::format("{:.1f}", 100 * static_cast<double>(step.cycles) / all), meaning_of(step.step)});
  }
  return table.text(page_width());
}

}  // namespace

std::string table_of(const BatchResult& timeline) {
  std::string out = fmt::format("{}, batches of {}\n\n", cluster_line(timeline.head), thousands(timeline.batch));
  out += steps(timeline) + "\n";
  out +=
      headed_line("efficiency", fmt::format("{:.4f} of the rate without end: {:.1f} of {:.1f} images/s",
                                            timeline.efficiency, timeline.images_per_s, timeline.endless_images_per_s));
  out += headed_line("epoch",
                     fmt::format("{:.3f} h of {} images", timeline.epoch_hours, thousands(timeline.dataset_images)));
  FittedTable over({{"batch", true}, {"efficiency", true}});
  for (const cluster::BatchEfficiency& each : timeline.efficiencies) {
    over.add({thousands(each.batch), fmt::format("{:.4f}", each.efficiency)});
  }
  out += "\n" + over.text(page_width()) + "\n";
  FittedTable stores({{"store"}, {"pixels at most", true}, {"words", true}, {"images", true}});
  for (const cluster::StoreUse& each : timeline.stores) {
    stores.add({each.store, thousands(each.pixels), thousands(each.words), fmt::format("{:.2f}", each.images)});
  }
  out += stores.text(page_width()) + "\n";
  for (const cluster::LinkUse& each : timeline.links) {
    out += headed_line("link", fmt::format("board {} to {}: {:.2f} Gb/s a direction, {:.1f} %", each.from,
                                           each.from + 1, each.gbits_per_s, 100 * each.part));
  }
  out += assumed_line(timeline.assumed);
  return out + headed_line("", "links take no time in it: their latency is microseconds");
}

std::string csv_of(const BatchResult& timeline) {
  return record::csv_text(timeline.steps);
}

}  // namespace weft::tools
