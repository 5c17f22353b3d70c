#pragma once

#include "platform/dse/explorer.h"

namespace weft::fpgpt::exploration {

const weft::dse::Explorer& explorer();

}  // namespace weft::fpgpt::exploration
