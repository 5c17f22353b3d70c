#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "platform/config/selection.h"
#include "platform/dse/grid.h"
#include "platform/dse/range_field.h"
#include "platform/dse/saved_report.h"

namespace weft::dse::grid {

namespace {

class GridFile : public Exploration {
 public:
  explicit GridFile(GridConfig config) : config(std::move(config)) {}

  const std::string& name() const override { return config.name; }
  const std::string& title() const override { return config.title; }
  const config::RunConfig& run() const override { return config.run; }
  std::string resolved_yaml(bool with_workers) const override {
    GridConfig what = config;
    if (!with_workers) what.run.workers.reset();
    return grid::resolved_yaml(what);
  }
  std::vector<std::pair<std::string, std::string>> lines() const override {
    std::vector<std::pair<std::string, std::string>> lines{
        {"budget",
         fmt::format("DSP {}, BRAM18 {}, URAM {}", config.budget.dsp, config.budget.bram18, config.budget.uram)}};
    for (const Tried& each : config.tried) lines.emplace_back(each.axis.key, range_text(each.range));
    lines.emplace_back("rerank", fmt::format("{} simulated", config.rerank));
    return lines;
  }
  std::string csv_head() const override { return grid::csv_head(config); }

  GridConfig config;
};

class GridExplored : public Explored {
 public:
  explicit GridExplored(GridResult result) : result(std::move(result)) {}
  GridResult result;
};

void require_own_kernels(const Space& space, const config::KernelsOfDse& wanted) {
  if (wanted.own) return;
  throw config::error_at(
      wanted.place, "schedule.kernels",
      fmt::format("an exploration of {} shares no kernels; only own: true is possible", space.design->name()));
}

}  // namespace

std::unique_ptr<Exploration> GridExplorer::load(const config::Study& study, const config::Library& library) const {
  return std::make_unique<GridFile>(read_grid(space_, study, library));
}

void GridExplorer::keep_only(config::Node& file, const config::KernelsOfDse& wanted) const {
  require_own_kernels(space_, wanted);
  file.erase("rerank");
}

std::unique_ptr<Explored> GridExplorer::explore(const Exploration& exploration, const workloads::Network& network,
                                                const SimulatedCycles& simulate, const Progress& progress) const {
  return std::make_unique<GridExplored>(
      grid::explore(space_, dynamic_cast<const GridFile&>(exploration).config, network, simulate, progress));
}

report::Report GridExplorer::report(const std::vector<const Explored*>& explored, const report::TableView& view) const {
  std::vector<GridResult> results;
  results.reserve(explored.size());
  for (const Explored* each : explored) results.push_back(dynamic_cast<const GridExplored&>(*each).result);
  return grid::report(space_, results, view);
}

std::unique_ptr<Explored> GridExplorer::read(const Exploration& exploration, const workloads::Network&,
                                             const std::string& json, const std::string& file) const {
  return std::make_unique<GridExplored>(read_result(dynamic_cast<const GridFile&>(exploration).config, json, file));
}

KernelSet GridExplorer::kernel_set(const std::string& json, const std::string& file, const config::KernelsOfDse& wanted,
                                   const config::RunConfig& run) const {
  require_own_kernels(space_, wanted);
  return read_report<nlohmann::ordered_json>(json, file, kGridSchema, [&](const nlohmann::ordered_json& report) {
    KernelSet set;
    set.network = report.at("network").get<std::string>();
    std::vector<Tried> tried;
    for (const auto& key : report.at("space").items()) {
      const auto axis =
          std::find_if(space_.axes.begin(), space_.axes.end(), [&](const Axis& each) { return each.key == key.key(); });
      if (axis == space_.axes.end()) throw Error(fmt::format("has the key '{}' in its space", key.key()));
      tried.push_back({*axis, {}});
    }
    std::vector<Values> seen;
    for (const nlohmann::ordered_json& each : report.at("convolutions")) {
      if (!each.contains("optimal")) continue;
      const Values values = values_in(each.at("optimal").at("kernel"), tried);
      const auto at = static_cast<std::size_t>(std::find(seen.begin(), seen.end(), values) - seen.begin());
      if (at == seen.size()) {
        seen.push_back(values);
        set.kernels.push_back({kernel_with(space_, *run.kernel, tried, values), {}});
      }
      const auto kind = config::parse_kind(each.at("kind").get<std::string>());
      if (!kind) throw Error(fmt::format("has a convolution of kind {}", each.at("kind").dump()));
      set.kernels[at].convolutions.emplace_back(each.at("layer").get<std::string>(), *kind);
    }
    return set;
  });
}

}  // namespace weft::dse::grid
