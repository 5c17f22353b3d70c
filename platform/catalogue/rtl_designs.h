#pragma once

#include <vector>

#include "platform/design/design.h"
#include "platform/hardware/cosim/subject.h"
#include "platform/hardware/synth/subject.h"

namespace weft::design {

// A design with RTL: the co-simulation of its model, and its synthesis. Separate from Design, because a run needs
// neither.
struct RtlDesign {
  const Design* design = nullptr;
  const cosim::Subject* cosim = nullptr;
  const synth::Subject* synth = nullptr;
};

const std::vector<RtlDesign>& rtl_designs();

// Returns the member of the design's entry in rtl_designs(). Throws Error if it has none.
const cosim::Subject& cosim_subject_of(const Design& design);
const synth::Subject& synth_subject_of(const Design& design);
// Returns the first design with RTL, for commands that name no kernel.
const Design& design_with_rtl();

}  // namespace weft::design
