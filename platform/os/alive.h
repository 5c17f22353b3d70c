#pragma once

#include <chrono>

namespace weft::os {

// How often what takes long says that it lives where no terminal shows a bar: every minute; every WEFT_ALIVE_SECONDS
// for tests.
std::chrono::milliseconds alive_interval();

}  // namespace weft::os
