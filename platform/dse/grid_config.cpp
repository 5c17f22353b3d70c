#include <fmt/core.h>

#include <algorithm>

#include "platform/config/model_config.h"
#include "platform/config/reader.h"
#include "platform/dse/grid.h"
#include "platform/dse/range_field.h"

namespace weft::dse::grid {

namespace {

using config::Need;
using config::Node;

constexpr std::int64_t kLargestBudget = 1'000'000'000;
constexpr std::int64_t kOfBoard = -1;  // a budget that the file leaves to the board
constexpr std::int64_t kMostCombinations = 10'000;
constexpr int kMostSimulated = 1000;

template <class Io>
void grid_fields(Io& io, GridConfig& grid, const std::vector<Axis>& axes) {
  io.text("name", grid.name);
  io.text("title", grid.title);
  io.map("budget", Need::Optional, [&](auto& sub) {
    sub.integer("dsp", grid.budget.dsp, 0, kLargestBudget);
    sub.integer("bram18", grid.budget.bram18, 0, kLargestBudget);
    sub.integer("uram", grid.budget.uram, 0, kLargestBudget);
  });
  io.map("space", Need::Required, [&](auto& sub) {
    if constexpr (Io::kReads) {
      for (const Axis& axis : axes) {
        Range range{0, 0, 1};
        sub.map(axis.key, Need::Optional, [&](auto& each) { range_fields(each, range, axis.largest); });
        if (range.from > 0) grid.tried.push_back({axis, range});
      }
    } else {
      for (Tried& each : grid.tried) {
        sub.map(each.axis.key, Need::Optional, [&](auto& of) { range_fields(of, each.range, each.axis.largest); });
      }
    }
  });
  io.map("rerank", Need::Optional, [&](auto& sub) { sub.integer("count", grid.rerank, 0, kMostSimulated); });
}

void check_space(const GridConfig& grid, const std::vector<Axis>& axes, const config::MapReader& reader) {
  if (grid.tried.empty()) {
    std::vector<std::string> keys;
    keys.reserve(axes.size());
    for (const Axis& axis : axes) keys.emplace_back(axis.key);
    throw reader.error("space", fmt::format("names nothing to try; allowed: {}", config::join(keys)));
  }
  std::int64_t combinations = 1;
  for (const Tried& each : grid.tried) {
    combinations *= each.range.count();
    if (combinations > kMostCombinations) {
      throw reader.error("space", fmt::format("has too many combinations; at most {} are tried", kMostCombinations));
    }
    if (each.axis.unknown && each.range.count() > 1 && grid.rerank == 0) {
      throw reader.error("space", fmt::format("the equations do not depend on {}; allowed: one value of it, or "
                                              "rerank.count 1 or more, to simulate",
                                              each.axis.key));
    }
  }
}

}  // namespace

GridConfig read_grid(const Space& space, const config::Study& study, const config::Library& library) {
  // Its own keys first: a misspelt one is better explained before anything of the run is.
  GridConfig grid;
  grid.budget.dsp = grid.budget.bram18 = grid.budget.uram = kOfBoard;
  config::MapReader reader(study.file, "");
  for (const char* key : {"run", "set", "extends"}) reader.mention(key);
  grid_fields(reader, grid, space.axes);
  reader.finish();
  check_space(grid, space.axes, reader);
  grid.run = config::read_run(study.composed_run(library), [&](const Node& node, const std::string& key) {
    return space.design->read_kernel(node, key);
  });
  if (grid.rerank > 0) config::require_simulated_memory(grid.run);
  const Budget board = config::budget(grid.run.board);
  if (grid.budget.dsp == kOfBoard) grid.budget.dsp = board.dsp;
  if (grid.budget.bram18 == kOfBoard) grid.budget.bram18 = board.bram18;
  if (grid.budget.uram == kOfBoard) grid.budget.uram = board.uram;
  grid.budget.lut = board.lut;
  grid.budget.ff = board.ff;
  return grid;
}

std::string resolved_yaml(const GridConfig& config) {
  GridConfig copy = config;
  config::MapWriter writer;
  grid_fields(writer, copy, {});
  Node node = writer.take();
  node.set("run", config::write_run(config.run));
  return config::to_yaml(node);
}

}  // namespace weft::dse::grid
