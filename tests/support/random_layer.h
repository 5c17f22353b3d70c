#pragma once

#include "platform/cosim/random_layer.h"

namespace weft::test {

using cosim::pick;
using cosim::Random;
using cosim::random_alpha;
using cosim::random_axis;
using cosim::random_layer;

}  // namespace weft::test
