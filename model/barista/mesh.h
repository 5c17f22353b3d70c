#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/barista/plan.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"

namespace weft::barista {

// The Tr by Tc output-stationary mesh with the final adds (4.1.3; CONTRACT.md, "Mesh").
class Mesh {
 public:
  Mesh() = default;
  explicit Mesh(const Plan& plan);

  Activity step(Cycles now, const Plan& plan, Fifo& a, Fifo& b, Fifo& c);
  // Whether it was active when it was last stepped without touching a FIFO, and will be in the next cycle.
  bool steady() const { return steady_; }
  // The earliest cycle >= now at which it may do anything else than in now - 1, while its FIFOs do not change.
  Cycles quiet_until(Cycles now) const { return phase_ != Phase::Waiting && event_ >= now ? event_ : kNever; }

  // Cycles in which it was starved, for a tile of A and for one of B alone (BAR-5); no part of its state.
  void count_starved(Cycles cycles) { starved_[missing_] += cycles; }
  const std::array<Cycles, 2>& starved() const { return starved_; }

 private:
  enum class Phase : std::uint8_t { Waiting, Multiplying, Adding };

  void multiply(const Plan& plan, const Word* a, const Word* b);
  void add_up(const Plan& plan, Word* token);

  Phase phase_ = Phase::Waiting;
  Cycles event_ = -1;              // the last cycle of the phase, as far as nothing stalls it
  std::int64_t tiles_left_ = 0;    // of the output tile
  std::int64_t outputs_left_ = 0;  // output tiles, this one included
  bool steady_ = false;
  std::size_t missing_ = 0;
  std::array<Cycles, 2> starved_{};
  std::vector<float> partial_;  // data mode: [product mod S1][row][column]
};

}  // namespace weft::barista
