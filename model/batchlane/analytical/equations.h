#pragma once

#include <cstdint>

#include "model/batchlane/plan.h"
#include "model/core/units.h"

namespace weft::batchlane {

// What the slides leave open of a closed form, each with what it may be read as; the first is the default.
struct Readings {
  // The kernels of a strip are shared by the PEs evenly, or all wait for the one that has most.
  enum class Balance : std::uint8_t { Mean, Slowest };
  // Writes take time of the port that features come by, or none: the ping-pong banks hide them.
  enum class Writes : std::uint8_t { Serial, Hidden };
  // What of the last bank is written when nothing is left to compute counts, or not.
  enum class Tail : std::uint8_t { Exposed, Hidden };

  Balance balance = Balance::Mean;
  Writes writes = Writes::Serial;
  Tail tail = Tail::Exposed;
};

// Cycles from a transfer's request to its first beat, and from its last beat to its response.
struct Latencies {
  Cycles read = 32, write = 32;
};

struct EquationTerms {
  Cycles compute = 0;          // of the PEs
  Cycles reads = 0;            // of the port, channels and gradients
  Cycles writes = 0;           // of the port
  Cycles csb = 0;              // of the port of kernels
  Cycles fill = 0;             // before the first kernel
  Cycles tail = 0;             // behind the last
  Cycles cycles = 0;           // max(fill + compute + tail, reads + writes, csb)
  std::int64_t transfers = 0;  // on the port of features and results
  bool memory_bound = false;
};
EquationTerms equations(const Plan& plan, const Readings& readings, const Latencies& latencies);

// Blocks of 36 Kb of BRAM for the buffers of a pass, and of what.
struct BramUse {
  std::int64_t accumulators = 0, channels = 0, kernels = 0;
  std::int64_t uram = 0;  // blocks of 288 Kb, 4096 deep and 72 wide, where accumulators are there
  std::int64_t all() const { return accumulators + channels + kernels; }
};
BramUse bram36_of(const Plan& plan);

}  // namespace weft::batchlane
