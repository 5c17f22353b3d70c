#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/fpgpt/alpha.h"
#include "model/fpgpt/analytical/readings.h"
#include "platform/config/kernel.h"
#include "platform/config/run_config.h"
#include "platform/design/card_kernel.h"
#include "platform/design/design.h"
#include "platform/hardware/cosim/rtl_design.h"
#include "platform/hardware/rtl/rtl.h"
#include "platform/hardware/synth/synth_design.h"

namespace weft::fpgpt {

// FPGPT's RTL, divided into the blocks of RtlBlock.
const synth::SynthDesign& synth_design();

// `max_sets`: depth of the table of start(s).
synth::Kernel synth_kernel(const Alpha& alpha, std::int64_t max_sets);

const cosim::RtlDesign& rtl_design();

// Readings of the analytical equations: the values given by the run; otherwise `auto` if the reading follows the
// kernel's profile, else the default. Throws InputError for a key or value that does not exist.
Readings readings_of(const config::RunConfig& run);
Readings readings_of(const Profile& profile, const std::vector<config::ReadingChoice>& given);

// Every reading with its value, as a file would give it; fixed-point readings only in fixed point or if given.
std::vector<config::ReadingChoice> all_readings(const Profile& profile, NumberFormat format,
                                                const std::vector<config::ReadingChoice>& given);

inline constexpr rtl::Sources kRtlSources{"kernels/fpgpt/rtl", "fpgpt_pkg", "fpgpt_kernel"};

// Returns the kernel as RTL; all parameters follow from alpha. `max_sets`: largest S of the convolutions to be run.
rtl::Kernel rtl_kernel(const Alpha& alpha, std::int64_t max_sets);

// FPGPT on a card: the registers of REGISTERS.md and the effect of a start.
std::unique_ptr<design::CardKernels> card_kernels(const design::CardOptions& options);
std::vector<design::KernelArgument> card_arguments(NumberFormat format);

const design::Design& design();

namespace exploration {
const weft::dse::Explorer& explorer();
}  // namespace exploration

}  // namespace weft::fpgpt
