#include "platform/catalogue/rtl_designs.h"

#include "platform/designs/copy/design.h"
#include "platform/designs/fpgpt/design.h"

namespace weft::design {

// Replaces the table of platform/catalogue.
const std::vector<RtlDesign>& rtl_designs() {
  static const std::vector<RtlDesign> table{{&fpgpt::design(), &fpgpt::rtl_design(), &fpgpt::synth_design()},
                                            {&copy::design(), &copy::rtl_design(), &copy::synth_design()}};
  return table;
}

}  // namespace weft::design
