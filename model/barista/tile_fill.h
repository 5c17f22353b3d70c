#pragma once

#include <cstdint>
#include <vector>

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/core/units.h"

namespace weft::barista {

// Puts the beats of tiles into a double buffer (BAR-2): a tile is pushed with its last beat.
class TileFill {
 public:
  TileFill() = default;
  // `words` of a tile, of `band` a beat; `tiles` in all.
  TileFill(Words words, int band, std::int64_t tiles, bool with_data)
      : beats_(ceil_div(words, Words{band})), beats_left_(beats_), tiles_left_(tiles) {
    if (with_data) words_.reserve(static_cast<std::size_t>(beats_ * band));
  }

  Activity step(Cycles now, Fifo& beat, Fifo& tile);

 private:
  std::int64_t beats_ = 1;
  std::int64_t beats_left_ = 0;  // of the tile that is being filled
  std::int64_t tiles_left_ = 0;
  std::vector<Word> words_;  // data mode: the half that is being filled
};

}  // namespace weft::barista
