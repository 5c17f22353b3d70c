#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/engine/consumption_schedule.h"
#include "model/engine/request_trace.h"
#include "model/fpgpt/kernel.h"

namespace weft::fpgpt::exact {

// Response time of a write burst: cycles from its last beat (or its address, if later) to its visible response, if the
// memory accepts every beat at once.
struct WriteAnswer {
  Cycles after = 2;
};

// Transfers of port OUT from an anchor on, with responses after a fixed time.
class AnsweredWrites {
 public:
  AnsweredWrites() = default;
  AnsweredWrites(const Plan& plan, const Anchor& anchor, WriteAnswer answer);

  // Records the transfers of cycle `now`, which was just stepped, and schedules the response.
  void take(Kernel& kernel, Cycles now);

  engine::Transfers sent;
  std::int64_t beats = 0, bursts = 0;
  std::vector<engine::Run> answers;  // cycles from the anchor in which responses become visible

 private:
  Cycles from_ = 0;
  Address base_ = 0;  // address written first in the round
  WriteAnswer answer_;
};

// Changes of an interval by responses later than assumed, if no burst waits for them: cycles in which the writer is
// active instead of starved, and cycles in which its port waits.
struct LateResponses {
  Cycles active = 0, waits = 0;
  LateResponses& operator+=(const LateResponses& other) {
    active += other.active;
    waits += other.waits;
    return *this;
  }
  void add_to(BlockActivities& activities) const {
    Activities& writer = activities[static_cast<std::size_t>(Block::OutWriter)];
    writer.add(Activity::Active, active);
    writer.add(Activity::Starved, -active);
  }
};

// Returns the changes of an interval from cycle `from` on if its responses become visible in the cycles `given` instead
// of `assumed`; both in order and complete. `out`: transfers of port OUT. `outstanding`: unanswered bursts at the
// start; `most`: their limit. Returns nullopt if a burst waits for a response: then the kernel behaves differently.
std::optional<LateResponses> late_responses(const engine::RequestTrace& out, Cycles from, std::int64_t outstanding,
                                            std::int64_t most, const std::vector<Cycles>& assumed,
                                            const std::vector<Cycles>& given);

// Removes from `assumed`, the unconfirmed write responses, those `given` by cycle `now`, and sets `last` to the last of
// these. Returns false, and changes nothing, if one differs or is missing.
bool confirm(const std::vector<Cycles>& given, Cycles now, std::vector<Cycles>& assumed, Cycles& last);

}  // namespace weft::fpgpt::exact
