#pragma once

#include <utility>

#include "model/fpgpt/plan.h"
#include "platform/hardware/cosim/build.h"
#include "platform/hardware/cosim/case.h"
#include "platform/hardware/cosim/lockstep.h"

namespace weft::fpgpt {

// The kernel's RTL as co-simulation builds it. `max_sets`: the largest S of the convolutions to come.
cosim::Hardware hardware(const Alpha& alpha, std::int64_t max_sets);

// beta as the RTL's registers take it.
cosim::RtlStart rtl_start(const conv::Convolution& beta, NumberFormat format);

// A convolution of a plan in data mode. Its model is the SystemC virtual platform, the process's one.
class KernelCase : public cosim::Case {
 public:
  explicit KernelCase(Plan plan) : plan_(std::move(plan)) {}

  const Topology& topology() const override { return fpgpt::topology(); }
  int band() const override { return plan_.alpha.bus_words(); }
  cosim::RtlStart start() const override { return rtl_start(plan_.beta, plan_.alpha.format); }
  Words result_words() const override { return plan_.beta.out_words(); }
  cosim::ModelCounts run_model(const cosim::Surroundings& surroundings, std::vector<memory::Store>& stores,
                               stream::Observer& observer) const override;

 private:
  Plan plan_;
};

}  // namespace weft::fpgpt
