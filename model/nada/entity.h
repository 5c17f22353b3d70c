#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/core/units.h"

// NADA's plans: training a network on a row of boards, where each layer has its own implementation ("overall throughput
// limited by the slowest layer implementation"). Unpublished details are assumptions, each named in Costs and Problem.
namespace weft::nada {

// Entity of a layer. Its passes F, GI and GW have equal parallelism; each computes the products of one output pixel per
// initiation interval. A layer without weights has no passes: it processes one pixel per cycle and has line buffers.
struct Entity {
  std::string name;
  std::int64_t channels = 1;     // of one group: C / g
  std::int64_t filters = 1;      // D
  std::int64_t window = 1;       // k * k
  std::int64_t pixels = 1;       // per image, of its output or its input, whichever is larger
  std::int64_t outputs = 1;      // pixels of its output
  int passes = 3;                // 2: without the gradient of the image
  Words lines = 0;               // total of the line buffers of all passes
  Words stored = 0;              // per image, from F to GW
  bool weights_in_dram = false;  // no banks: F and GI read weights for each pixel, GW reads and writes them

  Words weights() const { return channels * filters * window; }
  // DRAM words per image: weights, and the stored words if they are in DRAM.
  Words dram_words(bool stored_there) const {
    return (stored_there ? 2 * stored : 0) + (weights_in_dram ? (passes + 1) * weights() * outputs : 0);
  }
};

// Products of a pixel computed at once: `a` of the channels, `b` of the filters, one tap of the window or all.
struct Parallelism {
  std::int64_t a = 1, b = 1, taps = 1;
  std::int64_t lanes() const { return a * b * taps; }
};

// Cycles per pixel: ceil(C / g / a) * ceil(D / b) * k * k / taps.
Cycles interval(const Entity& entity, const Parallelism& parallelism);
// Cycles per image of each pass; for an entity without passes, its pixels.
Cycles cycles(const Entity& entity, const Parallelism& parallelism);

// Device resources of the parts of an entity.
struct Costs {
  std::int64_t dsp_per_lane = 1;          // an FP32 multiply-accumulate
  std::int64_t registers_per_lane = 200;  // assumed
  std::int64_t copies = 2;                // copies of the weights: banks per lane, for simultaneous reads and sums
  Words m20k_words = 512;                 // of 32 bits
  Words mlab_words = 32;                  // largest depth of a bank in MLABs ...
  std::int64_t mlabs_per_bank = 2;        // ... of 20 bits, so two per word
};

struct Use {
  std::int64_t dsp = 0, registers = 0, m20k = 0, mlab = 0;

  friend Use operator+(const Use& a, const Use& b) {
    return {a.dsp + b.dsp, a.registers + b.registers, a.m20k + b.m20k, a.mlab + b.mlab};
  }
  bool within(const Use& limit) const {
    return dsp <= limit.dsp && registers <= limit.registers && m20k <= limit.m20k && mlab <= limit.mlab;
  }
};

// DSPs and registers of the lanes of all passes; copies * lanes banks of ceil(weights / lanes) words; line buffers.
// Words stored from F to GW are not included.
Use use(const Entity& entity, const Parallelism& parallelism, const Costs& costs);

struct Choice {
  Parallelism parallelism;
  Use use;
};

// Returns the Pareto-optimal choices with at most `period` cycles per image; empty if there is none.
std::vector<Choice> choices(const Entity& entity, const Costs& costs, Cycles period);

// Returns every number of cycles per image that some parallelism attains, in ascending order.
std::vector<Cycles> attainable(const Entity& entity);

}  // namespace weft::nada
