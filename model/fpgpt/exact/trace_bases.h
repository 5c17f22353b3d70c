#pragma once

#include <cstddef>
#include <cstdint>

#include "model/core/intern.h"
#include "model/engine/request_trace.h"
#include "model/fpgpt/plan.h"

namespace weft::fpgpt::exact {

// Addresses of the bases of a trace in a round. The bases of a port are consecutive passes, so that the first address,
// the end of its run of passes and the last pass determine them.
class TraceBases {
 public:
  explicit TraceBases(const Plan& plan) : plan_(plan) {}

  engine::Bases of(const engine::RequestTrace& trace, std::int64_t round);

  void evict() { spreads_ = {}; }
  std::size_t memory() const { return spreads_.memory(); }  // approximate bytes

 private:
  std::int64_t passes_from(const engine::Base& first, const engine::Base& last, std::int64_t round) const;

  const Plan& plan_;
  Sequences spreads_;
};

}  // namespace weft::fpgpt::exact
