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
#include "platform/hardware/cosim/subject.h"
#include "platform/hardware/rtl/rtl.h"
#include "platform/hardware/synth/subject.h"

namespace weft::fpgpt {

// FPGPT's RTL in the blocks of RtlBlock.
const synth::Subject& synth_subject();

// `max_sets`: depth of the table of start(s).
synth::Kernel synth_kernel(const Alpha& alpha, std::int64_t max_sets);

const cosim::Subject& cosim_subject();

// The readings of the analytical equations: those that the run gives; of the others those that follow the kernel's
// profile do so (`auto`), the rest are the defaults. Throws InputError at the key or value that does not exist.
Readings readings_of(const config::RunConfig& run);
Readings readings_of(const Profile& profile, const std::vector<config::ReadingChoice>& given);

// Every reading with its value, as a file would give it; those of fixed point alone where the format is, or if given.
std::vector<config::ReadingChoice> all_readings(const Profile& profile, NumberFormat format,
                                                const std::vector<config::ReadingChoice>& given);

inline constexpr rtl::Sources kRtlSources{"kernels/fpgpt/rtl", "fpgpt_pkg", "fpgpt_kernel"};

// The kernel as RTL: all parameters follow from alpha. `max_sets`: the largest S of the convolutions to come.
rtl::Kernel rtl_kernel(const Alpha& alpha, std::int64_t max_sets);

// FPGPT on a card: the registers of REGISTERS.md, and what a start does.
std::unique_ptr<design::CardKernels> card_kernels(const design::CardOptions& options);
std::vector<design::KernelArgument> card_arguments(NumberFormat format);

const design::Design& design();

namespace exploration {
const weft::dse::Explorer& explorer();
}  // namespace exploration

}  // namespace weft::fpgpt
