#pragma once

#include <csignal>

namespace weft::os {

// From now on SIGINT and SIGTERM are noted instead of ending the process, so that what is done can be kept; the second
// one ends it at once.
void watch_interrupts();

// The signal that was noted, 0 if none was.
const volatile std::sig_atomic_t& interrupt();

}  // namespace weft::os
