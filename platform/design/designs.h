#pragma once

#include <string>
#include <vector>

#include "platform/design/design.h"

namespace weft::design {

// The table of designs: every design that weft knows.
const std::vector<const Design*>& designs();

// The design of a kernel, of a run.
const Design& design_of(const config::Kernel& kernel);
inline const Design& design_of(const config::RunConfig& run) {
  return design_of(*run.kernel);
}

// What a design offers for its RTL. Throws Error if it has none.
const cosim::Subject& cosim_subject_of(const Design& design);
const synth::Subject& synth_subject_of(const Design& design);
// The first design with RTL, for what names no kernel.
const Design& design_with_rtl();
// The design of this name. Throws Error, with those there are, if there is none.
const Design& design_named(const std::string& name);

}  // namespace weft::design
