#pragma once

#include "model/conv/convolution.h"
#include "model/conv/window.h"
#include "model/fpgpt/alpha.h"

namespace weft::fpgpt {

// Throws Error, naming the parameter, its limit and what is asked of it, if `beta` exceeds what the kernel was compiled
// for: the kinds of its variant, Z, Z_channel, k_range (GW), kern_words, out_words. The overload takes the geometry
// window_geometry(beta, alpha.x) that the caller has already.
void refuse_beyond(const Alpha& alpha, const conv::Convolution& beta);
void refuse_beyond(const Alpha& alpha, const conv::Convolution& beta, const conv::WindowGeometry& window);

}  // namespace weft::fpgpt
