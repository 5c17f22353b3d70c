#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/activity.h"
#include "model/core/fnv1a.h"
#include "model/core/resources.h"
#include "model/core/text.h"
#include "model/engine/account.h"
#include "model/memory/memory.h"

namespace weft::design {

// Values by name, in the order in which they are listed.
using NamedValues = std::vector<std::pair<std::string, Value>>;

// What data mode adds: a digest of OUT's bits and how far OUT is from the same sums in double precision, or, in fixed
// point, from the exact sums cut to 32 bits.
struct DataCheck {
  std::uint64_t digest = 0;
  double largest_error = 0;  // largest |OUT - reference| over the sum of |products|: rounding alone stays below 2^-20
  // Fixed point: how often a sum left 32 bits (what counts, the design's contract says). 0: all of OUT is exact.
  std::optional<std::int64_t> overflows = {};
};

// The check of so many outputs: `bits(i)` of each, and of some `samples` of them `error(i)`, 0 where it is none.
template <class Bits, class Error>
DataCheck check_outputs(std::int64_t outputs, std::int64_t samples, Bits bits, Error error) {
  DataCheck check;
  Fnv1a64 digest;
  const std::int64_t step = std::max<std::int64_t>(1, outputs / samples);
  for (std::int64_t i = 0; i < outputs; ++i) {
    digest.add(bits(i));
    if (i % step == 0) check.largest_error = std::max(check.largest_error, error(i));
  }
  check.digest = digest.value();
  return check;
}

// What a design's closed-form equations say of a row.
struct Equations {
  Cycles cycles = 0;
  std::string limiter;
  std::vector<Cycles> work;        // of each block of the topology, in its order
  NamedValues terms;               // all of them
  NamedValues summary;             // the few that stand beside the figures of a row
  std::optional<Cycles> unshared;  // cycles with sizes of its own, where sizes are shared
};

// What starting a unit and seeing its end take of the host and the kernel beside the unit's own cycles. From the cycle
// that takes the start to the first in which done can be read: to_start + cycles + drain_cycles + to_done.
struct Launch {
  std::int64_t register_writes = 0;  // of 32 bits, by the host; the last is the start
  Cycles to_start = 0;               // kernel cycles from the one that takes the start to the unit's cycle 0
  Cycles to_done = 0;                // kernel cycles from the end of the drain to the first in which done can be read
};

// A unit of a row, with its own cycles and those that its drain takes.
struct LaunchedUnit {
  Launch launch;
  Cycles cycles = 0;
};

// A tensor of card memory that a unit reads or writes.
struct UnitTensor {
  std::string name;      // as the design calls it: "INP"
  bool written = false;  // by the unit; else read
  Bytes bytes = 0;       // of this unit; those of a row's units add up to the whole tensor of the layer
  int channel = 0;       // the memory channel that holds it
  bool raw = false;      // written, but not as a later unit reads it: the host makes the layer's tensor of it
};

// What the host does around each launch of a row, where the kernel reads and writes not the layer's tensors but what
// the host makes of them for this launch (matrices, tiles). The same for every launch of the row.
struct HostServed {
  struct Migration {
    std::string name;
    Bytes bytes = 0;
    int channel = 0;
  };
  Bytes im2col_bytes = 0;                   // written first
  std::int64_t tiled = 0;                   // words put into tiles, before they go to the card
  std::vector<Migration> to_card, to_host;  // a call each, in this order, before and behind the kernel
  std::int64_t untiled = 0;                 // words taken out of tiles ...
  std::int64_t col2im = 0;                  // ... and words that are added up to a map
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
  // In the order of the topology's PE classes, nothing where the rung does not know; empty: none is known, as of
  // results of older versions.
  std::vector<std::optional<std::int64_t>> pe_cycles;
  Cycles drain_cycles = 0;          // of its units, behind the cycles of each
  std::vector<LaunchedUnit> units;  // its launches, in their order
  std::vector<UnitTensor>
      tensors;  // of all units together: what they read, in the order of a layer's inputs, and write
  std::optional<HostServed> served;  // then its tensors say what its launches take together, but lie there for none
  Cycles skipped_cycles = 0;
  engine::ExactAccount account;  // exact rung
  bool repeats = false;          // simulated, timing: all of it equals units of rows before it, and is theirs
  std::optional<DataCheck> data;

  // (equations - simulated) / simulated
  double analytical_error() const {
    return static_cast<double>(equations.cycles - cycles) / static_cast<double>(cycles);
  }
};

// Which bitstream each row needs, numbered from 0 in the order in which rows first need them. Two rows of one number
// run on the same kernel, without a reconfiguration between them.
inline std::vector<std::size_t> bitstreams_of(const std::vector<const Row*>& rows) {
  std::map<std::vector<std::int64_t>, std::size_t> known;
  std::vector<std::size_t> numbers;
  numbers.reserve(rows.size());
  for (const Row* row : rows) numbers.push_back(known.try_emplace(row->bitstream, known.size()).first->second);
  return numbers;
}
inline std::vector<std::size_t> bitstreams_of(const std::vector<Row>& rows) {
  std::vector<const Row*> pointers;
  pointers.reserve(rows.size());
  for (const Row& row : rows) pointers.push_back(&row);
  return bitstreams_of(pointers);
}

// The kernel of a row by its parameters: "x 16, y 16, z 5, ...".
inline std::string kernel_text(const Row& row) {
  std::string text;
  for (const auto& [name, value] : row.kernel) text += (text.empty() ? "" : ", ") + name + " " + to_text(value);
  return text;
}

}  // namespace weft::design
