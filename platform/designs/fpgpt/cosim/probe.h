#pragma once

#include "model/fpgpt/kernel.h"
#include "platform/hardware/cosim/model_probe.h"

namespace weft::fpgpt {

// Reads the events of a cycle off a kernel of the model (cosim::ModelProbe).
class KernelProbe {
 public:
  explicit KernelProbe(const Plan& plan);
  void look(const Kernel& kernel, cosim::CycleEvents& events);

 private:
  cosim::ModelProbe probe_;
};

}  // namespace weft::fpgpt
