#include "model/barista/tile_fill.h"

#include <algorithm>

namespace weft::barista {

Activity TileFill::step(Cycles now, Fifo& beat, Fifo& tile) {
  if (tiles_left_ == 0) return Activity::Idle;
  if (!tile.can_push(now)) return Activity::Blocked;
  if (!beat.can_pop(now)) return Activity::Starved;
  if (const Word* const words = beat.front()) words_.insert(words_.end(), words, words + beat.width());
  beat.pop(now);
  if (--beats_left_ > 0) return Activity::Active;
  if (Word* const token = tile.push(now)) std::copy_n(words_.begin(), tile.width(), token);
  words_.clear();
  beats_left_ = beats_;
  --tiles_left_;
  return Activity::Active;
}

}  // namespace weft::barista
