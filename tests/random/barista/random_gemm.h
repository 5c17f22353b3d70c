#pragma once

#include "model/barista/plan.h"
#include "platform/hardware/cosim/random_layer.h"

namespace weft::test {

using cosim::pick;
using cosim::Random;

// Returns a small kernel of any shape; tiles with full and with partial beats, FIFOs and ports of all kinds.
inline barista::Alpha random_alpha(Random& random) {
  barista::Alpha alpha;
  alpha.tr = pick(random, 1, 9);
  alpha.tc = pick(random, 1, 9);
  alpha.tp = pick(random, 1, 20);
  alpha.partials = pick(random, 1, 6);
  alpha.band = 1 << pick(random, 1, 5);
  for (const barista::FifoId fifo : barista::kFreeFifos) alpha.fifo[fifo] = pick(random, 1, 6);
  for (stream::PortConfig* port : {&alpha.a_port, &alpha.b_port, &alpha.c_port}) {
    *port = {pick(random, 1, 16), pick(random, 1, 6)};
  }
  return alpha;
}

inline barista::Gemm random_gemm(Random& random, int most = 40) {
  barista::Gemm gemm;
  gemm.r = pick(random, 1, most);
  gemm.p = pick(random, 1, most);
  gemm.c = pick(random, 1, most);
  return gemm;
}

inline constexpr barista::Bases kBases{0, 4096, 3 * 4096};

}  // namespace weft::test
