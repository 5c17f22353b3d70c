#pragma once

#include <cstdint>
#include <functional>

namespace weft::tools {

struct Cost {
  double processor_seconds = 0;
  double wall_seconds = 0;
  std::int64_t peak_bytes = 0;
};

// What `work` costs in a process of its own, the processes that it starts included. Throws Error if it fails.
Cost cost_of(const std::function<void()>& work);

}  // namespace weft::tools
