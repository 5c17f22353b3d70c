#include "platform/os/alive.h"

#include <cstdlib>

namespace weft::os {

std::chrono::milliseconds alive_interval() {
  constexpr long kMinute = 60;
  const char* const text = std::getenv("WEFT_ALIVE_SECONDS");
  const long seconds = text ? std::strtol(text, nullptr, 10) : kMinute;
  return std::chrono::seconds(seconds > 0 ? seconds : kMinute);
}

}  // namespace weft::os
