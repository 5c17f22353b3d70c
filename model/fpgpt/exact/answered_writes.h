#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/engine/consumption_schedule.h"
#include "model/engine/request_trace.h"
#include "model/fpgpt/kernel.h"

namespace weft::fpgpt::exact {

// How long after the last beat (or the address, if that is later) of a write burst its response is visible, for a
// memory that takes every beat as it comes.
struct WriteAnswer {
  Cycles after = 2;
};

// What port OUT of a kernel sends from an anchor on, if its memory answers so.
class AnsweredWrites {
 public:
  AnsweredWrites() = default;
  AnsweredWrites(const Plan& plan, const Anchor& anchor, WriteAnswer answer);

  // What it sent in cycle `now`, which has just been stepped; puts the response on its way.
  void take(Kernel& kernel, Cycles now);

  engine::Transfers sent;
  std::int64_t beats = 0, bursts = 0;
  std::vector<engine::Run> answers;  // cycles from the anchor in which responses become visible

 private:
  Cycles from_ = 0;
  Address base_ = 0;  // that of what the round writes
  WriteAnswer answer_;
};

// Changes of a interval by responses that come later than assumed and that no burst waits for: cycles in which the
// writer is active instead of starved, and cycles in which its port waits.
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

// Returns the changes of a interval that begins in cycle `from` if its responses become visible in the cycles `given`
// instead of `assumed`; both in order and complete. `out`: what port OUT sends. `outstanding`: bursts sent and not
// answered at its start; `most`: limit of these. Nothing if a burst has to wait for a response: then the kernel does
// something else.
std::optional<LateResponses> late_responses(const engine::RequestTrace& out, Cycles from, std::int64_t outstanding,
                                            std::int64_t most, const std::vector<Cycles>& assumed,
                                            const std::vector<Cycles>& given);

// ConsumptionSchedule from `assumed`, write responses that the memory has not confirmed, those that it has given by
// cycle `now`. False if one of them is another, or missing. The last of them, if there is one, is put into `last`.
bool confirm(const std::vector<Cycles>& given, Cycles now, std::vector<Cycles>& assumed, Cycles& last);

}  // namespace weft::fpgpt::exact
