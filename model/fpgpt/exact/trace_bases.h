#pragma once

#include <cstddef>
#include <cstdint>

#include "model/engine/intern.h"
#include "model/engine/request_trace.h"
#include "model/fpgpt/plan.h"

namespace weft::fpgpt::exact {

// What the bases of a trace stand for in each round. Those of a port stand for passes in a row, so that the first
// address, where the run of passes ends and what it ends in tell all of them.
class TraceBases {
 public:
  explicit TraceBases(const Plan& plan) : plan_(plan) {}

  engine::Bases of(const engine::RequestTrace& trace, std::int64_t round);

  void evict() { spreads_ = {}; }
  std::size_t memory() const { return spreads_.memory(); }  // bytes, about

 private:
  std::int64_t passes_from(const engine::Base& first, const engine::Base& last, std::int64_t round) const;

  const Plan& plan_;
  engine::Sequences spreads_;
};

}  // namespace weft::fpgpt::exact
