#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/frequency.h"
#include "model/core/units.h"
#include "model/pipeline/blocks.h"
#include "model/pipeline/exact.h"
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
  bool weights_in_dram = false;  // F and GI read the weights for each image, GW reads and writes them

  std::int64_t in() const { return std::int64_t{h.size} * w.size; }
  std::int64_t out() const;
};

// Boards in a row that train a network. A tensor goes once over each link between its producer and its readers, and is
// forked on each board that reads it; gradients are summed on each board before they go back. The tensors that cross a
// link in one direction share its wire, and all transfers of a board its DRAM, both in turn.
struct Boards {
  std::vector<std::size_t> board_of;  // of each layer
  int word_bits = 32;
  LinkBlocks link;  // of each link and direction; of `frames` neither receive_bytes nor flow, token_bytes not used
  bool wait_for_link = true;  // false: nothing holds back the sender of a full receive FIFO (Flow::None)
  Faults faults;              // of each link; `frames` not used
  // Bytes per cycle of the DRAM of each board; empty: words from F to GW wait in block RAM. Assumed: a transfer has as
  // many whole pixels as fit in `transfer`, and a reader holds two of them; refreshes and row misses take no time.
  std::vector<Rational> dram;
  Bytes transfer = 4096;
};

// Training of a network as a pipeline. An output with several readers goes through a fork; the input of a GW waits in a
// store from F to GW; gradients from several readers are summed. The whole output of the last layer goes to the loss.
// Assumptions: the loss and forks take one cycle per pixel (of a concatenation's gradient each reader gets its
// channels); GI computes the products of a pixel before it sums overlapping windows; GW reads the stored input through
// its own line buffer, followed by a FIFO for at most `lag` windows; a waiting window keeps a pixel of the line buffer.
struct Training {
  Pipeline pipeline;               // all FIFOs unbounded
  std::vector<Words> token_words;  // of each FIFO
  std::vector<FifoId> stores;      // stores from F to GW, in block RAM or DRAM
  std::vector<Words> store_words;  // of a pixel in each store
  std::vector<FifoId> links;       // receive FIFOs of the links
  std::vector<std::size_t> board;  // of each block
  Cycles entities = 0;             // cycles per image of the slowest entity: the planned period
};

// Builds the pipeline. The source admits an image every `period` cycles, its pixels as evenly as whole cycles allow; 0:
// at the rate of the slowest block, which with boards limits it in any case. Throws Error if a layer reads a later one,
// or if sizes do not fit.
Training training(const std::vector<TrainingLayer>& layers, Cycles period = 0, const Boards* boards = nullptr);

struct Depths {
  Words stores = 0, others = 0;  // words held by all stores, and by all other FIFOs
  Simulated simulated;           // without bounds; with the depths every step has the same time
};

// Sets the depth of each unbounded FIFO to the places it uses if no FIFO is bounded: its high-water mark, with
// places on their way back. So no step waits for a place, nothing deadlocks, and every step has its time with unbounded
// FIFOs. Throws Error if the high-water marks do not repeat within `images` images.
Depths size_fifos(Training& training, std::int64_t images = 200);
// nullopt, and no depth is set, where size_fifos() throws.
std::optional<Depths> sized_fifos(Training& training, std::int64_t images);

}  // namespace weft::pipeline
