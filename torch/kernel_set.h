#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "model/fpgpt/alpha.h"
#include "model/fpgpt/parts.h"
#include "model/fpgpt/placement.h"
#include "platform/config/run_config.h"
#include "workloads/lowering.h"

namespace weft::nn {

// Kernel that can be loaded onto the card.
struct CardKernel {
  std::filesystem::path xclbin;
  fpgpt::Alpha alpha;
  std::vector<std::string> convolutions;  // convolutions it was made for: "layer1.0.conv1:GW"
};

// Sizes of whole tensors in the card's memory.
struct TensorBytes {
  Bytes inp = 0, kern = 0, out = 0;
};

// Kernels available to the host, and the memory they share.
struct KernelSet {
  std::vector<CardKernel> kernels;
  std::array<int, fpgpt::kPorts> channel_of_port{};
  int channels = 1;
  Bytes channel_bytes = 0;  // per channel
  bool split = false;       // kernel.split_by: filters: a convolution may take several launches for each group
};

// Memory of a run's card, without kernels. Throws Error for a run of another design.
KernelSet card_memory_of(const config::RunConfig& run);

// Folder written by `weft card CONFIG --xclbin FOLDER/`: the run, and the kernels of index.json.
struct KernelFolder {
  config::RunConfig run;
  KernelSet set;
};
// Reads a kernel folder. Throws Error.
KernelFolder read_kernel_folder(const std::filesystem::path& folder);

// Plan of one convolution of a layer on the card: everything that is the same for all calls.
struct ConvolutionPlan {
  std::size_t kernel = 0;        // index in the set
  workloads::TensorWords words;  // whole tensors, all groups
  TensorBytes bytes;
  fpgpt::Placement placement;               // of the tensors, relative to the start of their channels
  std::vector<conv::Convolution> launches;  // group by group, of each its parts; bases from `placement`
  std::vector<conv::Convolution> parts;     // of the first group; empty if it is one launch
  conv::Convolution group;                  // the first, whole

  // Returns KERN in the order that the launches read; `stored` is the whole tensor and returned if that is its order.
  template <class T>
  const T* in_order(const T* stored, std::vector<T>& ordered) const {
    if (parts.empty() || !group.kern_transposed()) return stored;
    ordered.resize(static_cast<std::size_t>(words.kern));
    for (Words at = 0; at < words.kern; at += group.kern_words()) {
      fpgpt::order_for_parts(group, parts, stored + at, ordered.data() + at);
    }
    return ordered.data();
  }
};

// Picks a kernel of this format: the one made for this convolution, else the smallest that holds it, with
// KernelSet::split in the fewest parts. Throws Error that lists what each kernel lacks if none holds it, or if a
// channel is too small.
ConvolutionPlan plan_convolution(const KernelSet& set, const conv::Layer& layer, conv::Kind kind,
                                 NumberFormat format = NumberFormat::fp32());

}  // namespace weft::nn
