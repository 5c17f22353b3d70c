#pragma once

#include <vector>

#include "platform/design/design.h"
#include "platform/hardware/cosim/subject.h"
#include "platform/hardware/synth/subject.h"

namespace weft::design {

// A design that has RTL: what holds its model against it, and what synthesises it. Apart from the design, for a run
// needs neither.
struct RtlDesign {
  const Design* design = nullptr;
  const cosim::Subject* cosim = nullptr;
  const synth::Subject* synth = nullptr;
};

const std::vector<RtlDesign>& rtl_designs();

// What a design offers for its RTL. Throws Error if it has none.
const cosim::Subject& cosim_subject_of(const Design& design);
const synth::Subject& synth_subject_of(const Design& design);
// The first design with RTL, for what names no kernel.
const Design& design_with_rtl();

}  // namespace weft::design
