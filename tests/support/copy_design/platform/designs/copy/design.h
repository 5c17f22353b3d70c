#pragma once

#include <memory>

#include "model/copy/alpha.h"
#include "platform/design/design.h"
#include "platform/hardware/cosim/rtl_design.h"
#include "platform/hardware/rtl/rtl.h"
#include "platform/hardware/synth/synth_design.h"

namespace weft::copy {

// Plans the rows and units of `run`: a row is the input tensor of a convolution of a layer, and one unit.
std::unique_ptr<design::Work> plan_work(const config::RunConfig& run, const workloads::Network& network);

// Moves a tensor from one place in memory to another.
const design::Design& design();

inline constexpr rtl::Sources kRtlSources{"tests/support/copy_design/kernels/copy/rtl", rtl::kCommonPackage,
                                          "copy_kernel"};

// Returns the kernel as RTL. Throws Error for a band or a depth that the RTL does not support.
rtl::Kernel rtl_kernel(const Alpha& alpha);

// The RTL compared with the model, and divided into the blocks of RtlBlock.
const cosim::RtlDesign& rtl_design();
const synth::SynthDesign& synth_design();

}  // namespace weft::copy
