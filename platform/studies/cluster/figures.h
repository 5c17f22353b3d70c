#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/core/units.h"
#include "platform/record/record.h"

namespace weft::cluster {

// Figures of a plan stored by a sweep over clusters. Shares and loads are those of the busiest board or link.
struct Figures {
  double images_per_second = 0;
  Cycles cycles_an_image = 0;
  std::optional<double> bound_images_per_second, gap;  // bound over all placements
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
void fields(record::Visitor& io, Figures& figures);

}  // namespace weft::cluster
