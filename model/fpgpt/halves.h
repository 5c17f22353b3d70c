#pragma once

#include <array>
#include <utility>

#include "model/core/relative.h"

namespace weft::fpgpt {

// The relative state of a buffer of two halves, which differ in nothing but their turn: the one that is emptied next is
// restored as half 0.
inline void relative_halves(Relative& state, std::array<bool, 2>& full, int& empty_half, int& fill_half) {
  int other = fill_half ^ empty_half;
  bool first = full[static_cast<std::size_t>(empty_half)], second = full[static_cast<std::size_t>(empty_half ^ 1)];
  state.value(other);
  state.value(first);
  state.value(second);
  if (!state.loading()) return;
  empty_half = 0;
  fill_half = other;
  full = {first, second};
}

}  // namespace weft::fpgpt
