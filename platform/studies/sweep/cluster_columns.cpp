#include "platform/studies/sweep/cluster_columns.h"

namespace weft::sweep {

namespace {

constexpr const char* kReal = "REAL";
constexpr const char* kInteger = "INTEGER";

template <class T>
Value known(const std::optional<T>& value) {
  return value ? Value(*value) : Value();
}

}  // namespace

const std::vector<run::Column<cluster::Figures>>& cluster_columns() {
  using Of = cluster::Figures;
  static const std::vector<run::Column<Of>> columns{
      {"images_per_second", kReal, "images/s", "of a cluster: as planned",
       [](const Of& of) { return Value(of.images_per_second); }},
      {"cycles_an_image", kInteger, "cycles", "of a cluster: of its slowest layer, or board",
       [](const Of& of) { return Value(of.cycles_an_image); }},
      {"bound_images_per_second", kReal, "images/s", "of a cluster: that no placement whatever exceeds",
       [](const Of& of) { return known(of.bound_images_per_second); }},
      {"gap", kReal, "1", "of a cluster: how much more that is", [](const Of& of) { return known(of.gap); }},
      {"binds", "TEXT", "", "of a cluster: what alone keeps the next better rate away, or several together",
       [](const Of& of) { return known(of.binds); }},
      {"link_gbits", kReal, "Gb/s", "of a cluster: a direction, over its busiest link",
       [](const Of& of) { return Value(of.link_gbits_per_second); }},
      {"link_load", kReal, "1", "of a cluster: that over what the link can carry",
       [](const Of& of) { return Value(of.link_load); }},
      {"dsp_share", kReal, "1", "of a cluster: DSPs of the board with most, of what it may use",
       [](const Of& of) { return Value(of.dsp_share); }},
      {"block_ram_share", kReal, "1", "of a cluster: blocks of memory, or words, of the fullest board, likewise",
       [](const Of& of) { return Value(of.block_ram_share); }},
      {"mlab_share", kReal, "1", "of a cluster: MLABs, likewise", [](const Of& of) { return known(of.mlab_share); }},
      {"dram_share", kReal, "1", "of a cluster: DRAM bandwidth, likewise",
       [](const Of& of) { return known(of.dram_share); }},
      {"latency_cycles", kInteger, "cycles", "of a cluster: from an image's first pixel to its last gradient",
       [](const Of& of) { return known(of.latency_cycles); }},
      {"latency_seconds", kReal, "s", "of a cluster: the same", [](const Of& of) { return known(of.latency_seconds); }},
      {"balance", kReal, "1", "of a cluster: mean over maximum of its boards' cycles an image",
       [](const Of& of) { return known(of.balance); }},
      {"linear_boards", kInteger, "boards",
       "of a cluster: up to which no link slows it, under the first reading of its links",
       [](const Of& of) { return known(of.linear_boards); }},
      {"fits", kInteger, "1", "of a cluster: 1 if it can store what it must",
       [](const Of& of) { return Value(std::int64_t{of.fits}); }}};
  return columns;
}

}  // namespace weft::sweep
