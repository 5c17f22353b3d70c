#pragma once

#include <sys/resource.h>

namespace weft::test {

// Seconds of processor time, the system's included, of the processes that `work` starts and waits for.
template <typename Work>
double processor_seconds_of_children(Work work) {
  const auto used = [] {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  const double before = used();
  work();
  return used() - before;
}

}  // namespace weft::test
