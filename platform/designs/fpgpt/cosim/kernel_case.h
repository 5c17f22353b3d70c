#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/fpgpt/alpha.h"
#include "model/fpgpt/plan.h"
#include "platform/designs/fpgpt/cosim/data_case.h"
#include "platform/hardware/cosim/build.h"
#include "platform/hardware/cosim/case.h"
#include "platform/hardware/cosim/lockstep.h"

namespace weft::fpgpt {

// STATUS (REGISTERS.md) with which the kernel must refuse beta; 0: it must run it. Z is the host's to respect and not
// among the limits. `max_sets` is the RTL's own.
int status_of(const Alpha& alpha, std::int64_t max_sets, const conv::Convolution& beta);

// beta as one that the kernel must refuse with this status.
cosim::RefusedCase refused_case(const conv::Convolution& beta, int status, NumberFormat format);

// A small kernel whose memories convolutions of a few thousand cycles fill to the last word. `hls`: the switches of the
// profile are off, not on, and the KERN and OUT memories have some words more, too few to be of use.
Alpha limit_kernel(bool hls, NumberFormat format = NumberFormat::fp32());
inline constexpr std::int64_t kLimitSets = 65;  // of its builds

// DDR4, a channel each port, an AXI side that accepts all.

// A convolution chosen for what it reaches.
struct Chosen {
  const char* what;
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  Firsts firsts{};
};

// Convolutions of the limit kernel: each fills one memory or table, lies around or above 4 GiB, or crops.
std::vector<Chosen> convolutions_at_the_limits();

// Each asks the limit kernel for a word (row, set, ...) more of one thing than it has, and of nothing else.
struct Beyond {
  Chosen chosen;
  int status;             // of the RTL
  const char* parameter;  // that the model names; nullptr: a limit that the model does not have
};
std::vector<Beyond> convolutions_beyond_the_limits();

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
