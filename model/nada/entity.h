#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/core/units.h"

// NADA's plans: a network in training over boards in a row, each layer with an implementation of its own ("overall
// throughput limited by the slowest layer implementation"). What is not published about it is an assumption; Costs and
// Problem name each.
namespace weft::nada {

// A layer's entity. Its passes F, GI and GW are alike in parallelism, and each computes the products of a pixel of the
// output in its initiation interval. A layer without weights has no passes: it takes a pixel a cycle, and line buffers.
struct Entity {
  std::string name;
  std::int64_t channels = 1;     // of a group: C / g
  std::int64_t filters = 1;      // D
  std::int64_t window = 1;       // k * k
  std::int64_t pixels = 1;       // of its output or of its input, whichever has more, an image
  std::int64_t outputs = 1;      // pixels of its output
  int passes = 3;                // 2: no gradient of the image
  Words lines = 0;               // of all line buffers of all passes
  Words stored = 0;              // that wait from F to GW, an image
  bool weights_in_dram = false;  // read there for each pixel by F and GI, and read and written by GW: no banks

  Words weights() const { return channels * filters * window; }
  // Through DRAM an image, of weights and of what is stored if that lies there.
  Words dram_words(bool stored_there) const {
    return (stored_there ? 2 * stored : 0) + (weights_in_dram ? (passes + 1) * weights() * outputs : 0);
  }
};

// Products of a pixel at once: a of the channels, b of the filters, one tap of the window or all.
struct Parallelism {
  std::int64_t a = 1, b = 1, taps = 1;
  std::int64_t lanes() const { return a * b * taps; }
};

// Cycles a pixel: ceil(C / g / a) * ceil(D / b) * k * k / taps.
Cycles interval(const Entity& entity, const Parallelism& parallelism);
// Cycles an image, of each pass; of an entity without passes its pixels.
Cycles cycles(const Entity& entity, const Parallelism& parallelism);

// What parts of an entity take of a device.
struct Costs {
  std::int64_t dsp_per_lane = 1;          // an FP32 multiply-accumulate
  std::int64_t registers_per_lane = 200;  // assumed
  std::int64_t copies = 2;          // of the weights: banks of as many lanes, for what reads and sums them at once
  Words m20k_words = 512;           // of 32 bits
  Words mlab_words = 32;            // a bank no deeper lies in MLABs ...
  std::int64_t mlabs_per_bank = 2;  // ... of 20 bits, so two for a word
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
// What is stored from F to GW is not in it.
Use use(const Entity& entity, const Parallelism& parallelism, const Costs& costs);

struct Choice {
  Parallelism parallelism;
  Use use;
};

// All that keep to `period` cycles an image, but for those that another one beats or equals in every resource. Empty
// where none does.
std::vector<Choice> choices(const Entity& entity, const Costs& costs, Cycles period);

// Every number of cycles an image that some parallelism gives, rising.
std::vector<Cycles> attainable(const Entity& entity);

}  // namespace weft::nada
