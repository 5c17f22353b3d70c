#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/core/units.h"
#include "model/link/link.h"
#include "platform/config/reader.h"
#include "platform/config/schedule.h"
#include "workloads/graph/graph.h"

namespace weft::config {

inline constexpr std::size_t kOperatorClasses = static_cast<std::size_t>(workloads::OperatorClass::Unknown) + 1;
inline constexpr std::int64_t kPpm = 1'000'000;

// Cost of a call of an operator of a class: `fixed_ps`, plus the longer of its arithmetic at a share of the peak and
// its bytes at a share of the memory's bandwidth. Shares in millionths, 1 to kPpm.
struct OperatorCost {
  std::int64_t compute_ppm = kPpm;
  std::int64_t memory_ppm = kPpm;
  Picoseconds fixed_ps = 0;
};

// Software time of one library that drives the card; without the time of the link.
struct CallCosts {
  Picoseconds to_card_ps = 0;  // transfer H2C: from the call to the engine's start, and from its end to the return
  Picoseconds to_host_ps = 0;  // transfer C2H
  Picoseconds launch_ps = 0;   // launch: from the call to the kernel's start, and from its end to the return
  Picoseconds launch_pipelined_ps = 0;  // launch, if the next one is queued while the kernel runs
  Picoseconds register_write_ps = 0;    // write of 32 bits, posted over PCIe to the kernel's AXI4-Lite port
  Picoseconds register_read_ps = 0;     // round trip of a read
};

// Cost per word of a matrix that the host makes for the kernel (HostPrepared, platform/design/row.h).
struct MatrixCosts {
  Picoseconds tile_ps = 0;    // write into a tile, zeros of its padding included
  Picoseconds untile_ps = 0;  // read out of a tile
  Picoseconds col2im_ps = 0;  // add to its feature map
};

// Cost per word of quantisation for a fixed-point kernel (platform/iteration/quantiser), all threads together, and its
// headroom.
struct Quantiser {
  Picoseconds quantise_ps = 0;    // scan of the tensor for the scale, and rounding
  Picoseconds dequantise_ps = 0;  // conversion of a sum of OUT to FP32
  int headroom = 0;               // bits of INP and KERN reserved for sums: lowers each scale
};

// Time to load a bitstream. Sources differ widely, so it has bounds in addition to the value in use.
struct LoadCost {
  Picoseconds typical_ps = 0;
  Picoseconds low_ps = 0, high_ps = 0;  // low <= typical <= high
};

// Time of an operator, measured on the host (weft host-profile).
struct MeasuredOperator {
  std::string network;  // Graph::name
  std::string op;       // workloads::label()
  workloads::Direction direction = workloads::Direction::Forward;
  int occurrence = 0;  // 0 for the first operator of this label and direction in the graph, 1 for the second, ...
  int batch = 1;
  int threads = 1;
  std::int64_t ns = 0;
  std::string kernel;       // implementation: "oneDNN jit:avx2", "plain loop"
  bool plain_loop = false;  // a loop of weft, not of a library: an upper bound
};

// Published rate of training a network with this host, in thousandths of 10^9 operations a second: of the convolutions
// alone, of the whole iteration (with the layers on the host, average <= convolutions), and of the convolutions if the
// host makes their im2col (cpu_im2col < convolutions).
struct PublishedRate {
  std::string network;
  std::int64_t convolutions = 1, average = 1, cpu_im2col = 1;
  bool gi_first = false;  // with GI of the layers that read the network's input
  Place place;            // of `network`
};

struct Published {
  std::string source;
  int batch = 1;
  std::vector<PublishedRate> rates;
};

// A machine that holds a card: costs of its operators, of calls and of reconfigurations. Every value is an integer, so
// that costs are exact.
struct Host {
  std::string name;
  std::string title;
  std::string cpu;                                       // "model name" of /proc/cpuinfo
  int threads = 1;                                       // threads of an operator
  std::int64_t peak_flops_per_s = 1;                     // FP32, all threads; a fused multiply-add counts as two
  std::int64_t memory_bytes_per_s = 1;                   // reads and writes together
  std::array<OperatorCost, kOperatorClasses> operators;  // by OperatorClass; View is not used
  CallCosts opencl, xrt;
  // Copy through an aligned buffer, which the runtime makes of host buffers that do not begin at a page.
  std::int64_t copy_to_card_bytes_per_s = 0, copy_to_host_bytes_per_s = 0;
  std::int64_t im2col_bytes_per_s = 0;  // bytes of the im2col matrix, written by the CPU
  std::optional<MatrixCosts> matrices;
  std::optional<Quantiser> quantiser;
  LoadCost load_card, load_region;  // bitstream of the whole card, of one region
  std::vector<MeasuredOperator> measured;
  std::optional<Published> published;  // printed next to the costs, not used in them
  std::vector<std::string> assumed;    // dotted keys whose values are assumed, not read from a source

  const OperatorCost& cost(workloads::OperatorClass kind) const { return operators[static_cast<std::size_t>(kind)]; }
};

// Returns the key of a class in `operators`: "fully_connected".
std::string class_key(workloads::OperatorClass kind);

// `key`: dotted key of the node in the run ("host"), or "" in a file of its own. Throws InputError.
Host read_host(const Node& node, const std::string& key);
Node describe_host();  // a JSON Schema
Node write_host(const Host& host);

}  // namespace weft::config

// Host time for driving the card, by library.
namespace weft::host {

const config::CallCosts& costs(const config::Host& host, config::Calls calls);

// Returns the cost of a transfer, for link::Link::time().
link::CallCost call_cost(const config::Host& host, config::Calls calls, link::Direction direction);

// Returns the time of a launch: the library's share and the register writes. They are posted: the host does not wait
// for their arrival. `queued`: the next launch is handed over while the kernel runs; only the time between both counts.
Picoseconds launch_time(const config::Host& host, config::Calls calls, std::int64_t register_writes,
                        bool queued = false);

// Returns the time to write words of matrices into tiles, and to read words out of tiles and add `col2im` of them to
// feature maps. The host must have `matrices`.
Picoseconds tile_time(const config::Host& host, std::int64_t words);
Picoseconds untile_time(const config::Host& host, std::int64_t words, std::int64_t col2im);
// Returns the time to quantise words, and to convert sums to FP32. The host must have `quantiser`.
Picoseconds quantise_time(const config::Host& host, std::int64_t words);
Picoseconds dequantise_time(const config::Host& host, std::int64_t words);
// Returns the time to write the im2col matrix on the CPU, rounded up.
Picoseconds im2col_time(const config::Host& host, Bytes written);

}  // namespace weft::host
