#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/fpgpt/alpha.h"
#include "model/fpgpt/plan.h"
#include "platform/designs/fpgpt/cosim/data_case.h"
#include "platform/hardware/cosim/build.h"
#include "platform/hardware/cosim/case.h"
#include "platform/hardware/cosim/lockstep.h"

namespace weft::fpgpt {

// Expected STATUS (REGISTERS.md) with which the kernel must refuse beta; 0: it must run it. Z is not checked: the host
// must respect it. `max_sets`: limit of the RTL.
int status_of(const Alpha& alpha, std::int64_t max_sets, const conv::Convolution& beta);

// beta as a convolution that the kernel must refuse with this status.
cosim::RefusedCase refused_case(const conv::Convolution& beta, int status, NumberFormat format);

// A small kernel whose memories are filled to the last word by convolutions of a few thousand cycles. `hls`: the
// profile's switches are off instead of on; the KERN and OUT memories have a few extra words, too few to be of use.
Alpha limit_kernel(bool hls, NumberFormat format = NumberFormat::fp32());
inline constexpr std::int64_t kLimitSets = 65;  // max_sets of its builds

// A convolution chosen to reach one limit. Its environment: DDR4, one channel a port, no refusals on the AXI side.
struct Chosen {
  const char* what;
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  Firsts firsts{};
};

// Convolutions of the limit kernel. Each fills one memory or table, is placed around or above 4 GiB, or crops.
std::vector<Chosen> convolutions_at_the_limits();

// A convolution that exceeds exactly one limit of the limit kernel, by one word (row, set, ...).
struct Beyond {
  Chosen chosen;
  int status;             // expected of the RTL
  const char* parameter;  // named by the model; nullptr: a limit that the model does not have
};
std::vector<Beyond> convolutions_beyond_the_limits();

// The kernel's RTL as co-simulation builds it. `max_sets`: largest S of the convolutions to be run.
cosim::Hardware hardware(const Alpha& alpha, std::int64_t max_sets);

// beta as register values of the RTL.
cosim::RtlStart rtl_start(const conv::Convolution& beta, NumberFormat format);

// A convolution of a plan in data mode. Its model is the single SystemC virtual platform of the process.
class KernelCase : public cosim::Case {
 public:
  explicit KernelCase(Plan plan) : plan_(std::move(plan)) {}

  const Topology& topology() const override { return fpgpt::topology(); }
  int band() const override { return plan_.alpha.bus_words(Port::Inp); }
  cosim::RtlStart start() const override { return rtl_start(plan_.beta, plan_.alpha.format); }
  Words result_words() const override { return plan_.beta.out_words(); }
  bool floats() const override { return !plan_.alpha.format.is_fixed(); }
  cosim::Place place(std::size_t fifo, std::int64_t token, std::optional<std::size_t> lane) const override;
  cosim::RtlInstance instance_of(std::size_t block) const override;
  cosim::ModelCounts run_model(const cosim::AxiEnvironment& environment, std::vector<memory::Store>& stores,
                               stream::Observer& observer) const override;

 private:
  Plan plan_;
};

}  // namespace weft::fpgpt
