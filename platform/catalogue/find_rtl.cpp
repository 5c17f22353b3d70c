#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "platform/catalogue/rtl_designs.h"

namespace weft::design {

namespace {

const RtlDesign& of(const Design& design, const char* for_what) {
  const auto found = std::find_if(rtl_designs().begin(), rtl_designs().end(),
                                  [&](const RtlDesign& each) { return each.design == &design; });
  if (found == rtl_designs().end()) throw Error(fmt::format("design {} has no RTL to {}", design.name(), for_what));
  return *found;
}

}  // namespace

const cosim::RtlDesign& rtl_design_of(const Design& design) {
  return *of(design, "compare its model with").cosim;
}

const synth::SynthDesign& synth_design_of(const Design& design) {
  return *of(design, "synthesise").synth;
}

const Design& design_with_rtl() {
  return *rtl_designs().front().design;
}

}  // namespace weft::design
