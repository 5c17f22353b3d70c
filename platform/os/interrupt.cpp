#include "platform/os/interrupt.h"

namespace weft::os {

namespace {

volatile std::sig_atomic_t noted = 0;

extern "C" void note(int signal) {
  noted = signal;
}

}  // namespace

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

const volatile std::sig_atomic_t& interrupt() {
  return noted;
}

}  // namespace weft::os
