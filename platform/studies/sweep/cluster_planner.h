#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/core/units.h"
#include "platform/config/node.h"
#include "platform/run/columns.h"

namespace weft::sweep {

// What a sweep over clusters keeps of a plan. A share is that of the board, or link, that has most of it to do.
struct ClusterFigures {
  double images_per_second = 0;
  Cycles cycles_an_image = 0;
  std::optional<double> bound_images_per_second, gap;  // of any placement whatever
  std::optional<std::string> binds;
  double link_gbits_per_second = 0, link_load = 0;
  double dsp_share = 0, block_ram_share = 0;
  std::optional<double> mlab_share, dram_share;
  std::optional<Cycles> latency_cycles;
  std::optional<double> latency_seconds;
  std::optional<double> balance;
  std::optional<std::int64_t> linear_boards;  // under the first reading of the links
  bool fits = true;
};

// Plans clusters: configuration files as Definition composes them.
class ClusterPlanner {
 public:
  virtual ~ClusterPlanner() = default;
  // The configuration with every key, as YAML. Throws Error if the values make none.
  virtual std::string resolved_yaml(const config::Node& cluster) = 0;
  // Throws Error that says what a network lacks which fits no plan.
  virtual ClusterFigures plan(const config::Node& cluster) = 0;
};

const std::vector<run::Column<ClusterFigures>>& cluster_columns();

}  // namespace weft::sweep
