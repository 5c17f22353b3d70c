#include "platform/catalogue/rtl_designs.h"

#include "platform/designs/barista/design.h"
#include "platform/designs/fpgpt/design.h"

namespace weft::design {

const std::vector<RtlDesign>& rtl_designs() {
  static const std::vector<RtlDesign> table{{&fpgpt::design(), &fpgpt::rtl_design(), &fpgpt::synth_design()},
                                            {&barista::design(), &barista::rtl_design(), &barista::synth_design()}};
  return table;
}

}  // namespace weft::design
