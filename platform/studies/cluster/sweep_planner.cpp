#include "platform/studies/cluster/sweep_planner.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "platform/config/reader.h"
#include "platform/studies/cluster/array_plan.h"
#include "platform/studies/cluster/nada_plan.h"
#include "workloads/catalogue.h"

namespace weft::cluster {

namespace {

using sweep::ClusterFigures;

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

class ConfigPlanner : public sweep::ClusterPlanner {
 public:
  explicit ConfigPlanner(config::Library library) : library_(std::move(library)) {}

  std::string resolved_yaml(const config::Node& node) override { return read_cluster(node, library_)->resolved_yaml(); }

  ClusterFigures plan(const config::Node& node) override {
    const std::unique_ptr<Cluster> cluster = read_cluster(node, library_);
    return cluster->figures(network(cluster->network));
  }

 private:
  const workloads::ImportedGraph& network(const std::string& name) {
    const auto found = networks_.find(name);
    if (found != networks_.end()) return found->second;
    return networks_.emplace(name, workloads::find_graph(name, {(library_.configs / "networks").string()}))
        .first->second;
  }

  config::Library library_;
  std::map<std::string, workloads::ImportedGraph> networks_;
};

}  // namespace

ClusterFigures NadaConfig::figures(const workloads::ImportedGraph& graph) const {
  const NadaPlan planned = plan_nada(*this, graph);
  const nada::Plan& plan = planned.plan;
  const nada::Board limit = usable();
  ClusterFigures figures;
  figures.cycles_an_image = plan.period;
  figures.images_per_second = planned.images_per_s(plan.period);
  figures.bound_images_per_second = planned.images_per_s(plan.pooled_period);
  figures.gap = *figures.bound_images_per_second / figures.images_per_second - 1;
  figures.binds = plan.next_period == 0 ? "nothing" : plan.binds.empty() ? "several" : config::join(plan.binds, " or ");
  for (const Words words : plan.link_words) {
    const double bits = static_cast<double>(words) * word_bits * figures.images_per_second;
    figures.link_gbits_per_second = std::max(figures.link_gbits_per_second, bits / 1e9);
    figures.link_load = std::max(figures.link_load, bits / static_cast<double>(link_goodput()));
  }
  double mlab = 0, dram = 0;
  const auto most = [](double& so_far, std::int64_t used, std::int64_t of) {
    so_far = std::max(so_far, share(static_cast<double>(used), static_cast<double>(of)));
  };
  for (const nada::Placed& board : plan.boards) {
    most(figures.dsp_share, board.use.dsp, limit.limit.dsp);
    most(figures.block_ram_share, board.use.m20k, limit.limit.m20k);
    most(mlab, board.use.mlab, limit.limit.mlab);
    dram = std::max(dram, static_cast<double>(board.dram_bytes) * figures.images_per_second);
  }
  figures.mlab_share = mlab;
  // What the board does not say bounds nothing.
  if (limit.dram_bytes_per_s < std::numeric_limits<std::int64_t>::max() / 4) {
    figures.dram_share = share(dram, static_cast<double>(limit.dram_bytes_per_s));
  }
  figures.latency_cycles = planned.simulated.latency;
  figures.latency_seconds = seconds(planned.simulated.latency, clock_mhz);
  return figures;
}

ClusterFigures ArrayConfig::figures(const workloads::ImportedGraph& graph) const {
  const ArrayPlan plan = plan_array(*this, graph);
  ClusterFigures figures;
  figures.cycles_an_image = fpdeep::period(plan.boards);
  figures.images_per_second = plan.images_per_s(*this);
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

std::unique_ptr<sweep::ClusterPlanner> sweep_planner(const config::Library& library) {
  return std::make_unique<ConfigPlanner>(library);
}

}  // namespace weft::cluster
