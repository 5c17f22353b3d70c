#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "model/fpgpt/alpha.h"
#include "model/fpgpt/placement.h"
#include "platform/config/run_config.h"
#include "workloads/lowering.h"

namespace weft::nn {

// A kernel that the card can be loaded with.
struct CardKernel {
  std::filesystem::path xclbin;
  fpgpt::Alpha alpha;
  std::vector<std::string> convolutions;  // that it was made for: "layer1.0.conv1:GW"
};

// Of whole tensors, as they lie in the card's memory.
struct TensorBytes {
  Bytes inp = 0, kern = 0, out = 0;
};

// The kernels that a host may choose from, and the memory that they all see.
struct KernelSet {
  std::vector<CardKernel> kernels;
  std::array<int, fpgpt::kPorts> channel_of_port{};
  int channels = 1;
  Bytes channel_bytes = 0;  // of each
};

// Of a run: the memory, no kernels. Throws Error for a run of another design.
KernelSet card_memory_of(const config::RunConfig& run);

// What `weft card CONFIG --xclbin FOLDER/` left there: the run, and its kernels as index.json has them.
struct KernelFolder {
  config::RunConfig run;
  KernelSet set;
};
// Throws Error.
KernelFolder read_kernel_folder(const std::filesystem::path& folder);

// One convolution of training a layer, as it is run on the card: everything that does not change from call to call.
struct ConvolutionPlan {
  std::size_t kernel = 0;        // of the set
  workloads::TensorWords words;  // of the whole tensors, all groups
  TensorBytes bytes;
  fpgpt::Placement placement;               // of the tensors, from the start of their channels
  std::vector<conv::Convolution> launches;  // one a group; bases as `placement` has them
};

// Picks the kernel, of those of this format: the one that was made for this convolution if there is one, else the
// smallest that holds it. Throws Error that says what each kernel lacks if none does, or if a channel is too small.
ConvolutionPlan plan_convolution(const KernelSet& set, const conv::Layer& layer, conv::Kind kind,
                                 NumberFormat format = NumberFormat::fp32());

}  // namespace weft::nn
