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

// The design of this name. Throws Error, with those there are, if there is none.
const Design& design_named(const std::string& name);

}  // namespace weft::design
