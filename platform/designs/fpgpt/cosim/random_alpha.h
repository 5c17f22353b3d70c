#pragma once

#include "model/fpgpt/alpha.h"
#include "platform/hardware/cosim/random_layer.h"

namespace weft::fpgpt {

// An alpha with sizes to be fitted, any profile, small FIFOs, bursts of up to 64 beats; with `long_bursts` one port in
// three has the longest of AXI4.
inline Alpha random_alpha(cosim::Random& random, bool long_bursts = false) {
  using cosim::pick;
  Alpha alpha;
  alpha.x = pick(random, 1, 9);
  alpha.y = pick(random, 1, 9);
  alpha.bus_bits = 32 << pick(random, 1, 4);
  for (const ProfileSwitch& each : kProfileSwitches) alpha.profile.*each.on = pick(random, 0, 1) != 0;
  for (int& depth : alpha.fifo.all()) depth = pick(random, 1, 4);
  for (stream::PortConfig* port : {&alpha.inp_port, &alpha.kern_port, &alpha.out_port}) {
    *port = {!long_bursts || pick(random, 0, 2) ? pick(random, 1, 64) : 256, pick(random, 1, 8)};
  }
  return alpha;
}

}  // namespace weft::fpgpt
