#include <fmt/core.h>

#include "model/core/error.h"
#include "platform/dse/grid.h"
#include "platform/dse/range_field.h"

namespace weft::dse::grid {

namespace {

class GridFile : public Exploration {
 public:
  GridFile(const Space& space, GridConfig config) : space_(space), config_(std::move(config)) {
    title = config_.title;
    run = config_.run;
    const Budget& budget = config_.budget;
    lines = {{"budget", fmt::format("DSP {}, BRAM18 {}, URAM {}", budget.dsp, budget.bram18, budget.uram)}};
    settings = settings_of(config_.name, run, space.design->equations_note(run), budget);
    settings.space.emplace();
    settings.combinations = 1;
    for (const Tried& each : config_.tried) {
      const std::string range = range_text(each.range);
      lines.emplace_back(each.axis.key, range);
      settings.space_text += fmt::format("{}{} {}", settings.space_text.empty() ? "" : ", ", each.axis.key, range);
      settings.space->ranges.emplace_back(each.axis.key, each.range);
      settings.searched.emplace_back(each.axis.key);
      *settings.combinations *= each.range.count();
    }
    lines.emplace_back("rerank", fmt::format("{} simulated", config_.rerank));
  }

  std::string resolved_yaml(bool with_workers) const override {
    GridConfig config = config_;
    if (!with_workers) config.run.workers.reset();
    return grid::resolved_yaml(config);
  }
  Result explore(const workloads::Network& network, const SimulatedCycles& simulate,
                 const Progress& progress) const override {
    return grid::explore(space_, config_, settings, network, simulate, progress);
  }

 private:
  const Space& space_;
  GridConfig config_;
};

}  // namespace

std::unique_ptr<Exploration> GridExplorer::load(const config::Study& study, const config::Library& library) const {
  return std::make_unique<GridFile>(space_, read_grid(space_, study, library));
}

void GridExplorer::keep_only(config::Node& file, const config::KernelsOfDse& wanted) const {
  require_own(wanted, *space_.design);
  file.erase("rerank");
}

}  // namespace weft::dse::grid
