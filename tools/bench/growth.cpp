#include "tools/bench/growth.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "platform/catalogue/load.h"
#include "platform/iteration/training/run_network.h"
#include "platform/run/simulate.h"
#include "tools/bench/rate.h"

namespace weft::tools {

namespace {

constexpr int kBatch = 64;  // where it does not change

struct Point {
  const char* series;
  std::string convolution;
  Rate rate;
  std::int64_t convolutions = 1, groups = 1;
  int batch = kBatch;
  std::int64_t x = 16, y = 16;
};

Rate rate(const std::string& only, int runs, const std::vector<config::Override>& extra = {}, int batch = kBatch) {
  return rate_of(kHeadline, only, "exact", batch, runs, extra);
}

std::vector<Point> along_batch() {
  std::vector<Point> points;
  for (const char* only : {"inception3b.branch2.1.conv:F", "inception3b.branch2.1.conv:GW",
                           "inception5b.branch1.conv:F", "inception5b.branch1.conv:GW"}) {
    for (int batch = 1; batch <= 1024; batch *= 2) {
      points.push_back({"batch", only, rate(only, kRuns, {}, batch), 1, 1, batch});
    }
  }
  return points;
}

// A depthwise layer of so many channels.
std::vector<Point> along_groups() {
  std::vector<Point> points;
  for (const char* only : {"depthwise:F", "depthwise:GI", "depthwise:GW"}) {
    for (std::int64_t groups = 1; groups <= 1024; groups *= 2) {
      const std::string network = fmt::format(
          "{{layers: [{{name: depthwise, channels: {0}, filters: {0}, groups: {0}, h: 14, w: 14, kernel: 3, pad: "
          "1}}]}}",
          groups);
      points.push_back({"groups", only,
                        rate(only, kRuns, {{"network", network, "bench"}, {"gi_first", "true", "bench"}}), 1, groups});
    }
  }
  return points;
}

std::vector<Point> along_array() {
  std::vector<Point> points;
  for (const char* only : {"inception3b.branch2.1.conv:F", "inception3b.branch2.1.conv:GW"}) {
    for (const int side : {2, 4, 8, 16, 32}) {
      const std::string text = std::to_string(side);
      const std::vector<config::Override> sides{{"kernel.array.x", text, "bench"}, {"kernel.array.y", text, "bench"}};
      points.push_back({"array", only, rate(only, kRuns, sides), 1, 1, kBatch, side, side});
    }
  }
  return points;
}

// F and GW of each layer in a process of its own, and of the first layers in one, after each other.
std::vector<Point> along_layers() {
  std::vector<Point> points;
  const config::RunConfig run = design::load_run(kHeadline, {}, project_library());
  std::string all;
  std::int64_t count = 0, next = 1;
  const auto layers = training::load_network(run, project_library()).layers;
  for (const auto& layer : layers) {
    for (const char* kind : {"F", "GW"}) {
      const std::string only = layer.name + ":" + kind;
      points.push_back({"layer", only, rate(only, 1)});
      all += (all.empty() ? "" : ",") + only;
      if (++count < next && count < 2 * static_cast<std::int64_t>(layers.size())) continue;
      points.push_back({"convolutions", only, rate(all, 1), count});
      next *= 2;
    }
  }
  return points;
}

std::vector<Point> measure() {
  std::vector<Point> points;
  for (const auto& series : {along_batch, along_groups, along_array, along_layers}) {
    for (Point& point : series()) points.push_back(std::move(point));
  }
  return points;
}

}  // namespace

Report growth() {
  Report report;
  report.table =
      fmt::format("{:<12} {:<32} {:>6} {:>6} {:>5} {:>7} {:>15} {:>9} {:>10} {:>9} {:>7}\n", "series", "convolution",
                  "number", "groups", "batch", "array", "cycles", "seconds", "different", "steps", "memory");
  report.csv =
      "series,convolution,convolutions,groups,batch,array_x,array_y,cycles,processor_seconds,distinct,memory_steps,"
      "peak_bytes\n";
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Point& point : measure()) {
    const Rate& rate = point.rate;
    report.table += fmt::format("{:<12} {:<32} {:>6} {:>6} {:>5} {:>7} {:>15} {:>9.3f} {:>10} {:>9} {:>4} MB\n",
                                point.series, point.convolution, point.convolutions, point.groups, point.batch,
                                fmt::format("{}x{}", point.x, point.y), rate.cycles, rate.seconds,
                                rate.account.distinct, rate.account.memory_steps, rate.peak_bytes / 1'000'000);
    report.csv += fmt::format("{},{},{},{},{},{},{},{},{:.4f},{},{},{}\n", point.series, point.convolution,
                              point.convolutions, point.groups, point.batch, point.x, point.y, rate.cycles,
                              rate.seconds, rate.account.distinct, rate.account.memory_steps, rate.peak_bytes);
    json.push_back({{"series", point.series},
                    {"convolution", point.convolution},
                    {"convolutions", point.convolutions},
                    {"groups", point.groups},
                    {"batch", point.batch},
                    {"array_x", point.x},
                    {"array_y", point.y},
                    {"cycles", rate.cycles},
                    {"processor_seconds", rate.seconds},
                    {"distinct", rate.account.distinct},
                    {"memory_steps", rate.account.memory_steps},
                    {"peak_bytes", rate.peak_bytes}});
  }
  report.json = json.dump(2) + "\n";
  return report;
}

}  // namespace weft::tools
