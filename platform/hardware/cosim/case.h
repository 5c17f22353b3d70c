#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/core/activity.h"
#include "model/core/topology.h"
#include "model/memory/config.h"
#include "model/memory/store.h"
#include "model/stream/observer.h"
#include "platform/hardware/cosim/rtl_kernel.h"
#include "platform/record/record.h"

namespace weft::cosim {

// Cycles in which the AXI side accepts no address and no write beat: [from, from + cycles).
struct Stall {
  Cycles from = 0, cycles = 0;
};

inline constexpr Cycles kLongStall = (Cycles{1} << 20) + 100;  // makes a convolution longer than 2^20 cycles

// Environment of the kernel: memory, and behaviour of the AXI side.
struct AxiEnvironment {
  memory::MemoryConfig memory;
  std::vector<int> channels;  // memory channel of each port
  int refuse_percent = 0;     // probability that an address or a write beat is not accepted in a cycle
  std::uint64_t seed = 1;     // of the refusals
  Stall stall{};
};
// Returns an environment of three ports, each with its own channel, without refusals.
AxiEnvironment three_channels(memory::MemoryKind kind, Bytes beat_bytes);

// Counts of the model: `cycles`; `done_cycles` from their end to the first in which done can be read; states of each
// block.
struct ModelCounts {
  Cycles cycles = 0;
  Cycles done_cycles = 0;
  std::vector<Activities> activities;
};

// Loop indices by their names, outermost loop first.
using Place = record::Named<std::int64_t>;
struct Trip {
  const char* name;
  std::int64_t count;
};
// Splits a number into loop indices. `trips`: innermost loop first.
Place place_of(std::int64_t number, const std::vector<Trip>& trips);

// A block in the RTL: its instance in the kernel's top, and the file of its module.
struct RtlInstance {
  std::string instance, file;
};

// One convolution to run on the model and on the RTL, supplied by a design.
class Case {
 public:
  virtual ~Case() = default;

  virtual const Topology& topology() const = 0;
  virtual int band() const = 0;  // words in a beat
  virtual RtlStart start() const = 0;
  virtual Words result_words() const = 0;       // words that it writes
  virtual bool floats() const { return true; }  // true: its words are FP32; false: integers
  // Place of a token, counted from 0 in each FIFO, in the loops of the contract; of one of its lanes, if given.
  virtual Place place(std::size_t fifo, std::int64_t token, std::optional<std::size_t> lane) const = 0;
  virtual RtlInstance instance_of(std::size_t block) const = 0;
  // Runs the model from cycle 0 on `stores`, the memory's channels. Throws Deadlock if it can make no progress.
  virtual ModelCounts run_model(const AxiEnvironment& environment, std::vector<memory::Store>& stores,
                                stream::Observer& observer) const = 0;
};

}  // namespace weft::cosim
