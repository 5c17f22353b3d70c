#pragma once

#include <memory>
#include <utility>

#include "model/fpgpt/exact/interval_partition.h"
#include "model/fpgpt/plan.h"
#include "model/memory/config.h"
#include "model/memory/ddr4_memory.h"
#include "model/memory/memory.h"

namespace weft::fpgpt::exact {

// Constants of the simulation of a convolution.
struct Setting {
  std::shared_ptr<const Plan> plan;
  memory::MemoryConfig memory;
  Cycles interval_cycles = 0;
  IntervalPartition partition;

  Setting(const Plan& plan_of_convolution, memory::MemoryConfig config, Cycles cycles_of_an_interval)
      : plan(std::make_shared<const Plan>(plan_of_convolution)),
        memory(std::move(config)),
        interval_cycles(cycles_of_an_interval),
        partition(*plan, interval_cycles) {}
  bool is_ddr4() const { return memory.kind == memory::MemoryKind::ddr4; }
  // Returns a memory for a kernel that takes all known returns in every cycle.
  std::unique_ptr<memory::Memory> make_memory() const {
    std::unique_ptr<memory::Memory> made = memory::make_memory(memory);
    if (is_ddr4()) static_cast<memory::Ddr4Memory&>(*made).run_late();
    return made;
  }
  // Ranges of the reader of port INP (0) or KERN (1).
  const stream::RangeLoop& loop(std::size_t port) const { return port == 0 ? plan->inp : plan->kern; }
  std::int64_t first_range(std::size_t port, const Anchor& anchor) const {
    return port == 0 ? anchor.inp_range(*plan) : anchor.kern_range(*plan);
  }
};

}  // namespace weft::fpgpt::exact
