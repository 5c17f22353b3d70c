#include "platform/designs/barista/dse/dse_config.h"

#include <fmt/core.h>

#include "platform/config/model_config.h"
#include "platform/config/reader.h"
#include "platform/designs/barista/kernel_config.h"
#include "platform/dse/range_field.h"

namespace weft::barista::exploration {

using config::Need;
using config::Node;

namespace {

constexpr std::int64_t kLargestBudget = 1'000'000'000;
constexpr std::int64_t kOfBoard = -1;            // a budget that the file leaves to the board
constexpr std::int64_t kMostTiles = 10'000'000;  // some minutes for a large network
constexpr int kLargestSide = 4096;

const config::Names<dse::Objective>& objectives() {
  static const config::Names<dse::Objective> names{{"overall", dse::Objective::Overall},
                                                   {"kernel", dse::Objective::Kernel}};
  return names;
}

template <class Io>
void fields(Io& io, Published& published) {
  io.text("layer", published.layer);
  io.map("tile", Need::Required, [&](auto& sub) {
    sub.integer("r", published.tile.r, 1, kLargestSide, Need::Required);
    sub.integer("c", published.tile.c, 1, kLargestSide, Need::Required);
    sub.integer("p", published.tile.p, 1, kLargestSide, Need::Required);
  });
  io.custom(
      "gops_per_watt", Need::Optional,
      [&](const Node& node, const std::string& key) { published.gops_per_watt = config::read_real(node, key, 0, 1e6); },
      [&]() -> std::optional<Node> {
        if (!published.gops_per_watt) return std::nullopt;
        return config::scalar_node(fmt::format("{}", *published.gops_per_watt));
      });
}

template <class Io>
void published_field(Io& io, std::vector<Published>& published) {
  io.custom(
      "published", Need::Optional,
      [&](const Node& node, const std::string& key) {
        published.clear();
        for (const Node& item : config::expect_list(node, key).children) {
          config::MapReader reader(item, key);
          fields(reader, published.emplace_back());
          reader.finish();
        }
      },
      [&]() -> std::optional<Node> {
        if (published.empty()) return std::nullopt;
        Node list = config::list_node();
        for (Published each : published) {
          config::MapWriter writer;
          fields(writer, each);
          list.children.push_back(writer.take());
        }
        return list;
      });
}

template <class Io>
void fields(Io& io, DseConfig& dse) {
  io.text("name", dse.name);
  io.text("title", dse.title);
  io.map("budget", Need::Optional, [&](auto& sub) {
    sub.integer("dsp", dse.budget.dsp, 0, kLargestBudget);
    sub.integer("bram18", dse.budget.bram18, 0, kLargestBudget);
  });
  io.map("space", Need::Optional, [&](auto& sub) {
    sub.map("r", Need::Optional, [&](auto& range) { weft::dse::range_fields(range, dse.r, kLargestSide); });
    sub.map("c", Need::Optional, [&](auto& range) { weft::dse::range_fields(range, dse.c, kLargestSide); });
    sub.map("p", Need::Optional, [&](auto& range) { weft::dse::range_fields(range, dse.p, kLargestSide); });
  });
  io.choice("minimize", dse.objective, objectives());
  io.real("watts", dse.watts, 0.001, 1e6);
  published_field(io, dse.published);
  io.text("source", dse.source);
}

}  // namespace

DseConfig read_dse(const config::Study& study, const config::Library& library) {
  // Its own keys first: a misspelt one is better explained before anything of the run is.
  DseConfig dse;
  dse.budget.dsp = dse.budget.bram18 = kOfBoard;
  config::MapReader reader(study.file, "");
  for (const char* key : {"run", "set", "extends"}) reader.mention(key);
  fields(reader, dse);
  reader.finish();
  const std::int64_t tiles = dse.r.count() * dse.c.count() * dse.p.count();
  if (tiles > kMostTiles) {
    throw reader.error("space", fmt::format("has {} tiles; at most {} are tried", tiles, kMostTiles));
  }
  if (study.another_network()) {
    dse.published.clear();
    dse.source.clear();
  }
  dse.run = config::read_run(study.composed_run(library), read_kernel);
  const Budget board = config::budget(dse.run.board);
  if (dse.budget.dsp == kOfBoard) dse.budget.dsp = board.dsp;
  if (dse.budget.bram18 == kOfBoard) dse.budget.bram18 = board.bram18;
  dse.readings = readings_of(dse.run.readings);
  if (dse.readings.resources != Readings::Resources::Thesis) {
    throw reader.error("run", "readings.resources: must be thesis: Eqs. 4.10 and 4.11 are those that the search has");
  }
  return dse;
}

std::string resolved_yaml(const DseConfig& config) {
  DseConfig copy = config;
  config::MapWriter writer;
  fields(writer, copy);
  Node node = writer.take();
  node.set("run", config::write_run(config.run));
  return config::to_yaml(node);
}

}  // namespace weft::barista::exploration
