#pragma once

#include "platform/designs/fpgpt/cosim/random_alpha.h"

namespace weft::test {

using cosim::pick;
using cosim::Random;
using cosim::random_axis;
using cosim::random_layer;
using fpgpt::random_alpha;

}  // namespace weft::test
