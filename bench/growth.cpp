#include <fmt/core.h>

#include "bench/bench.h"

namespace weft::bench {

namespace {

struct Point {
  std::string series, convolution;  // the last of several convolutions
  Settings settings = {};
  std::string only = {};  // convolutions of the run; default: `convolution`
  int repetitions = kRepetitions;
  double convolutions = 1, groups = 1, batch = 64, side = 16;  // `side`: of the array
};

void add_point(const Point& point) {
  Settings settings = point.settings;
  settings.insert(settings.end(), {"rung=exact", fmt::format("batch={:.0f}", point.batch),
                                   "only=" + (point.only.empty() ? point.convolution : point.only)});
  auto simulation = lazy([settings] { return Simulation::counted(kHeadline, settings); });
  const std::string name = fmt::format("{}/{}/{:.0f}", point.series, point.convolution,
                                       point.batch * point.groups * point.convolutions * point.side);
  add(name, point.repetitions, "", [point, simulation]() {
    const Simulation& of = simulation();
    const Cost cost = of.cost();
    return Counters{{"processor_seconds", cost.processor_seconds},
                    {"convolutions", point.convolutions},
                    {"groups", point.groups},
                    {"batch", point.batch},
                    {"array_x", point.side},
                    {"array_y", point.side},
                    {"cycles", static_cast<double>(of.cycles)},
                    {"distinct", static_cast<double>(of.account.distinct)},
                    {"memory_steps", static_cast<double>(of.account.memory_steps)},
                    {"peak_bytes", static_cast<double>(cost.peak_bytes)}};
  });
}

Point point(const char* series, const std::string& convolution, double Point::*along, double value) {
  Point point{series, convolution};
  point.*along = value;
  return point;
}

// F and GW of each layer in a separate process, and of the first layers in one process, in sequence.
void add_layers() {
  std::string all;
  int count = 0, next = 1;
  const auto layers = Simulation(kHeadline, {}).network.layers;
  for (const auto& layer : layers) {
    for (const char* kind : {"F", "GW"}) {
      const std::string only = layer.name + ":" + kind;
      add_point({"layer", only, {}, {}, 1});
      all += (all.empty() ? "" : ",") + only;
      if (++count < next && count < 2 * static_cast<int>(layers.size())) continue;
      add_point({"convolutions", only, {}, all, 1, static_cast<double>(count)});
      next *= 2;
    }
  }
}

}  // namespace

void add_growth() {
  const std::string layer = "inception3b.branch2.1.conv", small = "inception5b.branch1.conv";
  for (const std::string& only : {layer + ":F", layer + ":GW", small + ":F", small + ":GW"}) {
    for (int batch = 1; batch <= 1024; batch *= 2) add_point(point("batch", only, &Point::batch, batch));
  }
  for (const char* only : {"depthwise:F", "depthwise:GI", "depthwise:GW"}) {
    for (int groups = 1; groups <= 1024; groups *= 2) {
      Point depthwise = point("groups", only, &Point::groups, groups);
      depthwise.settings = {"gi_first=true",
                            fmt::format("network={{layers: [{{name: depthwise, channels: {0}, filters: {0}, groups: "
                                        "{0}, h: 14, w: 14, kernel: 3, pad: 1}}]}}",
                                        groups)};
      add_point(depthwise);
    }
  }
  for (const std::string& only : {layer + ":F", layer + ":GW"}) {
    for (const int side : {2, 4, 8, 16, 32}) {
      Point array = point("array", only, &Point::side, side);
      array.settings = {fmt::format("kernel.array={{x: {0}, y: {0}}}", side)};
      add_point(array);
    }
  }
  add_layers();
}

}  // namespace weft::bench
