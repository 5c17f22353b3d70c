#pragma once

#include <string>
#include <vector>

#include "model/core/number_format.h"
#include "platform/card/status.h"
#include "platform/iteration/timeline/iteration.h"

namespace weft::nn {

// Costs of a training iteration on the card, by part, in simulated time.
struct IterationCosts {
  std::int64_t transfers = 0, launches = 0, reconfigurations = 0, register_writes = 0;
  Bytes to_card = 0, to_host = 0;
  // Times of calls include their software; kernel_time is from start to done.
  Picoseconds to_card_time = 0, to_host_time = 0, launch_time = 0, kernel_time = 0, reconfiguration_time = 0;
  Picoseconds host_time = 0;  // operators on the host; unknown to the card
  Picoseconds whole = 0;

  friend bool operator==(const IterationCosts& a, const IterationCosts& b);
  friend bool operator!=(const IterationCosts& a, const IterationCosts& b) { return !(a == b); }
};

IterationCosts costs_between(const card::Status& before, const card::Status& after);
// `format`: of the kernels.
IterationCosts costs_of(const timeline::Timeline& timeline, NumberFormat format = NumberFormat::fp32());

// Run whose timeline models weft::nn::Conv2d: every tensor is sent for each convolution, steps are serial in the order
// of the graph, kernels are loaded on demand. `changed`: receives the settings of `run` that this overrides.
config::RunConfig run_of_trainer(config::RunConfig run, std::vector<std::string>* changed);

// Table of both costs with differences, and the causes of the differences in words. `changed`: from run_of_trainer().
std::string comparison(const IterationCosts& card, const IterationCosts& timeline);
std::vector<std::string> explanation(const IterationCosts& card, const IterationCosts& timeline,
                                     const std::vector<std::string>& changed);

}  // namespace weft::nn
