#pragma once

#include <fmt/core.h>

#include <algorithm>

#include "model/memory/config.h"
#include "platform/config/kernel_base.h"
#include "platform/design/design.h"

// Changes for designs whose kernel `Config` is a config::BandKernel.
namespace weft::design {

// Factor for bursts and FIFO depths: large enough to show whether they limit at all.
constexpr int kMore = 4;
constexpr int kMostOutstanding = 256;  // largest value in a file

// Returns the run with its kernel changed by change(kernel), or the reason that it returns if it is not possible.
template <class Config, class Change>
Changed with_changed(const config::RunConfig& run, Change change) {
  Config kernel = Config::of(run);
  std::string why_not = change(kernel);
  return why_not.empty() ? Changed::to(with_kernel(run, kernel)) : Changed::impossible(std::move(why_not));
}

// Change of the kernel by change(kernel), which returns the reason if it is not possible.
template <class Config, class Change>
Counterfactual of_kernel(const char* name, const char* meaning, Change change) {
  return {name, meaning, [change](const config::RunConfig& run) { return with_changed<Config>(run, change); }};
}

template <class Config>
Counterfactual wider_ports() {
  return of_kernel<Config>("wider_ports", "twice the bits of every port (kernel.band)", [](Config& kernel) {
    if (2 * kernel.beat_bytes() > memory::kWidestBeat) {
      return fmt::format("the widest AXI4 bus has {} bits", memory::kWidestBeat * 8);
    }
    kernel.double_bands();
    return std::string();
  });
}

template <class Config>
Counterfactual more_bursts() {
  return of_kernel<Config>("more_bursts", "four times the outstanding bursts of every port", [](Config& kernel) {
    bool more = false;
    for (stream::PortConfig& port : kernel.port_configs) {
      more = more || port.outstanding < kMostOutstanding;
      port.outstanding = std::min(kMore * port.outstanding, kMostOutstanding);
    }
    return more ? "" : fmt::format("every port has {} outstanding", kMostOutstanding);
  });
}

template <class Config>
Counterfactual deeper_fifos() {
  return of_kernel<Config>("deeper_fifos", "four times the depth of every FIFO", [](Config& kernel) {
    bool deeper = false;
    for (const auto& [name, depth] : kernel.fifo_depths()) {
      const int before = *depth;
      *depth = std::min(kMore * before, config::kDeepestFifo);
      deeper = deeper || *depth > before;
    }
    return deeper ? "" : fmt::format("every FIFO is {} deep", config::kDeepestFifo);
  });
}

// `most`: largest value in a file.
template <class Config>
Counterfactual larger(const char* name, const char* meaning, int Config::*side, int most) {
  Counterfactual change = of_kernel<Config>(name, meaning, [side, most](Config& kernel) {
    if (2 * (kernel.*side) > most) return fmt::format("at most {}", most);
    kernel.*side *= 2;
    return std::string();
  });
  change.again = change.sizes = true;
  return change;
}

}  // namespace weft::design
