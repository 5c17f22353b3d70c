#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/core/frequency.h"
#include "platform/config/node.h"

namespace weft::config {

enum class Transfers : std::uint8_t {
  EveryCall,       // the operands of a convolution are sent before it
  KeepWeights,     // weights stay on the card until the last convolution of the iteration that reads them there
  KeepActivations  // all other tensors stay, too
};
enum class Overlap : std::uint8_t {
  None,          // no overlap, as in the thesis
  DoubleBuffer,  // operands of the next convolution are sent while the kernel runs, to channels that the kernel does
                 // not use
  SameBank       // also to channels that it uses: both are simulated together, on the systemc rung
};
enum class Calls : std::uint8_t { OpenCl, Xrt };
enum class HostBuffers : std::uint8_t { Aligned, Copied };
enum class Im2colPlace : std::uint8_t { Card, Cpu };
enum class LoadKind : std::uint8_t {
  Card,   // bitstream of the whole card: its memory is lost
  Region  // bitstream of one region: its memory is kept
};
enum class LoadTime : std::uint8_t {
  Needed,  // when the convolution that needs it is due
  Ahead    // as soon as the card is idle, while the host computes (the thesis, section 5.6.1)
};
enum class Order : std::uint8_t {
  Graph,       // order of the graph: forward, backward, update
  FewestLoads  // independent convolutions are reordered so that fewer bitstreams are loaded
};
enum class Updates : std::uint8_t { AtEnd, AsReady };
enum class UnknownOperators : std::uint8_t { Refuse, ByBytes };

const char* to_string(Transfers transfers);
const char* to_string(Calls calls);

// Kernels that run the convolutions: `schedule.kernels` of a run.
struct KernelsOfDse {
  // A result of `weft dse` (its directory or its result.json), or an exploration to make for the run (a name or a .yaml
  // file). Empty: the run's own kernel.
  std::string dse;
  bool own = false;                        // each convolution has its optimal kernel; else kernels are shared ...
  std::int64_t penalty_milli_percent = 0;  // ... within this penalty
  Place place, penalty_place;              // of the keys `dse` and `penalty_percent`

  bool given() const { return !dse.empty(); }
  bool is_result() const;
};

// Second memory channel that a port can reach.
struct OtherChannel {
  int channel = 0;
  Place place;
};

// Mapping of an iteration to host, link and card: `schedule` of a run.
struct Schedule {
  Transfers transfers = Transfers::EveryCall;
  Overlap overlap = Overlap::None;
  Calls calls = Calls::OpenCl;
  HostBuffers host_buffers = HostBuffers::Aligned;
  Im2colPlace im2col = Im2colPlace::Card;
  LoadKind load = LoadKind::Card;
  LoadTime load_time = LoadTime::Needed;
  Order order = Order::Graph;
  Updates updates = Updates::AtEnd;
  UnknownOperators unknown_operators = UnknownOperators::Refuse;
  std::string loss;  // output of the loss; empty: the only one
  // Port -> its second channel, for convolutions at odd places (overlap: double_buffer). Empty: the channels that no
  // port uses, in the order of the ports.
  std::map<std::string, OtherChannel> other_channels;
  KernelsOfDse kernels;
  std::vector<std::string> assumed;  // keys whose values are assumed, if the run reproduces a published one

  Place transfers_place, overlap_place, im2col_place, unknown_operators_place, loss_place,
      other_channels_place;  // of the keys
};

// Text of such kernels, `count` of them: "6 kernels of weft dse my.yaml (shared within 0%) at 100 MHz".
std::string kernels_text(const KernelsOfDse& kernels, std::int64_t count, const Rational& clock_mhz);

// `path`: key of the map ("schedule"). Throws InputError.
Schedule read_schedule(const Node& node, const std::string& path);
Node describe_schedule();  // a JSON Schema
Node write_schedule(const Schedule& schedule);

}  // namespace weft::config
