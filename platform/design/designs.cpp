#include "platform/design/designs.h"

#include "platform/barista/design.h"
#include "platform/batchlane/design.h"
#include "platform/fpgpt/design.h"

namespace weft::design {

const std::vector<const Design*>& designs() {
  static const std::vector<const Design*> table{&fpgpt::design(), &barista::design(), &batchlane::design()};
  return table;
}

}  // namespace weft::design
