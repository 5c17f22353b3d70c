#pragma once

#include <cstdint>

#include "model/fpgpt/analytical/rtl_resources.h"
#include "platform/hardware/synth/subject.h"

namespace weft::fpgpt {

// FPGPT's RTL in the blocks of RtlBlock.
const synth::Subject& synth_subject();

// `max_sets`: depth of the table of start(s).
synth::Kernel synth_kernel(const Alpha& alpha, std::int64_t max_sets);

}  // namespace weft::fpgpt
