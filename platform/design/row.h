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

// Data-mode check: digest of OUT's bits, and distance of OUT from the same sums in double precision or, in fixed point,
// from the exact sums cut to 32 bits.
struct DataCheck {
  std::uint64_t digest = 0;
  double largest_error = 0;  // largest |OUT - reference| / sum of |products|: rounding alone stays below 2^-20
  // Fixed point: number of sums that exceeded 32 bits (counted as the design's contract says). 0: all of OUT is exact.
  std::optional<std::int64_t> overflows = {};
};

// Checks `outputs` outputs: digests `bits(i)` of each, and takes `error(i)` (0: none) of about `samples` of them.
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

// Results of a design's closed-form equations for a row.
struct Equations {
  Cycles cycles = 0;
  std::string limiter;
  std::vector<Cycles> work;        // of each block of the topology, in its order
  NamedValues terms;               // all of them
  NamedValues summary;             // the few terms that tables of rows print
  std::optional<Cycles> unshared;  // where sizes are shared: cycles with sizes of the row's own
};

// Overhead of a launch on host and kernel in addition to the unit's own cycles. From the cycle that takes the start to
// the first in which done can be read: to_start + cycles + drain_cycles + to_done.
struct Launch {
  std::int64_t register_writes = 0;  // of 32 bits, by the host; the last is the start
  Cycles to_start = 0;               // kernel cycles from the one that takes the start to the unit's cycle 0
  Cycles to_done = 0;                // kernel cycles from the end of the drain to the first in which done can be read
};

// A unit of a row, with its own cycles and those of its drain.
struct LaunchedUnit {
  Launch launch;
  Cycles cycles = 0;
};

// A tensor of card memory that a unit reads or writes.
struct UnitTensor {
  std::string name;      // name in the design: "INP"
  bool written = false;  // by the unit; else read
  Bytes bytes = 0;       // of this unit; the sum over a row's units is the whole tensor of the layer
  int channel = 0;       // the memory channel that holds it
  bool raw = false;  // written in another layout than a later unit reads; the host converts it into the layer's tensor
  bool reordered = false;  // read in another order than that of the layer's tensor; the host writes it for this row
};

// Host work around each launch of a row if the kernel reads and writes matrices or tiles made by the host instead of
// the layer's tensors. Equal for all launches of the row.
struct HostPrepared {
  struct Migration {
    std::string name;
    Bytes bytes = 0;
    int channel = 0;
  };
  Bytes im2col_bytes = 0;                   // written before the tiles
  std::int64_t tiled = 0;                   // words put into tiles before they go to the card
  std::vector<Migration> to_card, to_host;  // one call each, in this order, before and after the kernel
  std::int64_t untiled = 0;                 // words taken out of tiles
  std::int64_t col2im = 0;                  // words accumulated into a map
};

// One row of a result: one training convolution of one layer, its units of work (groups, images, ...) summed.
struct Row {
  // Defined in one place: the copies of a row cost much to compile.
  Row();
  Row(const Row& other);
  Row(Row&& other) noexcept;
  Row& operator=(const Row& other);
  Row& operator=(Row&& other) noexcept;
  ~Row();

  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  bool fully_connected = false;
  std::int64_t macs = 0;  // useful multiply-accumulates

  // The kernel that runs the row: its parameters by name, and all values that distinguish two bitstreams.
  NamedValues kernel;
  std::vector<std::int64_t> bitstream;
  std::int64_t peak_macs = 1;  // multiply-accumulates that the kernel can do in a cycle
  ResourceReport resources;
  Equations equations;
  Bytes pcie_to_card = 0, pcie_to_host = 0;
  std::int64_t launches = 0;
  std::optional<std::int64_t> parts;  // launches of each group, if several carry out its convolution

  Cycles cycles = 0;  // simulated; on the analytical rung: of the equations
  std::string limiter;
  std::vector<Activities> blocks;        // in the order of the design's topology; all zero on the analytical rung
  std::vector<memory::PortStats> ports;  // in the order of the design's topology
  // In the order of the topology's PE classes, nothing for a class that the rung does not know. Empty: none is known,
  // as in results of older versions.
  std::vector<std::optional<std::int64_t>> pe_cycles;
  Cycles drain_cycles = 0;          // sum over its units, after the cycles of each
  std::vector<LaunchedUnit> units;  // its launches, in their order
  std::vector<UnitTensor> tensors;  // of all units together: inputs in the order of a layer's inputs, then outputs
  std::optional<HostPrepared> host_prepared;  // if set, `tensors` are sums over all launches, not tensors in memory
  Cycles skipped_cycles = 0;
  engine::ExactAccount account;  // exact rung
  bool repeats = false;          // simulated, timing mode: copied from equal units of earlier rows
  double processor_seconds = 0;  // spent on its units, without those copied from earlier rows; not saved
  std::optional<DataCheck> data;

  // (equations - simulated) / simulated
  double analytical_error() const {
    return static_cast<double>(equations.cycles - cycles) / static_cast<double>(cycles);
  }
};

// Returns the bitstream of each row, numbered from 0 in the order of first use. Rows of equal number run on the same
// kernel, without a reconfiguration between them.
std::vector<std::size_t> bitstreams_of(const std::vector<const Row*>& rows);
std::vector<std::size_t> bitstreams_of(const std::vector<Row>& rows);

// The kernel parameters of a row: "x 16, y 16, z 5, ...".
std::string kernel_text(const Row& row);

}  // namespace weft::design
