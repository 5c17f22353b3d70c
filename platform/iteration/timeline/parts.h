#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/link/pcie_config.h"
#include "platform/catalogue/designs.h"
#include "platform/design/design.h"
#include "platform/design/row.h"
#include "platform/iteration/timeline/job.h"
#include "workloads/graph/graph.h"
#include "workloads/network.h"

namespace weft::timeline {

// Convolutions of an iteration that are run alike, and what they came to. Usually one part is all of them.
struct Part {
  config::RunConfig run;  // its kernel, and which convolutions
  workloads::Network network;
  std::vector<design::Row> rows;  // as run::simulate gives them for both
  bool im2col_on_host = false;    // the layers of the network are products (as_products)
};

// A part that was simulated, where it lies: what it points to outlives it.
struct PartView {
  const config::RunConfig* run = nullptr;
  const workloads::Network* network = nullptr;
  const std::vector<design::Row>* rows = nullptr;
  bool im2col_on_host = false;
};
std::vector<PartView> views(const std::vector<Part>& parts);

// The parts of a run, not yet simulated: one, or with im2col on the host two, for F and GW multiply another matrix than
// GI.
std::vector<Part> parts_of(const config::RunConfig& run, const workloads::Network& network);

// The layer that the card computes where the host has done im2col: 1x1 over maps of the output's size (of the input's
// for GI), with a channel for each sample of a window.
conv::Layer as_products(const conv::Layer& layer, conv::Kind kind);

struct Jobs {
  std::vector<std::optional<Job>> of;     // by operator of the graph
  std::vector<std::string> kernel_names;  // by kernel
};

// What the convolutions of the training graph take. Throws Error if one of them is in no part.
Jobs jobs_of(const workloads::Graph& graph, const std::vector<PartView>& parts);

// A part on the kernels of a set, each with the convolutions of the part that it runs. `what`: where the set comes
// from, for messages. Throws InputError at schedule.kernels.dse for a convolution that no kernel runs.
std::vector<Part> parts_on(const Part& part, const dse::KernelSet& set, const std::string& what);

// Parts on the kernels that `schedule.kernels` of the run names; as they are if it names none. An exploration is made
// for the run: of it, the budget, the space and how kernels are shared; all else is of the run. Throws ScheduleError
// (iteration.h).
std::vector<Part> parts_on_kernels(const config::RunConfig& run, std::vector<Part> parts,
                                   const config::Library& library, const dse::Progress& progress);

// Kernels simulated beside transfers on memory channels that both use (schedule.overlap: same_bank).
class Contention {
 public:
  // `parts`, and the link's config, must outlive this.
  Contention(const std::vector<PartView>& parts, const link::PcieConfig& link);

  // The last launch of a job with the transfers, one behind the other, each at the rate at which the link alone moves
  // it. The run must be on the systemc rung, in timing mode.
  Contended of(const Job& job, const std::vector<Contender>& transfers);

 private:
  const design::Work& work(std::size_t part);

  const std::vector<PartView>& parts_;
  const link::PcieConfig& config_;
  link::Link link_;
  std::vector<std::unique_ptr<design::Work>> works_;
};

}  // namespace weft::timeline
