#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/conv/convolution.h"
#include "platform/config/kernel.h"

namespace weft::dse {

// A kernel that an exploration found, with nothing left to be fitted, and what it runs: layers by their names.
struct FoundKernel {
  config::KernelPtr kernel;
  std::vector<std::pair<std::string, conv::Kind>> convolutions;
};

// The kernels of a network, by an exploration. No two are equal. Convolutions without a kernel that fits are in none.
struct KernelSet {
  std::string network;
  std::vector<FoundKernel> kernels;
};

}  // namespace weft::dse
