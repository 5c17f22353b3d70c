#include "tools/bench/cost.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "model/core/error.h"
#include "platform/os/failure.h"
#include "platform/os/standard_streams.h"

namespace weft::tools {

namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

Cost cost_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) os::fail("cannot start a process", errno);
  if (child == 0) {
    int code = 0;
    try {
      work();
    } catch (const std::exception& error) {
      os::say(fmt::format("weft: error: {}\n", error.what()));
      code = 1;
    }
    _exit(code);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0) throw Error("a benchmark ended before its work");
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime), wall.count(), usage.ru_maxrss * 1024L};
}

}  // namespace weft::tools
