#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "model/core/activity.h"

// What modules do with the activities of the blocks that they host.
namespace weft::systemc {

template <std::size_t N>
bool any_active(const std::array<Activity, N>& last) {
  return std::find(last.begin(), last.end(), Activity::Active) != last.end();
}

// Adds the activities of consecutive blocks, `first` and those behind it.
template <class All, class Block, std::size_t N>
void add_activities(All& all, Block first, const std::array<Activity, N>& last, Cycles cycles) {
  for (std::size_t i = 0; i < N; ++i) all[static_cast<std::size_t>(first) + i].add(last[i], cycles);
}

}  // namespace weft::systemc
