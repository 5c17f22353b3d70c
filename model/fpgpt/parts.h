#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/conv/convolution.h"
#include "model/fpgpt/alpha.h"

namespace weft::fpgpt {

// A convolution in several launches, each with some of its KERN tensors: "as the filters are independent, the problem
// can be broken up along this parameter" (the thesis, section 5.3.8). Every launch is a convolution of its own: it
// reads all of INP.

// Returns the launch of `count` KERN tensors of `beta`, from number `first` on (0: the first). OUT is their maps within
// the OUT of beta. KERN of F and GW is their words within the KERN of beta. A kernel reads KERN of F and GI as one
// dense range, and GI stores it as (C, N_KERN, H, W): the host writes KERN of GI as one dense (C, count, H, W) tensor
// for each launch, one after the other.
conv::Convolution part_of(const conv::Convolution& beta, std::int64_t first, std::int64_t count);

// Returns the launches of `tensors` KERN tensors each (at least 1); the last has the rest.
std::vector<conv::Convolution> parts_of(const conv::Convolution& beta, std::int64_t tensors);

// Writes KERN of GI, (C, N_KERN, H, W), in the order that its launches read. Both hold beta.kern_words() words.
template <class T>
void order_for_parts(const conv::Convolution& beta, const std::vector<conv::Convolution>& parts, const T* stored,
                     T* ordered) {
  const Words map = Words{beta.h.kern} * beta.w.kern, pitch = beta.n_kern * map;
  for (const conv::Convolution& part : parts) {
    const Words words = part.n_kern * map;
    for (std::int64_t channel = 0; channel < beta.c; ++channel, ordered += words) {
      std::copy_n(stored + channel * pitch, words, ordered);
    }
    stored += words;
  }
}

// Returns the KERN tensors of each of the fewest launches of at most `most`: N_KERN, or whole Y-groups, spread evenly.
// `most`: N_KERN or a positive multiple of Y.
std::int64_t even_part(const Alpha& alpha, const conv::Convolution& beta, std::int64_t most);

// Returns the most KERN tensors for which k_range, kern_words and out_words of the kernel suffice: N_KERN, or a
// multiple of Y; 0 if they do not suffice for one Y-group.
std::int64_t most_tensors(const Alpha& alpha, const conv::Convolution& beta);

// Returns the first, largest one of the fewest launches for which the sizes of the kernel suffice: `beta` itself if one
// is enough, or if they do not suffice for one Y-group (refuse_beyond() then names the size).
conv::Convolution first_launch(const Alpha& alpha, const conv::Convolution& beta);

}  // namespace weft::fpgpt
