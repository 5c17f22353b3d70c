#pragma once

#include <cstdint>
#include <vector>

#include "model/engine/takes.h"
#include "model/engine/tape.h"
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

// Takes from `assumed`, write responses that the memory has not confirmed, those that it has given by cycle `now`.
// False if one of them is another, or missing. The last of them, if there is one, is put into `last`.
bool confirm(const std::vector<Cycles>& given, Cycles now, std::vector<Cycles>& assumed, Cycles& last);

}  // namespace weft::fpgpt::exact
