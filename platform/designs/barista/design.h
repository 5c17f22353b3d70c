#pragma once

#include <memory>

#include "model/barista/alpha.h"
#include "platform/design/design.h"
#include "platform/hardware/cosim/rtl_design.h"
#include "platform/hardware/rtl/rtl.h"
#include "platform/hardware/synth/synth_design.h"

namespace weft::barista {

// Barista's RTL, divided into the blocks of RtlBlock.
const synth::SynthDesign& synth_design();

synth::Kernel synth_kernel(const Alpha& alpha);

const cosim::RtlDesign& rtl_design();

// Plans the rows and units of `run`: a row is a convolution of a layer, its units are the equal GEMMs of its images and
// groups. Throws Error if the board cannot hold one.
std::unique_ptr<design::Work> plan_work(const config::RunConfig& run, const workloads::Network& network);

inline constexpr rtl::Sources kRtlSources{"kernels/barista/rtl", "barista_pkg", "barista_kernel"};

// Words of a beat that the RTL supports: powers of two in this range. A beat holds RT, CT and K (BAR-0).
inline constexpr int kLeastRtlBand = 4, kMostRtlBand = 32;

// Returns the kernel as RTL; all parameters follow from alpha. Throws Error for a band that the RTL does not support.
rtl::Kernel rtl_kernel(const Alpha& alpha);

// Caffe Barista (the thesis, chapter 4): a tiled GEMM on a mesh; im2col, tiling and untiling on the host.
const design::Design& design();

}  // namespace weft::barista
