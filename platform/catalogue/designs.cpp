#include "platform/catalogue/designs.h"

#include "platform/designs/barista/design.h"
#include "platform/designs/batchlane/design.h"
#include "platform/designs/fpgpt/design.h"

namespace weft::design {

const std::vector<const Design*>& designs() {
  static const std::vector<const Design*> table{&fpgpt::design(), &barista::design(), &batchlane::design()};
  return table;
}

}  // namespace weft::design
