#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/units.h"
#include "model/pipeline/pipeline.h"

namespace weft::pipeline {

inline constexpr std::size_t kNetworkInput = static_cast<std::size_t>(-1);

// A layer with its dedicated entities F, GI and GW.
struct TrainingLayer {
  enum class Kind {
    Windowed,       // a convolution or pool
    Sum,            // of its inputs, pixel for pixel
    Concatenation,  // of the channels of its inputs, pixel for pixel
    Whole,          // global pooling: all of an image in, one pixel out
  };
  std::string name;
  Kind kind = Kind::Windowed;
  std::vector<std::size_t> inputs;  // layers before it, or kNetworkInput
  conv::LayerAxis h, w;             // of its inputs; a fully connected layer is a convolution of one pixel
  int channels = 1, filters = 1;    // of a pixel of its input and of its output
  // Cycles a pixel of the output of each entity (II). A layer without weights has no GW, 0.
  Cycles f = 1, gi = 1, gw = 0;

  std::int64_t in() const { return std::int64_t{h.size} * w.size; }
  std::int64_t out() const;
};

// A network in training as a pipeline: what several read goes through a fork, and what a GW reads waits in a store from
// F to GW; gradients that come from several readers are summed. The last layer's output goes to the loss, whole.
// Assumed: the loss and forks take a cycle a pixel (of a concatenation's gradient each reader gets its channels), GI
// computes the products of a pixel before it sums overlapping windows, and GW reads the stored input through a line
// buffer of its own, behind which wait at most as many windows as its lag; a window that waits keeps a pixel of the
// line buffer.
struct Training {
  Pipeline pipeline;               // all FIFOs unbounded
  std::vector<Words> token_words;  // of each FIFO
  std::vector<FifoId> stores;      // from F to GW
  std::vector<std::size_t> layer;  // of each block; the source is of the first, the loss of the last
  Cycles entities = 0;             // cycles an image of the slowest entity: the period as it is planned
};

// The source lets an image in every `period` cycles, its pixels as evenly as whole cycles allow; 0: as fast as the
// slowest block. Throws Error where a layer reads one behind it, or sizes do not fit.
Training training(const std::vector<TrainingLayer>& layers, Cycles period = 0);

struct Depths {
  Words stores = 0, others = 0;  // that all FIFOs hold
};

// Gives each FIFO that is unbounded the places that it uses when none of them is: the most tokens that it ever holds,
// and one whose place is on its way back. So nothing waits for a place, nothing stands still, and every step is at the
// time it has with unbounded FIFOs. Throws Error if that does not repeat within `images`.
Depths size_fifos(Training& training, std::int64_t images = 200);

}  // namespace weft::pipeline
