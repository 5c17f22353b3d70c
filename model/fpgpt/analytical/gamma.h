#pragma once

#include <cstdint>

#include "model/conv/convolution.h"
#include "model/conv/window.h"
#include "model/core/units.h"
#include "model/fpgpt/alpha.h"
#include "model/fpgpt/analytical/readings.h"
#include "model/fpgpt/topology.h"

namespace weft::fpgpt {

// Result of the equations for one convolution on one kernel: cycles per component (5.6-5.12, A.1-A.44), their largest
// (5.13) and its component, ties to the most upstream. `z` and `z_channel` are the needs of the convolution (F7), at
// most those of alpha; `m`: products per output.
struct Gamma {
  Cycles sa = 0;
  Cycles inp_ddr = 0, inp_dec = 0, inp_constr = 0, inp_i2c = 0;
  Cycles kern_ddr = 0, kern_dec = 0, kern_feed = 0;
  Cycles out_constr = 0, out_enc = 0, out_ddr = 0;
  Words z = 0, z_channel = 0;
  std::int64_t m = 0;
  Cycles total = 0;
  Block limiter = Block::InpReader;

  Cycles operator[](Block component) const;
};

// Cycles of each subsystem: INP (5.9), KERN (5.10 for F and GI, 5.11 for GW) and OUT (5.12).
Cycles inp_cycles(const Gamma& gamma, const Readings& readings = {});
Cycles kern_cycles(const Gamma& gamma, conv::Kind kind, const Readings& readings = {});
Cycles out_cycles(const Gamma& gamma);

// Evaluates the equations. Throws Error if beta exceeds alpha (refuse_beyond). The overload takes window_geometry(beta,
// alpha.x), which costs far more than the equations, from a caller that evaluates many kernels of the same X.
Gamma gamma(const Alpha& alpha, const conv::Convolution& beta, const Readings& readings = {});
Gamma gamma(const Alpha& alpha, const conv::Convolution& beta, const Readings& readings,
            const conv::WindowGeometry& window);

}  // namespace weft::fpgpt
