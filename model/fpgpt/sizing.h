#pragma once

#include <algorithm>
#include <vector>

#include "model/conv/convolution.h"
#include "model/conv/window.h"
#include "model/fpgpt/alpha.h"

namespace weft::fpgpt {

// Throws Error, naming the parameter, its limit and the requested value, if `beta` exceeds the sizes of the kernel: the
// kinds of its variant, Z, Z_channel, k_range (GW), kern_words, out_words. The overload takes window_geometry(beta,
// alpha.x) if the caller has it.
void refuse_beyond(const Alpha& alpha, const conv::Convolution& beta);
void refuse_beyond(const Alpha& alpha, const conv::Convolution& beta, const conv::WindowGeometry& window);

// Throws Error for ports of several widths, which the RTL does not have.
void require_one_width(const Alpha& alpha);

// True if a kernel of `variant` is compiled for convolutions of `kind`.
bool runs(Variant variant, conv::Kind kind);

// Words in a token of an RTL FIFO, which is wide enough for every kind that the kernel runs.
int widest_token(const Alpha& alpha, FifoId fifo);

// Partitions of KERN's and OUT's memory in a kernel for convolutions of `kind`, and words of one convolution in each
// (Eqs. 5.15 and 5.16).
int kern_partitions(const Alpha& alpha, conv::Kind kind);                 // F/GI Y; GW two halves of Y
int out_partitions(const Alpha& alpha, conv::Kind kind);                  // F/GI two halves of X; GW X
Words kern_partition(const Alpha& alpha, const conv::Convolution& beta);  // F/GI ceil(N/Y)*C*H*W, GW C*H*W
Words out_partition(const Alpha& alpha, const conv::Convolution& beta);   // F/GI Y*ceil(HW/X), GW N*C*ceil(HW/X)

// Sizes that one convolution needs in a kernel with x by y PEs: the smallest alpha that runs it.
struct Sizes {
  Words z = 1;
  Words z_channel = 1;
  Words k_range = 0;     // GW: N_KERN*C*H*W (A.2.6, reading F9); F and GI read KERN as one range of any length: 0
  Words kern_words = 0;  // F/GI ceil(N/Y)*Y*C*H*W, GW 2*Y*C*H*W
  Words out_words = 0;   // F/GI 2*Y*ceil(HW/X)*X (reading F15), GW N*C*ceil(HW/X)*X
};

// Makes each size of `all` (Sizes, or an Alpha) at least that of `one`.
template <class Sized>
void grow_sizes(Sized& all, const Sized& one) {
  all.z = std::max(all.z, one.z);
  all.z_channel = std::max(all.z_channel, one.z_channel);
  all.k_range = std::max(all.k_range, one.k_range);
  all.kern_words = std::max(all.kern_words, one.kern_words);
  all.out_words = std::max(all.out_words, one.out_words);
}

Alpha with_sizes(Alpha alpha, const Sizes& sizes);

Sizes sizes_of(const Alpha& alpha, const conv::Convolution& beta, const conv::WindowGeometry& window);
Sizes sizes_of(const Alpha& alpha, const conv::Convolution& beta);

// `auto`: returns alpha with its sizes fitted to one convolution ("one kernel per convolution"), all else unchanged.
// The overload takes window_geometry(beta, alpha.x) if the caller has it.
Alpha fitted(Alpha alpha, const conv::Convolution& beta);
Alpha fitted(Alpha alpha, const conv::Convolution& beta, const conv::WindowGeometry& window);

// `shared`: returns alpha with each size fitted to the largest of the convolutions that its variant runs; it ignores
// the others, so that a whole run may be passed. Throws Error if there is none.
Alpha fitted(Alpha alpha, const std::vector<conv::Convolution>& betas);

}  // namespace weft::fpgpt
