#pragma once

#include "platform/config/host.h"

namespace weft::test {

// 1000 FLOPs and 100 bytes per nanosecond; every class has half of the first and a quarter of the second, and 2 us.
inline config::Host small_host() {
  config::Host host;
  host.name = "small";
  host.peak_flops_per_s = 1'000'000'000'000;
  host.memory_bytes_per_s = 100'000'000'000;
  host.operators.fill({config::kPpm / 2, config::kPpm / 4, 2'000'000});
  host.im2col_bytes_per_s = 3;
  return host;
}

}  // namespace weft::test
