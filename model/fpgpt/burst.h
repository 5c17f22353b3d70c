#pragma once

#include <algorithm>

#include "model/core/units.h"

namespace weft::fpgpt {

// Beats that the `hls` profile reads for `words` words (Eqs. A.1-A.3, reading F1): rounded up to 16 beats, an outer
// loop of at least 3.
inline std::int64_t gamma_burst_beats(Words words, int band) {
  const std::int64_t beats = ceil_div(words, band);
  return align_up(std::min<std::int64_t>(beats, 256), 16) * std::max<std::int64_t>(ceil_div(beats, 256), 3);
}

}  // namespace weft::fpgpt
