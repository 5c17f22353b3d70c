#pragma once

#include <array>
#include <functional>
#include <vector>

#include "model/barista/kernel.h"
#include "model/barista/plan.h"
#include "model/memory/memory.h"
#include "model/memory/store.h"
#include "model/stream/observer.h"

namespace weft::barista::exact {

// The channels' contents in data mode, and which of them each port reads or writes.
struct DataMemory {
  std::vector<memory::Store> channels;
  std::array<int, kPorts> channel_of_port{};
  memory::Store& of(Port port) {
    return channels[static_cast<std::size_t>(channel_of_port[static_cast<std::size_t>(port)])];
  }
};

// One GEMM, its blocks stepped without the SystemC kernel. Cycles in which nothing can change, as while the mesh is at
// a tile and both buffers are full, are accounted for at once; `every_cycle` steps them all the same. `data` is nullptr
// in timing mode. `report`: called with the cycle that is reached, every 2^20 or so; may be empty. Throws Deadlock if
// nothing can ever move again.
GemmResult run_exact(const Plan& plan, memory::Memory& memory, DataMemory* data,
                     const std::function<void(Cycles)>& report = {}, bool every_cycle = false);

// The same in timing mode beside an observer, who may end it early: the result is then that of the cycles so far.
GemmResult run_exact(const Plan& plan, memory::Memory& memory, stream::Observer& observer,
                     const std::function<void(Cycles)>& report);

}  // namespace weft::barista::exact
