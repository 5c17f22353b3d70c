#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/core/frequency.h"
#include "model/fpdeep/chain.h"

namespace weft::fpdeep {

// --- What the abstract of FPDeep leaves open about its links, each reading with a name. ---

// What a layer sends: its OFM as it is computed, or as the next one reads it.
enum class Features : std::uint8_t { Unpooled, Pooled };
// Which links count: those between two layers alone, or every one between two boards, also within a layer.
enum class Cuts : std::uint8_t { Boundaries, Inner };
// How a layer on two boards is divided: by its output features, its input features, or at each cut as takes less.
enum class Partition : std::uint8_t { Output, Input, Better };

struct LinkReading {
  Features features = Features::Unpooled;
  Cuts cuts = Cuts::Inner;
  Partition partition = Partition::Better;
};

// The link behind board `board`, from 1: the boards left of it have the chain up to the fraction `left` of `layer`.
// At a boundary of layers `left` is 1.
struct Cut {
  int board = 1;
  std::size_t layer = 0;
  Rational left = 1;
};

// A cut for each of `boards` - 1 links: layer l gets boards * W_l / sum(W) boards, in order. Throws Error if a fraction
// does not fit 64 bits.
std::vector<Cut> even_cuts(const Chain& chain, int boards);

// Words an image over one link. Features go right, gradients of features left.
struct LinkWords {
  Rational right, left;
  Partition partition = Partition::Output;  // of the two the one taken; a boundary has none

  Rational most() const { return right > left ? right : left; }
};

// With IF and OF the words of a layer's input and output and x the fraction left of the cut:
//   output features: right IF + x OF (the inputs the boards further on need, too, and what the left has computed),
//                    left x OF + IF (the gradients it needs, and the sums it has part of);
//   input features:  right (1 - x) IF + OF (inputs of the rest, and sums in progress), left OF + (1 - x) IF.
LinkWords link_words(const Chain& chain, const Cut& cut, const LinkReading& reading);

// The cut whose link carries the most; nothing if none counts. Cuts at boundaries count in either reading; under
// Boundaries all boundaries do, wherever the boards end.
std::optional<Cut> busiest(const Chain& chain, int boards, const LinkReading& reading);

// Images a second of `boards` that compute `images_per_s` each, on links of `bits_per_s` a direction.
double images_per_second(const Chain& chain, int boards, const LinkReading& reading, double images_per_s,
                         double bits_per_s, int word_bits);

// The largest number of boards, at most `most`, up to which images a second grow with the boards; 0: not even one.
int linear_boards(const Chain& chain, const LinkReading& reading, double images_per_s, double bits_per_s, int word_bits,
                  int most);

}  // namespace weft::fpdeep
