#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/units.h"

namespace weft::fpdeep {

// FPDeep (seed 001): the convolutions of a network, in topological order, over a one-dimensional array of boards. All
// boards compute at once, each its part of the chain, on images that stream through. Closed forms only.
// Parameters of one convolution for one image.
struct ChainLayer {
  std::string name;
  int passes = 3;                 // F, GI and GW; without GI 2
  std::int64_t pixels = 1;        // of the OFM
  int filters = 1;                // D
  Words filter_words = 1;         // weights of one filter
  Words input = 1;                // the IFM as the layer reads it, after pooling
  Words output = 1;               // the OFM as the layer writes it, before pooling
  int rows = 1, columns = 1;      // of the IFM
  int out_rows = 1;               // of the OFM
  int kernel = 1, pad_begin = 0;  // along the rows

  Words weights() const { return filters * filter_words; }
  std::int64_t macs() const { return pixels * weights(); }  // of one pass
  std::int64_t work() const { return passes * macs(); }     // W_l
};

inline constexpr std::size_t kImage = static_cast<std::size_t>(-1);

// Operation of the network on one image: a layer of the chain, a pool, or a join (sum or concatenation).
struct Node {
  enum class Kind : std::uint8_t { Layer, Pool, Join };
  Kind kind = Kind::Layer;
  std::vector<std::size_t> inputs;  // earlier nodes, or kImage
  Words output = 1;
};

// Convolutions in the order of the boards, and the network that connects them.
struct Chain {
  std::vector<ChainLayer> layers;
  std::vector<Node> nodes;  // in topological order; the nodes of kind Layer are `layers` in their order

  std::int64_t work() const;
  Words weights() const;
};

// `nodes` without the outputs of layers. Throws Error for a transposed convolution, or if there is no layer.
Chain chain_of(const std::vector<conv::Layer>& layers, std::vector<Node> nodes, bool gi_first);

// Filters [first, last) of a layer on one board, with the DSPs of each of its passes.
struct Part {
  std::size_t layer = 0;
  int first = 0, last = 0;
  std::int64_t dsp = 0;       // of each pass
  Cycles cycles_a_pixel = 0;  // weights of the part over the DSPs, rounded up
  Cycles cycles = 0;          // per image

  int filters() const { return last - first; }
};

struct BoardWork {
  std::vector<Part> parts;
  std::int64_t dsp = 0;  // of all passes of all parts
  Cycles cycles = 0;     // per image: those of the slowest part, as all parts run at once
};

// Assigns the chain in whole filters and whole DSPs: each cut of even_cuts() moves to the nearest filter; then each
// board divides its DSPs for the fewest cycles. A board has at least one filter. Throws Error that names the board if
// its DSPs are fewer than its passes, or the network if it has fewer filters than there are boards.
std::vector<BoardWork> assign(const Chain& chain, int boards, std::int64_t dsp);

// Mean over maximum of the cycles per image: 1 if all boards need the same time.
double balance(const std::vector<BoardWork>& boards);
Cycles period(const std::vector<BoardWork>& boards);  // cycles per image of the array

}  // namespace weft::fpdeep
