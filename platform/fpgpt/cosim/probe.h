#pragma once

#include <array>

#include "model/fpgpt/kernel.h"
#include "platform/cosim/events.h"

namespace weft::fpgpt {

// Reads the events of a cycle off a kernel of the model: the difference to what it saw when it last looked. To be asked
// after every cycle in which anything moved; the kernel is in data mode, and no write beat is accepted before its
// address.
class KernelProbe {
 public:
  explicit KernelProbe(const Plan& plan) : band_(plan.alpha.band) {}
  void look(const Kernel& kernel, cosim::CycleEvents& events);

 private:
  cosim::PortEvents read(Port port, const stream::ReadPort& state);
  cosim::PortEvents write(const stream::WritePort& state);

  int band_;
  std::array<std::int64_t, kFifos> pushed_{}, popped_{};
  std::array<Cycles, kPorts> busy_{};
  int burst_left_ = 0;  // beats to come of the write burst whose address was accepted last
};

}  // namespace weft::fpgpt
