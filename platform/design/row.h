#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/conv/convolution.h"
#include "model/conv/layer.h"
#include "model/core/activity.h"
#include "model/core/resources.h"
#include "model/core/value.h"
#include "model/engine/account.h"
#include "model/memory/memory.h"

namespace weft::design {

// Values by name, in the order in which they are listed.
using NamedValues = std::vector<std::pair<std::string, Value>>;

// What data mode adds: a digest of OUT's bits and how far OUT is from the same sums in double precision.
struct DataCheck {
  std::uint64_t digest = 0;
  double largest_error = 0;  // largest |OUT - reference| over the sum of |products|: rounding alone stays below 2^-20
};

// What a design's closed-form equations say of a row.
struct Equations {
  Cycles cycles = 0;
  std::string limiter;
  std::vector<Cycles> work;        // of each block of the topology, in its order
  NamedValues terms;               // all of them
  NamedValues summary;             // the few that stand beside the figures of a row
  std::optional<Cycles> unshared;  // cycles with sizes of its own, where sizes are shared
};

// One row of a result: one training convolution of one layer, its units of work (groups, images, ...) summed.
struct Row {
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  bool fully_connected = false;
  std::int64_t macs = 0;  // useful multiply-accumulates

  // The kernel that runs it: its parameters by name, and all that tells two bitstreams apart.
  NamedValues kernel;
  std::vector<std::int64_t> bitstream;
  ResourceReport resources;
  Equations equations;
  Bytes pcie_to_card = 0, pcie_to_host = 0;
  std::int64_t launches = 0;

  Cycles cycles = 0;  // simulated, or on the analytical rung those of the equations
  std::string limiter;
  std::vector<Activities> blocks;        // in the order of the design's topology; all zero on the analytical rung
  std::vector<memory::PortStats> ports;  // likewise
  Cycles drain_cycles = 0;               // of its units, behind the cycles of each
  std::vector<Cycles> unit_cycles;       // of each of its units, with its drain; empty on the analytical rung
  Cycles skipped_cycles = 0;
  engine::ExactAccount account;  // exact rung
  bool repeats = false;          // simulated, timing: all of it equals units of rows before it, and is theirs
  std::optional<DataCheck> data;

  // (equations - simulated) / simulated
  double analytical_error() const {
    return static_cast<double>(equations.cycles - cycles) / static_cast<double>(cycles);
  }
};

}  // namespace weft::design
