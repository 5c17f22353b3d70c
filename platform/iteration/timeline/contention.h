#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "model/link/pcie_config.h"
#include "platform/design/design.h"
#include "platform/iteration/timeline/job.h"
#include "platform/iteration/timeline/parts.h"

namespace weft::timeline {

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
