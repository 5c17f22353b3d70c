#include "platform/studies/cluster/figures.h"

#include <algorithm>

#include "platform/config/reader.h"
#include "platform/studies/cluster/array_plan.h"
#include "platform/studies/cluster/nada_plan.h"

namespace weft::cluster {

namespace {

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

}  // namespace

void fields(record::Visitor& io, Figures& x) {
  io("images_per_second", "images/s", "planned rate of a cluster", x.images_per_second);
  io("cycles_an_image", "cycles", "cycles of the slowest layer, or board, of a cluster", x.cycles_an_image);
  io("bound_images_per_second", "images/s", "upper bound of the rate of a cluster with any placement",
     x.bound_images_per_second);
  io("pooled_gap", "1", "bound_images_per_second / images_per_second - 1 of a cluster", x.gap);
  io("binds", "of a cluster: the resource that alone prevents the next better rate, or several", x.binds);
  io("link_gbits_per_second", "Gb/s", "rate of the busiest link of a cluster, one direction", x.link_gbits_per_second);
  io("link_load", "1", "load of the busiest link of a cluster, as a share of its capacity", x.link_load);
  io("dsp_share", "1", "DSPs of the fullest board of a cluster, as a share of its limit", x.dsp_share);
  io("block_ram_share", "1", "memory blocks, or words, of the fullest board of a cluster, as a share of its limit",
     x.block_ram_share);
  io("mlab_share", "1", "MLABs of the fullest board of a cluster, as a share of its limit", x.mlab_share);
  io("dram_share", "1", "DRAM bandwidth of the busiest board of a cluster, as a share of its limit", x.dram_share);
  io("latency_cycles", "cycles", "from the first pixel of an image to its last gradient, in a cluster",
     x.latency_cycles);
  io("latency_seconds", "s", "latency_cycles in seconds", x.latency_seconds);
  io("balance", "1", "mean / maximum of the cycles per image of the boards of a cluster", x.balance);
  io("linear_boards", "boards", "most boards that no link slows, under the first reading of the links of a cluster",
     x.linear_boards);
  io("fits", "whether the cluster can store its tensors", x.fits);
}

Figures NadaConfig::figures(const workloads::ImportedGraph& graph) const {
  const NadaPlan planned = plan_nada(*this, graph);
  const nada::Plan& plan = planned.plan;
  Figures figures;
  figures.cycles_an_image = plan.period;
  figures.images_per_second = planned.images_per_second(plan.period);
  figures.bound_images_per_second = planned.images_per_second(plan.pooled_period);
  figures.gap = *figures.bound_images_per_second / figures.images_per_second - 1;
  figures.binds = plan.next_period == 0 ? "nothing" : plan.binds.empty() ? "several" : config::join(plan.binds, " or ");
  for (const Words words : plan.link_words) {
    const double bits = static_cast<double>(words) * word_bits * figures.images_per_second;
    figures.link_gbits_per_second = std::max(figures.link_gbits_per_second, bits / 1e9);
    figures.link_load = std::max(figures.link_load, bits / static_cast<double>(link_goodput()));
  }
  double mlab = 0;
  const auto most = [](double& so_far, std::int64_t used, std::int64_t of) {
    so_far = std::max(so_far, share(static_cast<double>(used), static_cast<double>(of)));
  };
  for (std::size_t i = 0; i < plan.boards.size(); ++i) {
    const nada::Placed& board = plan.boards[i];
    const nada::Board limit = usable(i);
    most(figures.dsp_share, board.use.dsp, limit.limit.dsp);
    most(figures.block_ram_share, board.use.m20k, limit.limit.m20k);
    most(mlab, board.use.mlab, limit.limit.mlab);
    const double used = static_cast<double>(board.dram_bytes) * figures.images_per_second;
    if (limit.dram_bytes_per_s < kUnbounded) {
      figures.dram_share =
          std::max(figures.dram_share.value_or(0), share(used, static_cast<double>(limit.dram_bytes_per_s)));
    }
  }
  figures.mlab_share = mlab;
  figures.latency_cycles = planned.simulated.latency;
  figures.latency_seconds = seconds(planned.simulated.latency, clock_mhz);
  return figures;
}

Figures ArrayConfig::figures(const workloads::ImportedGraph& graph) const {
  const ArrayPlan plan = plan_array(*this, graph);
  Figures figures;
  figures.cycles_an_image = fpdeep::period(plan.boards);
  figures.images_per_second = plan.images_per_second(*this);
  const Scaling& first = plan.scalings.front();
  figures.link_gbits_per_second = first.busiest_bits_per_s / 1e9;
  figures.link_load = share(first.busiest_bits_per_s, first.reading.bits_per_s());
  figures.linear_boards = first.linear_boards;
  for (std::size_t i = 0; i < plan.boards.size(); ++i) {
    figures.dsp_share =
        std::max(figures.dsp_share, share(static_cast<double>(plan.boards[i].dsp), static_cast<double>(dsp)));
    figures.block_ram_share = std::max(
        figures.block_ram_share, share(static_cast<double>(plan.stored[i].all()), static_cast<double>(board_words())));
  }
  figures.balance = fpdeep::balance(plan.boards);
  figures.fits = plan.storage.fits;
  return figures;
}

}  // namespace weft::cluster
