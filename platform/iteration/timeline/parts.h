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

// Convolutions of an iteration with one run configuration, and their results. Usually one part has all of them.
struct Part {
  config::RunConfig run;  // kernel and selection of convolutions
  workloads::Network network;
  std::vector<design::Row> rows;  // results of run::simulate
  bool im2col_on_host = false;    // layers of the network are matrix products (as_products)
};

// View of a simulated part; the objects it points to must outlive it.
struct PartView {
  const config::RunConfig* run = nullptr;
  const workloads::Network* network = nullptr;
  const std::vector<design::Row>* rows = nullptr;
  bool im2col_on_host = false;
};
std::vector<PartView> views(const std::vector<Part>& parts);

// Returns the parts of a run before simulation: one, or two with im2col on the host, because F and GW multiply another
// matrix than GI.
std::vector<Part> parts_of(const config::RunConfig& run, const workloads::Network& network);

// The layer that the card computes after im2col on the host: 1x1 over maps of the output's size (input's for GI), with
// one channel for each sample of a window.
conv::Layer as_products(const conv::Layer& layer, conv::Kind kind);

struct Jobs {
  std::vector<std::optional<Job>> of;     // by operator of the graph
  std::vector<std::string> kernel_names;  // by kernel
};

// Jobs of the training graph's convolutions. Throws Error if a convolution is in no part.
Jobs jobs_of(const workloads::Graph& graph, const std::vector<PartView>& parts);

// Splits a part among the kernels of a set, each with the convolutions that it runs. `what`: source of the set, for
// error messages. Throws InputError at schedule.kernels.dse for a convolution that no kernel runs.
std::vector<Part> parts_on(const Part& part, const dse::KernelSet& set, const std::string& what);

// Splits parts among the kernels named by `schedule.kernels` of the run; unchanged if there are none. An exploration
// uses the run's settings, except its own budget, space and sharing of kernels. Throws ScheduleError (iteration.h).
std::vector<Part> parts_on_kernels(const config::RunConfig& run, std::vector<Part> parts,
                                   const config::Library& library, const dse::Progress& progress);

// Simulates kernels with concurrent transfers on shared memory channels (schedule.overlap: same_bank).
class Contention {
 public:
  // `parts`, and the link's config, must outlive this.
  Contention(const std::vector<PartView>& parts, const link::PcieConfig& link);

  // Simulates the last launch of a job with consecutive transfers, each at the rate of the link alone. The run must be
  // on the systemc rung, in timing mode.
  Contended of(const Job& job, const std::vector<Contender>& transfers);

 private:
  const design::Work& work(std::size_t part);

  const std::vector<PartView>& parts_;
  const link::PcieConfig& config_;
  link::Link link_;
  std::vector<std::unique_ptr<design::Work>> works_;
};

}  // namespace weft::timeline
