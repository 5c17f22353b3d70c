#include "platform/os/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace weft::os {

namespace {

sigset_t& ignored() {
  static sigset_t signals = [] {
    sigset_t none;
    sigemptyset(&none);
    return none;
  }();
  return signals;
}

}  // namespace

void say(std::string_view text) {
  const auto written = std::fwrite(text.data(), 1, text.size(), stderr);
  static_cast<void>(written);
  std::fflush(stderr);
}

void expect_failed_writes() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free descriptor is the closed stream. Reading returns nothing, and writing fails as before.
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) < 0) std::abort();
  }
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    std::signal(signal, SIG_IGN);
    sigaddset(&ignored(), signal);
  }
}

const sigset_t& signals_for_programs() {
  return ignored();
}

void end_by_broken_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  std::_Exit(128 + SIGPIPE);
}

}  // namespace weft::os
