#include "tools/train/report.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/document/fitted_table.h"
#include "platform/record/json.h"
#include "platform/record/result_dir.h"

namespace weft::tools {

using report::FittedTable;
using report::TableView;
using train::Counted;
using train::EpochResult;
using train::StretchResult;
using train::TrainResult;

namespace {

bool iterations(const TrainResult& r) {
  return r.setups.front().iteration_s.has_value();
}

std::string head(const TrainResult& r) {
  return fmt::format("{}: training {} on {}, batch {}, {} rung; {}; hours of {}\n\n", r.training, r.network, r.board,
                     r.batch, r.rung, r.policy == "gm" ? "GM on MuPPET" : "MuPPET",
                     r.counted == Counted::Iteration ? "whole iterations" : "the convolutions alone");
}

std::string levels(const TrainResult& r, const TableView& view) {
  FittedTable table(
      {{"level"}, {"convolutions s/iteration", true}, {"epochs", true}, {"hours", true}, {"kernel", false, 0, 1}});
  for (const train::LevelResult& level : r.levels) {
    table.add({level.level, fmt::format("{:.6f}", level.convolution_s), fmt::format("{}", level.epochs),
               fmt::format("{:.2f}", level.hours), level.kernel});
  }
  return table.text(view.width);
}

bool alike(const EpochResult& a, const EpochResult& b) {
  return a.level == b.level && a.learning_rate == b.learning_rate &&
         std::equal(a.stretches.begin(), a.stretches.end(), b.stretches.begin(), b.stretches.end(),
                    [](const StretchResult& x, const StretchResult& y) {
                      return x.iterations == y.iterations && x.setup == y.setup && x.lowered == y.lowered;
                    });
}

// Epochs that are alike in a line.
std::string course(const TrainResult& r, const TableView& view) {
  FittedTable table({{"epochs"},
                     {"level"},
                     {"lowered", true},
                     {"rate", true},
                     {"convolutions s", true},
                     {iterations(r) ? "iteration s" : "", true},
                     {iterations(r) ? "loads/iteration" : "", true},
                     {"hours", true}});
  for (std::size_t first = 0; first < r.epochs.size();) {
    const EpochResult& epoch = r.epochs[first];
    std::size_t last = first;
    double hours = epoch.hours;
    while (last + 1 < r.epochs.size() && alike(epoch, r.epochs[last + 1])) hours += r.epochs[++last].hours;
    for (const StretchResult& stretch : epoch.stretches) {
      const bool whole = &stretch == &epoch.stretches.front();
      const train::SetupResult& setup = r.setups[stretch.setup];
      table.add({!whole          ? fmt::format("  {} iterations", stretch.iterations)
                 : first == last ? fmt::format("{}", first)
                                 : fmt::format("{}-{}", first, last),
                 epoch.level, fmt::format("{}", stretch.lowered), fmt::format("{:.4g}", epoch.learning_rate),
                 fmt::format("{:.6f}", setup.convolution_s),
                 setup.iteration_s ? fmt::format("{:.6f}", *setup.iteration_s) : "",
                 setup.loads ? fmt::format("{}", *setup.loads) : "", whole ? fmt::format("{:.3f}", hours) : ""});
    }
    first = last + 1;
  }
  return table.text(view.width);
}

// "12 F, 10 GI, 4 GW"
std::string kinds(const std::vector<std::string>& convolutions) {
  std::string text;
  for (const char* kind : {"F", "GI", "GW"}) {
    const auto of = std::count_if(convolutions.begin(), convolutions.end(),
                                  [&](const std::string& name) { return name.substr(name.rfind(':') + 1) == kind; });
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", of, kind);
  }
  return text;
}

std::string totals(const TrainResult& r) {
  std::string text =
      fmt::format("{:<16} {:.2f} hours, {} epochs of {} iterations\n", r.policy == "gm" ? "GM" : "MuPPET", r.hours,
                  r.epochs_in_all, thousands(r.iterations_per_epoch));
  text += fmt::format("{:<16} {:.2f} hours, {} epochs; {:.3f} times the hours\n", "FP32 alone", r.fp32_alone_hours,
                      r.fp32_alone_epochs, r.speedup);
  if (iterations(r)) {
    text += fmt::format("{:<16} {} of bitstreams in all{}\n", "loads", thousands(r.loads),
                        r.counted == Counted::Iteration ? "" : ", which these hours leave out");
  }
  if (r.accelerated) {
    text += fmt::format("{:<16} GM may lower {} of {} convolutions\n", "accelerated", r.accelerated->size(),
                        r.convolutions.size());
  }
  text += fmt::format("{:<16} the fewest convolutions with 80 % of what {} gains over fp32: {} of {} ({})\n", "80 %",
                      r.levels.front().level, r.for_80_percent.size(), r.convolutions.size(), kinds(r.for_80_percent));
  if (r.unused_lines > 0) {
    text += fmt::format("{:<16} {} lines of the traces are of epochs in which nothing is asked for\n", "unused",
                        thousands(r.unused_lines));
  }
  return text;
}

std::string published(const TrainResult& r, const TableView& view) {
  if (r.published.empty()) return "";
  FittedTable table({{"published"}, {"value", true}, {"here", true}, {"source", false, 0}});
  for (const train::PublishedResult& each : r.published) {
    table.add({to_string(each.of), fmt::format("{:.4g}", each.value), fmt::format("{:.4g}", each.here), each.source});
    if (each.why) table.add_note("  " + *each.why);
  }
  return "\n" + table.text(view.width);
}

std::string csv(const TrainResult& r) {
  std::string text = kEpochColumns;
  for (const EpochResult& epoch : r.epochs) {
    for (const StretchResult& stretch : epoch.stretches) {
      const train::SetupResult& setup = r.setups[stretch.setup];
      text += fmt::format("{},{},{:.6g},{},{},{},{},{},{},{}\n", epoch.epoch, epoch.level, epoch.learning_rate,
                          stretch.iterations, stretch.lowered, setup.cycles, setup.convolution_s,
                          setup.iteration_s ? fmt::format("{}", *setup.iteration_s) : "",
                          setup.iteration_s ? fmt::format("{}", stretch.loads) : "", stretch.hours);
    }
  }
  return text;
}

}  // namespace

report::Report train_report(const TrainResult& r, const TableView& view) {
  const std::string lines = csv(r);
  const std::string epochs = view.columns.empty() ? course(r, view) : report::chosen_table(lines, view);
  return {head(r) + levels(r, view) + "\n" + epochs + "\n" + totals(r) + published(r, view), record::json_text(r),
          lines};
}

TrainResult load_training(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / record::kResultJson;
  auto result = record::from_file<TrainResult>(file);
  const auto sound = [&](const EpochResult& epoch) {
    return !epoch.stretches.empty() &&
           std::all_of(epoch.stretches.begin(), epoch.stretches.end(),
                       [&](const StretchResult& stretch) { return stretch.setup < result.setups.size(); });
  };
  if (result.levels.empty() || result.setups.empty() ||
      !std::all_of(result.epochs.begin(), result.epochs.end(), sound)) {
    throw InputError(file.string(), 0, "epochs", "must have stretches, each with a place in setups");
  }
  return result;
}

}  // namespace weft::tools
