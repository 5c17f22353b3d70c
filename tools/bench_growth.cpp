#include "tools/bench_growth.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "platform/design/load.h"
#include "platform/run/simulate.h"
#include "tools/bench_rate.h"
#include "tools/network.h"

namespace weft::tools {

namespace {

constexpr int kLayerBatch = 64;

struct Point {
  const char* series;
  std::string convolution;
  int batch = 0;
  std::int64_t x = 16, y = 16;
  Rate rate;
};

std::vector<Point> measure() {
  std::vector<Point> points;
  for (const char* only : {"inception3b.branch2.1.conv:F", "inception3b.branch2.1.conv:GW",
                           "inception5b.branch1.conv:F", "inception5b.branch1.conv:GW"}) {
    for (int batch = 1; batch <= 1024; batch *= 2) {
      points.push_back({"batch", only, batch, 16, 16, rate_of(kHeadline, only, "exact", batch, kRuns)});
    }
  }
  for (const char* only : {"inception3b.branch2.1.conv:F", "inception3b.branch2.1.conv:GW"}) {
    for (const int side : {2, 4, 8, 16, 32}) {
      const std::string text = std::to_string(side);
      points.push_back({"array", only, kLayerBatch, side, side,
                        rate_of(kHeadline, only, "exact", kLayerBatch, kRuns,
                                {{"kernel.array.x", text, "bench"}, {"kernel.array.y", text, "bench"}})});
    }
  }
  const config::RunConfig run = design::load_run("googlenet-u250", {}, project_library());
  for (const auto& layer : load_network(run, project_library()).layers) {
    for (const char* kind : {"F", "GW"}) {
      const std::string only = layer.name + ":" + kind;
      points.push_back({"layer", only, kLayerBatch, 16, 16, rate_of(kHeadline, only, "exact", kLayerBatch, 1)});
    }
  }
  return points;
}

}  // namespace

Report growth() {
  Report report;
  report.table = fmt::format("{:<7} {:<32} {:>5} {:>7} {:>15} {:>9} {:>10} {:>9} {:>7}\n", "series", "convolution",
                             "batch", "array", "cycles", "seconds", "different", "steps", "memory");
  report.csv = "series,convolution,batch,array_x,array_y,cycles,processor_seconds,distinct,memory_steps,peak_bytes\n";
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Point& point : measure()) {
    const engine::ExactAccount& account = point.rate.row.account;
    report.table +=
        fmt::format("{:<7} {:<32} {:>5} {:>7} {:>15} {:>9.3f} {:>10} {:>9} {:>4} MB\n", point.series, point.convolution,
                    point.batch, fmt::format("{}x{}", point.x, point.y), point.rate.row.cycles, point.rate.seconds,
                    account.distinct, account.memory_steps, point.rate.peak_bytes / 1'000'000);
    report.csv += fmt::format("{},{},{},{},{},{},{:.4f},{},{},{}\n", point.series, point.convolution, point.batch,
                              point.x, point.y, point.rate.row.cycles, point.rate.seconds, account.distinct,
                              account.memory_steps, point.rate.peak_bytes);
    json.push_back({{"series", point.series},
                    {"convolution", point.convolution},
                    {"batch", point.batch},
                    {"array_x", point.x},
                    {"array_y", point.y},
                    {"cycles", point.rate.row.cycles},
                    {"processor_seconds", point.rate.seconds},
                    {"distinct", account.distinct},
                    {"memory_steps", account.memory_steps},
                    {"peak_bytes", point.rate.peak_bytes}});
  }
  report.json = json.dump(2) + "\n";
  return report;
}

}  // namespace weft::tools
