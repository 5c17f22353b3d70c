#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/core/frequency.h"
#include "model/fpdeep/assignment.h"
#include "model/fpdeep/tensors.h"

namespace weft::fpdeep {

// --- Open details of the links in the abstract of FPDeep, with named readings. ---

// Links that count: only those between two layers, or all between two boards, including those within a layer.
enum class Cuts : std::uint8_t { Boundaries, Inner };
// Division of a layer over two boards: by output features, by input features, or at each cut by the cheaper one.
enum class Partition : std::uint8_t { Output, Input, Better };

struct LinkReading {
  Features features = Features::Unpooled;
  Cuts cuts = Cuts::Inner;
  Partition partition = Partition::Better;
};

// The link after board `board` (from 1): the boards to its left have the chain up to the fraction `left` of `layer`.
// `left` is 1 at a layer boundary.
struct Cut {
  int board = 1;
  std::size_t layer = 0;
  Rational left = 1;
};

// Returns the cuts of the `boards` - 1 links: layer l gets boards * W_l / sum(W) boards, in order. Throws Error if a
// fraction does not fit 64 bits.
std::vector<Cut> even_cuts(const Chain& chain, int boards);

// Words an image over one link. Features go right, gradients of features left.
struct LinkWords {
  Rational right, left;
  Partition partition = Partition::Output;  // the one chosen; a boundary has none

  Rational most() const { return right > left ? right : left; }
};

// With IF and OF the words of a layer's input and output and x the fraction left of the cut:
//   output features: right IF + x OF (inputs that later boards also need, and outputs computed to the left),
//                    left x OF + IF (gradients needed to the left, and partial sums);
//   input features:  right (1 - x) IF + OF (inputs of the rest, and partial sums), left OF + (1 - x) IF;
//   after a layer:   OF, both ways.
// In addition each other tensor with readers on both sides, once. An input that a join or a later layer also reads
// crosses as a whole with input features, too.
LinkWords link_words(const Chain& chain, const Cut& cut, const LinkReading& reading);

// Returns the cut whose link carries the most words; nullopt if no cut counts. With Cuts::Boundaries every layer
// boundary counts, independent of the boards; Cuts::Inner also includes cuts at boundaries.
std::optional<Cut> busiest(const Chain& chain, int boards, const LinkReading& reading);

// Images per second of `boards` boards that compute `images_per_s` each, with links of `bits_per_s` per direction.
double images_per_second(const Chain& chain, int boards, const LinkReading& reading, double images_per_s,
                         double bits_per_s, int word_bits);

// Returns the largest number of boards, at most `most`, up to which images per second grow linearly; 0: not even one.
int linear_boards(const Chain& chain, const LinkReading& reading, double images_per_s, double bits_per_s, int word_bits,
                  int most);

// Place of the gradient sum of a weight: separate words, or the word of the weight, which is updated at once.
enum class Gradients : std::uint8_t { Own, Shared };
// Lag of a layer after its predecessor: k - p rows, or (k - 1 - p) rows and k - p pixels.
enum class Lag : std::uint8_t { Rows, Pixels };
// Frequency of fetching weights from the memory of a neighbour: once per image, or once per row of the OFM.
enum class WeightFetch : std::uint8_t { Image, Row };

struct StorageReading {
  Features features = Features::Unpooled;
  Gradients gradients = Gradients::Own;
  Lag lag = Lag::Pixels;
  WeightFetch fetch = WeightFetch::Image;
};

// Words stored on a board. A layer on several boards is divided in proportion to its filters. An input of a join waits
// on the board of the join. Gradients are summed on each board with readers, from the farthest on.
struct Storage {
  Words weights = 0;
  Words gradients = 0;  // sums of weight gradients
  Words features = 0;   // inputs of layers from F to GW
  Words lines = 0;      // k - 1 input rows for F, and as many for GI
  Words waiting = 0;    // inputs of joins, and gradients of a tensor with several readers, that wait for the latest

  Words all() const { return weights + gradients + features + lines + waiting; }
};

// Images in flight between F and GW of a layer: the lag of the pipeline from the layer to the end and back, along the
// branches with the largest lag.
double residence(const Chain& chain, std::size_t layer, Lag lag);

std::vector<Storage> storage(const Chain& chain, const std::vector<BoardWork>& boards, const StorageReading& reading);

// Storage if boards with more than `words` words may use the memory of others ("storing excess weights in neighboring
// devices").
struct Balanced {
  bool fits = false;           // all words fit into the array
  Words all = 0, room = 0;     // of the array
  std::size_t fullest = 0;     // the board that stores the most
  std::vector<Words> excess;   // of each board
  std::vector<Words> fetched;  // per image, by each board from others
};
Balanced balance_storage(const Chain& chain, const std::vector<BoardWork>& boards, const std::vector<Storage>& stored,
                         Words words, WeightFetch fetch);

}  // namespace weft::fpdeep
