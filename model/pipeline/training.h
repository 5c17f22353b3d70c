#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/units.h"
#include "model/pipeline/pipeline.h"

namespace weft::pipeline {

inline constexpr std::size_t kNetworkInput = static_cast<std::size_t>(-1);

// Layer with its dedicated entities F, GI and GW.
struct TrainingLayer {
  enum class Kind {
    Windowed,       // convolution or pool
    Sum,            // sum of the inputs, pixel by pixel
    Concatenation,  // concatenation of the inputs' channels, pixel by pixel
    Whole,          // global pooling: takes a whole image, gives one pixel
  };
  std::string name;
  Kind kind = Kind::Windowed;
  std::vector<std::size_t> inputs;  // earlier layers, or kNetworkInput
  conv::LayerAxis h, w;             // axes of its inputs; a fully connected layer is a convolution of one pixel
  int channels = 1, filters = 1;    // per pixel of its input and of its output
  // Cycles per output pixel of each entity (II). A layer without weights has no GW: 0.
  Cycles f = 1, gi = 1, gw = 0;

  std::int64_t in() const { return std::int64_t{h.size} * w.size; }
  std::int64_t out() const;
};

// Training of a network as a pipeline. An output with several readers goes through a fork; the input of a GW waits in a
// store from F to GW; gradients from several readers are summed. The whole output of the last layer goes to the loss.
// Assumptions: the loss and forks take one cycle per pixel (of a concatenation's gradient each reader gets its
// channels); GI computes the products of a pixel before it sums overlapping windows; GW reads the stored input through
// its own line buffer, followed by a FIFO for at most `lag` windows; a waiting window keeps a pixel of the line buffer.
struct Training {
  Pipeline pipeline;               // all FIFOs unbounded
  std::vector<Words> token_words;  // of each FIFO
  std::vector<FifoId> stores;      // stores from F to GW
  std::vector<std::size_t> layer;  // of each block; the source belongs to the first layer, the loss to the last
  Cycles entities = 0;             // cycles per image of the slowest entity: the planned period
};

// Builds the pipeline. The source admits an image every `period` cycles, its pixels as evenly as whole cycles allow; 0:
// at the rate of the slowest block. Throws Error if a layer reads a later one, or if sizes do not fit.
Training training(const std::vector<TrainingLayer>& layers, Cycles period = 0);

struct Depths {
  Words stores = 0, others = 0;  // words held by all stores, and by all other FIFOs
};

// Sets the depth of each unbounded FIFO to the places it uses if no FIFO is bounded: its high-water mark, plus one
// place on its way back. So no step waits for a place, nothing deadlocks, and every step has its time with unbounded
// FIFOs. Throws Error if the high-water marks do not repeat within `images` images.
Depths size_fifos(Training& training, std::int64_t images = 200);

}  // namespace weft::pipeline
