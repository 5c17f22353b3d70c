#pragma once

#include "model/barista/alpha.h"
#include "platform/hardware/synth/subject.h"

namespace weft::barista {

// Barista's RTL in the blocks of RtlBlock.
const synth::Subject& synth_subject();

synth::Kernel synth_kernel(const Alpha& alpha);

}  // namespace weft::barista
