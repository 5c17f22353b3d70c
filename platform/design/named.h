#pragma once

#include <fmt/core.h>

#include "model/conv/convolution.h"
#include "model/conv/layer.h"
#include "model/core/checked.h"

namespace weft::design {

// Result of `make()`. An overflow in it throws Error with the name of the layer and the kind.
template <class Make>
auto named(const conv::Layer& layer, conv::Kind kind, Make make) {
  try {
    return make();
  } catch (const checked::Overflow& overflow) {
    throw Error(fmt::format("layer '{}', {}: {}", layer.name, conv::to_string(kind), overflow.what()));
  }
}

}  // namespace weft::design
