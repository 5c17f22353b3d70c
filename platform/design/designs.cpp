#include "platform/design/designs.h"

#include <fmt/core.h>

#include "model/core/error.h"
#include "platform/fpgpt/design.h"

namespace weft::design {

const std::vector<const Design*>& designs() {
  static const std::vector<const Design*> table{&fpgpt::design()};
  return table;
}

const cosim::Subject& cosim_subject_of(const Design& design) {
  if (const cosim::Subject* subject = design.cosim_subject()) return *subject;
  throw Error(fmt::format("design {} has no RTL to compare its model with", design.name()));
}

const synth::Subject& synth_subject_of(const Design& design) {
  if (const synth::Subject* subject = design.synth_subject()) return *subject;
  throw Error(fmt::format("design {} has no RTL to synthesise", design.name()));
}

const Design& design_with_rtl() {
  for (const Design* design : designs()) {
    if (design->cosim_subject() && design->synth_subject()) return *design;
  }
  throw Error("no design has RTL");
}

}  // namespace weft::design
