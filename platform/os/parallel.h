#pragma once

#include <cstddef>
#include <functional>

namespace weft::os {

// Calls work(0) .. work(count - 1) on `workers` threads; the caller's thread calls watch(done) from time to time. After
// an exception nothing more is begun, and that of the smallest index that threw is thrown here. What each call writes
// must be its own.
void parallel_for(std::size_t count, int workers, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t done)>& watch = {});

}  // namespace weft::os
