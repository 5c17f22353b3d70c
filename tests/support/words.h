#pragma once

#include <cstddef>
#include <vector>

#include "kernels/float_bits.h"
#include "model/core/word.h"

namespace weft::test {

// FP32 as words.
inline Word float_word(float value) {
  return {bits(value)};
}
inline std::vector<float> floats(const Word* words, int count) {
  std::vector<float> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all.push_back(from_bits(words[i].bits));
  return all;
}

}  // namespace weft::test
