#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/barista/plan.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/core/units.h"
#include "model/stream/regroup.h"

namespace weft::barista {

// Regroups rows of Tc words to beats of the dense run of C (BAR-8).
class Encode {
 public:
  Encode() = default;
  explicit Encode(const Plan& plan) : buffer_(plan.alpha.band - 1 + plan.alpha.tc, plan.with_data), beats_(plan.c) {}

  Activity step(Cycles now, const Plan& plan, Fifo& in, Fifo& out) {
    if (beats_.done(plan.c)) return Activity::Idle;
    bool took = false, gave = false;
    const Activity activity =
        buffer_.step(now, beats_.lanes(), plan.alpha.tc, 0, beats_.first_lane(), in, out, took, gave);
    if (gave) beats_.advance(plan.c);
    return activity;
  }

 private:
  stream::RegroupBuffer buffer_;
  stream::WriteBeats beats_;
};

// Writes the beats of tiles into a double buffer (BAR-2): a tile is pushed with its last beat.
class TileFill {
 public:
  TileFill() = default;
  // `words` per tile, `band` words per beat, `tiles` in total.
  TileFill(Words words, int band, std::int64_t tiles, bool with_data)
      : beats_(ceil_div(words, Words{band})), beats_left_(beats_), tiles_left_(tiles) {
    if (with_data) words_.reserve(static_cast<std::size_t>(beats_ * band));
  }

  Activity step(Cycles now, Fifo& beat, Fifo& tile);

 private:
  std::int64_t beats_ = 1;
  std::int64_t beats_left_ = 0;  // of the current tile
  std::int64_t tiles_left_ = 0;
  std::vector<Word> words_;  // data mode: the buffer half being filled
};

// Outputs the tiles of C row by row (BAR-7).
class Drain {
 public:
  Drain() = default;
  explicit Drain(const Plan& plan) : tiles_left_(plan.tiles.outputs()) {}

  Activity step(Cycles now, const Plan& plan, Fifo& tile, Fifo& row);

 private:
  std::int64_t tiles_left_ = 0;
  int row_ = 0;
};

// The Tr by Tc output-stationary mesh with the final adds (4.1.3; CONTRACT.md, "Mesh").
class Mesh {
 public:
  Mesh() = default;
  explicit Mesh(const Plan& plan);

  Activity step(Cycles now, const Plan& plan, Fifo& a, Fifo& b, Fifo& c);
  // True if the last step was active without touching a FIFO and the next one will be too.
  bool steady() const { return steady_; }
  // The earliest cycle >= now in which the mesh may act differently than in now - 1, while its FIFOs do not change.
  Cycles quiet_until(Cycles now) const { return phase_ != Phase::Waiting && event_ >= now ? event_ : kNever; }

  // Starved cycles, by waiting for a tile of A and for a tile of B alone (BAR-5). Not part of the simulated state.
  void count_starved(Cycles cycles) { starved_[missing_] += cycles; }
  const std::array<Cycles, 2>& starved() const { return starved_; }
  std::int64_t overflows() const { return overflows_; }  // BAR-10

 private:
  enum class Phase : std::uint8_t { Waiting, Multiplying, Adding };

  void multiply(const Plan& plan, const Word* a, const Word* b);
  void add_up(const Plan& plan, Word* token);
  void multiply_fixed(const Plan& plan, const Word* a, const Word* b);
  void add_up_fixed(Word* token);

  Phase phase_ = Phase::Waiting;
  Cycles event_ = -1;              // last cycle of the phase if nothing stalls it
  std::int64_t tiles_left_ = 0;    // tiles left of the output tile
  std::int64_t outputs_left_ = 0;  // output tiles left, including this one
  bool steady_ = false;
  std::size_t missing_ = 0;
  std::array<Cycles, 2> starved_{};
  std::vector<float> partial_;      // data mode, FP32: [product mod S1][row][column]
  std::vector<std::int64_t> sums_;  // data mode, fixed point: exact, [row][column]
  std::int64_t overflows_ = 0;
};

}  // namespace weft::barista
