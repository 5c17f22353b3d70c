#include "torch/iteration_costs.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "model/core/text.h"
#include "model/fpgpt/registers.h"

namespace weft::nn {

using timeline::StepKind;

namespace {

// Name of a part of the costs.
struct Part {
  const char* name;
  Picoseconds IterationCosts::*time;
};
constexpr std::array<Part, 6> kParts{{{"to the card", &IterationCosts::to_card_time},
                                      {"to the host", &IterationCosts::to_host_time},
                                      {"launches", &IterationCosts::launch_time},
                                      {"kernels", &IterationCosts::kernel_time},
                                      {"reconfiguration", &IterationCosts::reconfiguration_time},
                                      {"host layers", &IterationCosts::host_time}}};

std::string count(const IterationCosts& costs, std::size_t part) {
  switch (part) {
    case 0:
      return thousands(costs.to_card) + " B";
    case 1:
      return thousands(costs.to_host) + " B";
    case 2:
      return thousands(costs.launches);
    case 4:
      return thousands(costs.reconfigurations);
    default:
      return "";
  }
}

// Text with picosecond resolution.
std::string milliseconds(Picoseconds time) {
  constexpr Picoseconds kPerMillisecond = 1'000'000'000;
  return fmt::format("{}{}.{:09} ms", time < 0 ? "-" : "", thousands(std::abs(time) / kPerMillisecond),
                     std::abs(time) % kPerMillisecond);
}

}  // namespace

bool operator==(const IterationCosts& a, const IterationCosts& b) {
  for (const Part& part : kParts) {
    if (a.*part.time != b.*part.time) return false;
  }
  return a.transfers == b.transfers && a.launches == b.launches && a.reconfigurations == b.reconfigurations &&
         a.register_writes == b.register_writes && a.to_card == b.to_card && a.to_host == b.to_host &&
         a.whole == b.whole;
}

IterationCosts costs_between(const card::Status& before, const card::Status& after) {
  using card::Totals;
  struct Counted {
    std::int64_t IterationCosts::*cost;
    std::int64_t Totals::*total;
  };
  constexpr std::array<Counted, 11> kCounted{{{&IterationCosts::transfers, &Totals::transfers},
                                              {&IterationCosts::launches, &Totals::launches},
                                              {&IterationCosts::reconfigurations, &Totals::reconfigurations},
                                              {&IterationCosts::register_writes, &Totals::register_writes},
                                              {&IterationCosts::to_card, &Totals::to_card},
                                              {&IterationCosts::to_host, &Totals::to_host},
                                              {&IterationCosts::to_card_time, &Totals::to_card_time},
                                              {&IterationCosts::to_host_time, &Totals::to_host_time},
                                              {&IterationCosts::launch_time, &Totals::register_time},
                                              {&IterationCosts::kernel_time, &Totals::kernel_time},
                                              {&IterationCosts::reconfiguration_time, &Totals::reconfiguration_time}}};
  IterationCosts costs;
  for (const Counted& each : kCounted) costs.*each.cost = after.totals.*each.total - before.totals.*each.total;
  costs.whole = after.now - before.now;
  return costs;
}

IterationCosts costs_of(const timeline::Timeline& timeline, NumberFormat format) {
  IterationCosts costs;
  costs.launches = timeline.launches;
  costs.register_writes = timeline.launches * fpgpt::register_writes(format);
  costs.transfers = timeline.calls - timeline.launches;
  costs.reconfigurations = timeline.loads;
  costs.to_card = timeline.to_card;
  costs.to_host = timeline.to_host;
  costs.whole = timeline.end;
  // Steps are serial: the software of a call comes right before the step that it serves.
  Picoseconds software = 0;
  for (const timeline::Step& step : timeline.steps) {
    const Picoseconds time = step.duration() + (step.activity == StepKind::Call ? 0 : std::exchange(software, 0));
    switch (step.activity) {
      case StepKind::Call:
        software += time;
        break;
      case StepKind::ToCard:
        costs.to_card_time += time;
        break;
      case StepKind::ToHost:
        costs.to_host_time += time;
        break;
      case StepKind::Kernel:
      case StepKind::Precompute:
        costs.kernel_time += step.duration();
        costs.launch_time += time - step.duration();
        break;
      case StepKind::Reconfiguration:
        costs.reconfiguration_time += time;
        break;
      case StepKind::HostOperator:
      case StepKind::Im2col:
      case StepKind::Tiling:
      case StepKind::Untiling:
      case StepKind::Quantise:
      case StepKind::Dequantise:
        costs.host_time += time;
        break;
    }
  }
  return costs;
}

config::RunConfig run_of_trainer(config::RunConfig run, std::vector<std::string>* changed) {
  config::Schedule& how = run.schedule;
  const auto set = [&](auto& value, auto wanted, const char* text) {
    if (value == wanted) return;
    value = wanted;
    changed->emplace_back(text);
  };
  set(how.transfers, config::Transfers::EveryCall, "schedule.transfers: every_call");
  set(how.overlap, config::Overlap::None, "schedule.overlap: none");
  set(how.order, config::Order::Graph, "schedule.order: graph");
  set(how.load_time, config::LoadTime::Needed, "schedule.load_time: needed");
  set(how.im2col, config::Im2colPlace::Card, "schedule.im2col: card");
  // Both rungs give the card's cycles; this one is the fastest.
  run.rung = config::Rung::Exact;
  run.mode = config::Mode::Timing;
  return run;
}

std::string comparison(const IterationCosts& card, const IterationCosts& timeline) {
  std::string text =
      fmt::format("{:<16}{:>14}{:>20}{:>14}{:>20}{:>20}\n", "", "the card", "", "timeline", "", "difference");
  const auto line = [&](const char* name, const std::string& a, Picoseconds on_card, const std::string& b,
                        Picoseconds in_timeline) {
    text += fmt::format("{:<16}{:>14}{:>20}{:>14}{:>20}{:>20}\n", name, a, milliseconds(on_card), b,
                        milliseconds(in_timeline), on_card == in_timeline ? "0" : milliseconds(on_card - in_timeline));
  };
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    line(kParts.at(i).name, count(card, i), card.*kParts.at(i).time, count(timeline, i), timeline.*kParts.at(i).time);
  }
  line("iteration", "", card.whole, "", timeline.whole);
  return text;
}

std::vector<std::string> explanation(const IterationCosts& card, const IterationCosts& timeline,
                                     const std::vector<std::string>& changed) {
  std::vector<std::string> lines;
  if (timeline.host_time != card.host_time) {
    lines.push_back(
        fmt::format("host layers: LibTorch computes them in no simulated time; the timeline has the times of "
                    "the run's host"));
  }
  if (card.launch_time != timeline.launch_time) {
    lines.push_back(fmt::format("launches: XRT wrote {} registers, the timeline counts {}",
                                thousands(card.register_writes), thousands(timeline.register_writes)));
  }
  if (card.reconfigurations != timeline.reconfigurations) {
    lines.push_back(fmt::format("reconfiguration: {} loads; {} in the timeline, whose iteration follows an equal one",
                                card.reconfigurations, timeline.reconfigurations));
  }
  const Picoseconds parts =
      card.to_card_time + card.to_host_time + card.launch_time + card.kernel_time + card.reconfiguration_time;
  if (card.whole != parts) {
    lines.push_back(fmt::format("the card's parts sum to {}", milliseconds(parts)));
  }
  if (!changed.empty()) {
    lines.push_back(fmt::format("the timeline uses the trainer's settings: {}", fmt::join(changed, ", ")));
  }
  return lines;
}

}  // namespace weft::nn
