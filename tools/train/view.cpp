#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/core/text.h"
#include "tools/cli/views.h"

namespace weft::tools {

using namespace report;
using train::Counted;
using train::EpochResult;
using train::StretchResult;
using train::TrainResult;

namespace {

bool prunes(const TrainResult& r) {
  return r.policy == train::to_string(train::Policy::Pruning);
}

// Name of the training with which the policy is compared.
const char* alone_text(const TrainResult& r) {
  return prunes(r) ? "dense alone" : "FP32 alone";
}

const char* policy_text(const TrainResult& r) {
  return prunes(r) ? "pruning" : r.policy == "gm" ? "GM on MuPPET" : "MuPPET";
}

bool iterations(const TrainResult& r) {
  return r.setups.front().iteration_s.has_value();
}

// Time of an iteration that counts in the hours.
double counted_s(const TrainResult& r, std::size_t setup) {
  const train::SetupResult& of = r.setups[setup];
  return r.counted == Counted::Iteration ? of.iteration_s.value_or(0) : of.convolution_s;
}

Section levels_section(const TrainResult& r) {
  Table table{"Levels", {{"level"}, {"convolutions s/iteration"}, {"epochs"}, {"hours"}, {"kernel", "", 0, 1}}};
  for (const train::LevelResult& level : r.levels) {
    table.rows.push_back({level.level, fixed_cell(level.convolution_s, 6), count_cell(level.epochs),
                          fixed_cell(level.hours, 2), level.kernel});
  }
  return {"levels", "Levels", {table}};
}

bool alike(const EpochResult& a, const EpochResult& b) {
  return a.level == b.level && a.learning_rate == b.learning_rate &&
         std::equal(a.stretches.begin(), a.stretches.end(), b.stretches.begin(), b.stretches.end(),
                    [](const StretchResult& x, const StretchResult& y) {
                      return x.iterations == y.iterations && x.setup == y.setup && x.lowered == y.lowered;
                    });
}

// Table with one line per group of equal epochs.
Table course_table(const TrainResult& r) {
  const bool whole_iterations = iterations(r);
  Table table{"Equal epochs", {{"epochs"}, {"level"}, {"lowered"}, {"rate"}, {"convolutions s"}}, {}, On::Terminal};
  if (whole_iterations) table.columns.insert(table.columns.end(), {{"iteration s"}, {"loads/iteration"}});
  table.columns.push_back({"hours"});
  table.chosen = true;
  for (std::size_t first = 0; first < r.epochs.size();) {
    const EpochResult& epoch = r.epochs[first];
    std::size_t last = first;
    double hours = epoch.hours;
    while (last + 1 < r.epochs.size() && alike(epoch, r.epochs[last + 1])) hours += r.epochs[++last].hours;
    for (const StretchResult& stretch : epoch.stretches) {
      const bool whole = &stretch == &epoch.stretches.front();
      const train::SetupResult& setup = r.setups[stretch.setup];
      std::vector<Cell> cells{!whole          ? fmt::format("  {} iterations", stretch.iterations)
                              : first == last ? fmt::format("{}", first)
                                              : fmt::format("{}-{}", first, last),
                              epoch.level, count_cell(stretch.lowered), real_cell(epoch.learning_rate),
                              fixed_cell(setup.convolution_s, 6)};
      if (whole_iterations) {
        cells.push_back(cell_if(setup.iteration_s, [](double seconds) { return fixed_cell(seconds, 6); }));
        cells.push_back(cell_if(setup.loads, count_cell));
      }
      cells.push_back(whole ? fixed_cell(hours, 3) : Cell());
      table.rows.push_back(std::move(cells));
    }
    first = last + 1;
  }
  return table;
}

Table epochs_table(const TrainResult& r) {
  Table table{"The epochs",
              {{"epoch"},
               {"level"},
               {"lowered", "convolutions that GM has lowered at the end of the epoch"},
               {"learning rate", "relative to the first"},
               {"diversity", "if one was determined"},
               {"threshold", "of the largest diversity over this one"},
               {"loads", "of bitstreams"},
               {"hours"}},
              {},
              On::Page,
              true,
              true};
  for (const EpochResult& epoch : r.epochs) {
    table.rows.push_back({count_cell(epoch.epoch), epoch.level, count_cell(epoch.stretches.back().lowered),
                          real_cell(epoch.learning_rate), cell_if(epoch.diversity, real_cell),
                          cell_if(epoch.threshold, real_cell), count_cell(epoch.loads), real_cell(epoch.hours)});
  }
  return table;
}

// One bar per epoch: the mean time of its iterations.
Bars course_chart(const TrainResult& r) {
  Bars chart{"course", "Time of an iteration in each epoch, and in FP32", true, "an iteration", Form::Time};
  for (const train::LevelResult& level : r.levels) chart.parts.push_back({level.level, "", ""});
  for (const EpochResult& epoch : r.epochs) {
    double seconds = 0, all = 0;
    for (const StretchResult& stretch : epoch.stretches) {
      const auto of = static_cast<double>(stretch.iterations);
      seconds += of * counted_s(r, stretch.setup);
      all += of;
    }
    const auto level = std::find_if(r.levels.begin(), r.levels.end(),
                                    [&](const train::LevelResult& each) { return each.level == epoch.level; });
    const std::string name = fmt::format("{}", epoch.epoch);
    chart.ticks.push_back({static_cast<double>(chart.bars.size()), name});
    chart.bars.push_back(
        {"epoch " + name,
         {{static_cast<std::size_t>(level - r.levels.begin()), seconds / all}},
         "",
         {{"lowered", thousands(epoch.stretches.back().lowered)}, {"hours", fmt::format("{:.3f}", epoch.hours)}}});
  }
  chart.rules.push_back({counted_s(r, 0), alone_text(r)});
  return chart;
}

Section convolutions_section(const TrainResult& r) {
  Table table{"Each convolution in each level", {{"convolution"}}, {}, On::Page, true, true};
  for (const train::LevelResult& level : r.levels) table.columns.push_back({level.level, "of an iteration"});
  for (const train::ConvolutionResult& of : r.convolutions) {
    table.rows.push_back({of.name});
    for (const auto& each : of.seconds) table.rows.back().push_back(time_cell(each.second));
  }
  return {"convolutions", "Each convolution in each level", {table}};
}

// Number of convolutions by kind: "12 F, 10 GI, 4 GW".
std::string kinds(const std::vector<std::string>& convolutions) {
  std::string text;
  for (const char* kind : {"F", "GI", "GW"}) {
    const auto of = std::count_if(convolutions.begin(), convolutions.end(),
                                  [&](const std::string& name) { return name.substr(name.rfind(':') + 1) == kind; });
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", of, kind);
  }
  return text;
}

// Multiply-accumulates of all iterations, relative to those with all weights; and the epochs with all weights.
std::string work_text(const TrainResult& r) {
  double macs = 0;
  std::int64_t iterations = 0, dense = 0;
  for (const EpochResult& epoch : r.epochs) {
    for (const StretchResult& stretch : epoch.stretches) {
      macs += static_cast<double>(stretch.iterations) * static_cast<double>(r.setups[stretch.setup].macs);
      iterations += stretch.iterations;
    }
    dense += epoch.stretches.front().setup == 0 ? 1 : 0;
  }
  const double all = static_cast<double>(iterations) * static_cast<double>(r.setups.front().macs);
  return fmt::format("{:.1f} % of the multiply-accumulates of dense alone; {} of {} epochs are dense", 100 * macs / all,
                     dense, r.epochs.size());
}

Facts totals(const TrainResult& r) {
  Facts facts{{}, 17};
  facts.add(prunes(r)          ? "pruning"
            : r.policy == "gm" ? "GM"
                               : "MuPPET",
            fmt::format("{:.2f} hours, {} epochs of {} iterations", r.hours, r.epochs_in_all,
                        thousands(r.iterations_per_epoch)));
  facts.add(alone_text(r), fmt::format("{:.2f} hours, {} epochs; {:.3f} times the hours", r.fp32_alone_hours,
                                       r.fp32_alone_epochs, r.speedup));
  if (prunes(r)) facts.add("work", work_text(r));
  if (r.card_hours && r.counted == Counted::Iteration) {
    facts.add("on the card", fmt::format("{:.2f} hours: kernels, transfers, calls, loads", *r.card_hours));
  }
  if (iterations(r)) {
    facts.add("loads", fmt::format("{} of bitstreams in all{}", thousands(r.loads),
                                   r.counted == Counted::Iteration ? "" : ", not in these hours"));
  }
  if (r.accelerated) {
    facts.add("accelerated",
              fmt::format("GM may lower {} of {} convolutions", r.accelerated->size(), r.convolutions.size()));
  }
  if (!prunes(r))
    facts.add("80 %", fmt::format("the fewest convolutions that give 80 % of the gain of {} over fp32: {} of {} ({})",
                                  r.levels.front().level, r.for_80_percent.size(), r.convolutions.size(),
                                  kinds(r.for_80_percent)));
  if (r.unused_lines > 0) {
    facts.add("unused", fmt::format("{} lines of the traces are not used", thousands(r.unused_lines)));
  }
  if (!r.unreachable_switches.empty()) {
    facts.add("unreachable", fmt::format("by MuPPET's rules: epoch {}", fmt::join(r.unreachable_switches, ", ")));
  }
  return facts;
}

// Difference of our value from the published one, in per cent; a factor from ten times on.
Cell difference_cell(const train::PublishedResult& each) {
  if (each.value <= 0) return {};
  const double ratio = each.here / each.value;
  return ratio < 10 ? fmt::format("{:+.1f} %", 100 * (ratio - 1)) : fmt::format("{:.4g} times", ratio);
}

Section published_section(const TrainResult& r) {
  Table table{"Published figures",
              {{"published"}, {"value"}, {"here"}, {"difference"}, {"source"}, {"why they differ"}}};
  table.columns.back().below = true;
  for (const train::PublishedResult& each : r.published) {
    table.rows.push_back({to_string(each.of), real_cell(each.value), real_cell(each.here), difference_cell(each),
                          each.source, each.why.value_or("")});
  }
  return {"published", "Published figures", {table}};
}

}  // namespace

Document view_of(const TrainResult& r) {
  Document d{"train", r.training};
  d.lead = fmt::format("training {} on {}, batch {}, {} rung; {}; hours of {}", r.network, r.board, r.batch, r.rung,
                       policy_text(r), r.counted == Counted::Iteration ? "whole iterations" : "the convolutions alone");
  d.weft_version = r.weft_version;
  d.figures = {{"Training", hours_text(r.hours), fmt::format("{} epochs", r.epochs_in_all)},
               {alone_text(r), hours_text(r.fp32_alone_hours), ""},
               {"Gain", fmt::format("{:.4g} times", r.speedup), ""}};
  d.sections = {
      levels_section(r),
      {"course",
       "The course of the training",
       {Text{"Time of an iteration, epoch by epoch, coloured by level; the line is FP32, or dense.", On::Page},
        course_chart(r), course_table(r), epochs_table(r)}},
      {"totals", "In all", {totals(r)}},
      convolutions_section(r)};
  if (!r.published.empty()) d.sections.push_back(published_section(r));
  return d;
}

std::string csv_of(const TrainResult& r) {
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

}  // namespace weft::tools
