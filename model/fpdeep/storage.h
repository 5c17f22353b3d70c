#pragma once

#include <cstdint>
#include <vector>

#include "model/fpdeep/assignment.h"
#include "model/fpdeep/chain.h"

namespace weft::fpdeep {

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
