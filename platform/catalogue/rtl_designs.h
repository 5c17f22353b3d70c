#pragma once

#include <vector>

#include "platform/design/design.h"
#include "platform/hardware/cosim/rtl_design.h"
#include "platform/hardware/synth/synth_design.h"

namespace weft::design {

// A design with RTL: the co-simulation of its model, and its synthesis. Separate from Design, because a run needs
// neither.
struct RtlDesign {
  const Design* design = nullptr;
  const cosim::RtlDesign* cosim = nullptr;
  const synth::SynthDesign* synth = nullptr;
};

const std::vector<RtlDesign>& rtl_designs();

// Returns the member of the design's entry in rtl_designs(). Throws Error if it has none.
const cosim::RtlDesign& rtl_design_of(const Design& design);
const synth::SynthDesign& synth_design_of(const Design& design);
// Returns the first design with RTL, for commands that name no kernel.
const Design& design_with_rtl();

}  // namespace weft::design
