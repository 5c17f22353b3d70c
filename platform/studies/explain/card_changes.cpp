#include "platform/studies/explain/card_changes.h"

#include <fmt/core.h>

#include "model/link/pcie_config.h"
#include "platform/run/row_cache.h"

namespace weft::explain {

using config::RunConfig;
using design::Changed;
using design::Counterfactual;

namespace {

// One choice of the schedule.
template <class T>
Counterfactual of_schedule(const char* name, const char* meaning, T config::Schedule::*key, T value) {
  return {name, meaning, "", "", false, [key, value](const RunConfig& run) {
            if (run.schedule.*key == value) return Changed::impossible("the schedule has it");
            RunConfig changed = run;
            changed.schedule.*key = value;
            return Changed::to(std::move(changed));
          }};
}

constexpr int kLastGeneration = 5;

Changed with_faster_link(const RunConfig& run) {
  link::PcieConfig link = *run.board.pcie;
  if (link.generation >= kLastGeneration) return Changed::impossible("no generation of PCIe is later");
  const bool usual =
      link.dllp_interval_bytes == link::dllp_interval_bytes(link.generation, link.lanes, link.max_payload_bytes);
  ++link.generation;
  if (usual) link.dllp_interval_bytes = link::dllp_interval_bytes(link.generation, link.lanes, link.max_payload_bytes);
  RunConfig changed = run;
  changed.board.pcie = link;
  return Changed::to(std::move(changed));
}

Changed with_free_calls(const RunConfig& run) {
  RunConfig changed = run;
  changed.host->opencl = changed.host->xrt = {};
  return Changed::to(std::move(changed));
}

Changed with_free_loads(const RunConfig& run) {
  RunConfig changed = run;
  changed.host->load_card = changed.host->load_region = {};
  return Changed::to(std::move(changed));
}

}  // namespace

std::vector<Counterfactual> card_changes(const RunConfig& kernels) {
  using config::Schedule;
  const char* const ideal = "cannot be bought";
  std::vector<Counterfactual> all;
  all.push_back({"kernels", "kernel and memory as at the end of the ladder of the convolutions", "", "", false,
                 [kernels](const RunConfig& run) {
                   RunConfig changed = run;
                   changed.kernel = kernels.kernel;
                   changed.board.memory = kernels.board.memory;
                   if (config::to_yaml(run::cycles_node(changed)) == config::to_yaml(run::cycles_node(run))) {
                     return Changed::impossible("the convolutions have no change that makes them faster");
                   }
                   return Changed::to(std::move(changed));
                 }});
  all.push_back(of_schedule("load_region", "a region is reconfigured, not the card (schedule.load)", &Schedule::load,
                            config::LoadKind::Region));
  all.push_back(of_schedule("load_ahead", "bitstreams are loaded while the host computes (schedule.load_time)",
                            &Schedule::load_time, config::LoadTime::Ahead));
  all.push_back(of_schedule("fewest_loads", "an order of the operators with few loads (schedule.order)",
                            &Schedule::order, config::Order::FewestLoads));
  all.push_back(
      {"no_loads", "bitstreams are loaded in no time (host.reconfiguration)", ideal, "", false, with_free_loads});
  all.push_back(of_schedule("keep_tensors", "tensors stay on the card between convolutions (schedule.transfers)",
                            &Schedule::transfers, config::Transfers::KeepActivations));
  all.push_back(of_schedule("double_buffer", "transfers beside the kernel, on other channels (schedule.overlap)",
                            &Schedule::overlap, config::Overlap::DoubleBuffer));
  all.push_back(
      {"faster_pcie", "the next generation of PCIe", "needs another card and host", "", false, with_faster_link});
  all.push_back(of_schedule("xrt_calls", "the card is called through XRT (schedule.calls)", &Schedule::calls,
                            config::Calls::Xrt));
  all.push_back({"no_calls", "calls take no software (host.calls)", ideal, "", false, with_free_calls});
  return all;
}

}  // namespace weft::explain
