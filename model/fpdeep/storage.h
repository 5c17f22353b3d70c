#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/core/frequency.h"
#include "model/fpdeep/assignment.h"

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

// Where the sum of a weight's gradients lies: in words of its own, or in the weight's place, which is updated at once.
enum class Gradients : std::uint8_t { Own, Shared };
// How far a layer is behind the one before it: k - p rows, or (k - 1 - p) rows and k - p pixels.
enum class Lag : std::uint8_t { Rows, Pixels };
// How often what a board keeps in a neighbour's memory is fetched: once an image, or once for every row of the OFM.
enum class WeightFetch : std::uint8_t { Image, Row };

struct StorageReading {
  Gradients gradients = Gradients::Own;
  Lag lag = Lag::Pixels;
  WeightFetch fetch = WeightFetch::Image;
};

// Words on a board. What belongs to a layer on several boards is divided like its filters.
struct Storage {
  Words weights = 0;
  Words gradients = 0;  // sums of them
  Words features = 0;   // inputs of layers from F to GW
  Words lines = 0;      // k - 1 rows of the input for F, as many for GI

  Words all() const { return weights + gradients + features + lines; }
};

// Images that pass between F of a layer and its GW, which is the pipeline's lag from it to the end and back.
double residence(const Chain& chain, std::size_t layer, Lag lag);

std::vector<Storage> storage(const Chain& chain, const std::vector<BoardWork>& boards, const StorageReading& reading);

// Where boards have too much for their `words`, the others may hold the rest ("storing excess weights in neighboring
// devices").
struct Balanced {
  bool fits = false;           // the array has the room
  Words all = 0, room = 0;     // of the array
  std::size_t fullest = 0;     // of the boards, alone
  std::vector<Words> excess;   // of each board
  std::vector<Words> fetched;  // an image, by each board from others
};
Balanced balance_storage(const Chain& chain, const std::vector<BoardWork>& boards, const std::vector<Storage>& stored,
                         Words words, WeightFetch fetch);

}  // namespace weft::fpdeep
