#pragma once

#include "platform/config/host.h"

// What making words of fixed point takes on this machine (config::Quantiser).
namespace weft::host {

struct ProfiledQuantiser {
  std::int64_t words = 0;
  std::int64_t quantise_ns = 0, dequantise_ns = 0;  // of them together
};

// A tensor of 4 Mi words of 8 bits, the median of `repeat` runs behind one that is not counted.
ProfiledQuantiser profile_quantiser(int threads, int repeat);

// `base` with what was measured in place of what it had, which is no assumption any more.
config::Host with_quantiser(config::Host base, const ProfiledQuantiser& profiled);

}  // namespace weft::host
