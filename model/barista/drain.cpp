#include "model/barista/drain.h"

#include <algorithm>

namespace weft::barista {

Activity Drain::step(Cycles now, const Plan& plan, Fifo& tile, Fifo& row) {
  if (tiles_left_ == 0) return Activity::Idle;
  if (!tile.can_pop(now)) return Activity::Starved;
  if (!row.can_push(now)) return Activity::Blocked;
  if (Word* const token = row.push(now)) {
    std::copy_n(tile.front() + std::ptrdiff_t{row_} * plan.alpha.tc, plan.alpha.tc, token);
  }
  if (++row_ < plan.alpha.tr) return Activity::Active;
  row_ = 0;
  tile.pop(now);
  --tiles_left_;
  return Activity::Active;
}

}  // namespace weft::barista
