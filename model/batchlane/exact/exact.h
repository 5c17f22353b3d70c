#pragma once

#include <array>
#include <vector>

#include "model/batchlane/kernel.h"
#include "model/memory/store.h"
#include "model/stream/stepping.h"

namespace weft::batchlane::exact {

// The channels' contents in data mode, and which of them each port reads or writes.
struct DataMemory {
  std::vector<memory::Store> channels;
  std::array<int, kPorts> channel_of_port{};
  memory::Store& of(Port port) {
    return channels[static_cast<std::size_t>(channel_of_port[static_cast<std::size_t>(port)])];
  }
};

// A fault that a test puts in.
enum class Fault : std::uint8_t { None, PingPong };

// One pass, its blocks stepped without the SystemC kernel. `data` is nullptr in timing mode. Throws Deadlock if nothing
// can ever move again.
PassResult run_exact(const Plan& plan, memory::Memory& memory, DataMemory* data,
                     const stream::SteppingOptions& options = {}, Fault fault = Fault::None);

}  // namespace weft::batchlane::exact
