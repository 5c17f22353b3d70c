#pragma once

#include "platform/design/design.h"

namespace weft::fpgpt {

// FPGPT in the table of designs.
const design::Design& design();

namespace exploration {
// How its kernels are explored (dse/explorer.cpp).
const weft::dse::Explorer& explorer();
}  // namespace exploration

}  // namespace weft::fpgpt
