#pragma once

#include <string>
#include <vector>

#include "model/core/number_format.h"
#include "platform/card/status.h"
#include "platform/iteration/timeline/iteration.h"

namespace weft::nn {

// What an iteration of training takes on the card, part by part, in simulated time.
struct IterationCosts {
  std::int64_t transfers = 0, launches = 0, reconfigurations = 0, register_writes = 0;
  Bytes to_card = 0, to_host = 0;
  // Of the calls, software included; of kernels from the start to done.
  Picoseconds to_card_time = 0, to_host_time = 0, launch_time = 0, kernel_time = 0, reconfiguration_time = 0;
  Picoseconds host_time = 0;  // operators of the host: a card does not see them
  Picoseconds whole = 0;

  friend bool operator==(const IterationCosts& a, const IterationCosts& b);
  friend bool operator!=(const IterationCosts& a, const IterationCosts& b) { return !(a == b); }
};

IterationCosts costs_between(const card::Status& before, const card::Status& after);
// `format`: of the kernels.
IterationCosts costs_of(const timeline::Timeline& timeline, NumberFormat format = NumberFormat::fp32());

// The run whose timeline says what weft::nn::Conv2d does: every tensor is sent for each convolution, one thing at a
// time, in the order of the graph, kernels loaded when they are needed. `changed`: what of that the run says otherwise.
config::RunConfig run_of_trainer(config::RunConfig run, std::vector<std::string>* changed);

// Both, part by part, with the difference, as a table; and in words what makes them differ. `changed`: as
// run_of_trainer() gives it.
std::string comparison(const IterationCosts& card, const IterationCosts& timeline);
std::vector<std::string> explanation(const IterationCosts& card, const IterationCosts& timeline,
                                     const std::vector<std::string>& changed);

}  // namespace weft::nn
