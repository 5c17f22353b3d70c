#pragma once

#include <cstdint>
#include <functional>

namespace weft::run {

// Called from time to time with the kernel cycles done and those expected in all (by the equations).
using Progress = std::function<void(std::int64_t done, std::int64_t expected)>;

}  // namespace weft::run
