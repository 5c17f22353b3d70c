#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/engine/consumption_schedule.h"
#include "model/engine/request_trace.h"
#include "model/fpgpt/exact/interval.h"

namespace weft::fpgpt::exact {

struct KernelInterval {
  std::uint32_t number = 0;
  Interval interval;
  std::array<const engine::ConsumptionSchedule*, 2> schedules{};  // of the read ports
  const engine::RequestTrace* out = nullptr;                      // of port OUT
};

struct ReaderInterval {
  std::uint32_t number = 0;
  ReadAhead ahead;
  const engine::RequestTrace* trace = nullptr;  // of the port
};

// Interval of the kernel with the requests of its readers.
struct MemoEntry {
  const KernelInterval* kernel = nullptr;
  std::array<const ReaderInterval*, 2> readers{};
  std::vector<const engine::RequestTrace*> traces;  // per channel
  std::int64_t uses = 0;                            // not yet added to the counts
};

}  // namespace weft::fpgpt::exact
