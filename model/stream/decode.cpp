#include "model/stream/decode.h"

#include <algorithm>

namespace weft::stream {

Activity Decode::step(Cycles now, const RangeLoop& loop, Fifo& in, Fifo& out) {
  if (words_.done(loop)) return Activity::Idle;
  if (!out.can_push(now)) return Activity::Blocked;
  if (!in.can_pop(now)) return Activity::Starved;
  if (Word* const token = out.push(now)) {
    std::copy_n(in.front() + words_.offset(), words_.count(), token);
    std::fill(token + words_.count(), token + out.width(), Word{});
  }
  in.pop(now);
  words_.advance(loop);
  return Activity::Active;
}

}  // namespace weft::stream
