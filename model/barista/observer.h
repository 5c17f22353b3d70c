#pragma once

#include "model/barista/kernel.h"

namespace weft::barista {

// Stands beside a GEMM and sees its kernel.
class Observer {
 public:
  virtual ~Observer() = default;
  // After each cycle that was stepped; in the cycles between two of them nothing moved, and blocks stay in their
  // states. False ends the GEMM.
  virtual bool after(Cycles now, const Kernel& kernel) = 0;
};

}  // namespace weft::barista
