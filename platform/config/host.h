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

// What a call of an operator of a class costs: `fixed_ps`, and the longer of its arithmetic at a share of the peak and
// of its bytes at a share of the memory's bandwidth. Shares in millionths, 1 to kPpm.
struct OperatorCost {
  std::int64_t compute_ppm = kPpm;
  std::int64_t memory_ppm = kPpm;
  Picoseconds fixed_ps = 0;
};

// What software adds when it drives the card by one library; the link's own time is not part of it.
struct CallCosts {
  Picoseconds to_card_ps = 0;  // a transfer H2C: from the call to the engine being started, and back from its end
  Picoseconds to_host_ps = 0;  // a transfer C2H
  Picoseconds launch_ps = 0;   // a kernel: from the call to the start, and from its end to the call's return
  Picoseconds launch_pipelined_ps = 0;  // the same where the next launch is queued while this kernel runs
  Picoseconds register_write_ps = 0;    // of 32 bits, posted over PCIe to the kernel's AXI4-Lite port
  Picoseconds register_read_ps = 0;     // a read there and back
};

// What a word of a matrix costs that the host makes for the kernel (HostServed, platform/design/row.h).
struct MatrixCosts {
  Picoseconds tile_ps = 0;    // put into a tile, or a zero that pads it
  Picoseconds untile_ps = 0;  // taken out of a tile
  Picoseconds col2im_ps = 0;  // added to the map that it belongs to
};

// What a word costs that the host makes for a kernel of fixed point (platform/quantiser), all threads together, and
// how.
struct Quantiser {
  Picoseconds quantise_ps = 0;    // its tensor looked through for the scale, and rounded
  Picoseconds dequantise_ps = 0;  // a sum of OUT made FP32
  int headroom = 0;               // bits of INP and KERN that are left to sums: lowers each scale
};

// A load of a bitstream. Sources differ widely, so there are bounds beside the value in use.
struct LoadCost {
  Picoseconds typical_ps = 0;
  Picoseconds low_ps = 0, high_ps = 0;  // low <= typical <= high
};

// An operator's time as it was measured on the host (weft host-profile).
struct MeasuredOperator {
  std::string network;  // Graph::name
  std::string op;       // workloads::label()
  workloads::Direction direction = workloads::Direction::Forward;
  int occurrence = 0;  // 0 for the first operator of this label and direction in the graph, 1 for the second, ...
  int batch = 1;
  int threads = 1;
  std::int64_t ns = 0;
  std::string kernel;       // what computed it: "oneDNN jit:avx2", "plain loop"
  bool plain_loop = false;  // of weft, not of a library: an upper bound
};

// What somebody published of training a network with this host, in thousandths of 10^9 operations a second: of the
// convolutions alone, of the whole iteration (with the layers on the host, average <= convolutions), and of the
// convolutions where the host makes their im2col (cpu_im2col < convolutions).
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

// A machine that a card is in: what the operators on it, the calls and the reconfigurations take. Every figure is an
// integer, so that prices are exact.
struct Host {
  std::string name;
  std::string title;
  std::string cpu;                                       // as the machine calls it: "model name" of /proc/cpuinfo
  int threads = 1;                                       // that an operator uses
  std::int64_t peak_flops_per_s = 1;                     // FP32, of all threads; a fused multiply-add is two
  std::int64_t memory_bytes_per_s = 1;                   // reads and writes together
  std::array<OperatorCost, kOperatorClasses> operators;  // by OperatorClass; View is not used
  CallCosts opencl, xrt;
  // The copy through an aligned buffer that the runtime makes of host buffers that do not begin at a page.
  std::int64_t copy_to_card_bytes_per_s = 0, copy_to_host_bytes_per_s = 0;
  std::int64_t im2col_bytes_per_s = 0;  // of the im2col matrix written, on the CPU
  std::optional<MatrixCosts> matrices;
  std::optional<Quantiser> quantiser;
  LoadCost load_card, load_region;  // a bitstream of the whole card, of one region
  std::vector<MeasuredOperator> measured;
  std::optional<Published> published;  // printed beside the prices, and used for none
  std::vector<std::string> assumed;    // dotted keys whose figures are assumptions, not read from a source

  const OperatorCost& cost(workloads::OperatorClass kind) const { return operators[static_cast<std::size_t>(kind)]; }
};

// The key of a class in `operators`: "fully_connected".
std::string class_key(workloads::OperatorClass kind);

// `key` is the node's place in the run: "host", or "" for a file of its own. Throws InputError.
Host read_host(const Node& node, const std::string& key);
Node write_host(const Host& host);

}  // namespace weft::config

// What driving the card takes of the host, by the library that does it.
namespace weft::host {

const config::CallCosts& costs(const config::Host& host, config::Calls calls);

// Of a transfer, for link::Link::time().
link::CallCost call_cost(const config::Host& host, config::Calls calls, link::Direction direction);

// A launch: the library's share and each register write, which is posted: the host does not wait for it to arrive.
// `queued`: the next launch is handed over while the kernel runs, so that only what is left between two is counted.
Picoseconds launch_time(const config::Host& host, config::Calls calls, std::int64_t register_writes,
                        bool queued = false);

// Of words of matrices that are put into tiles, on a host that has a price for it; of those that are taken out of them
// and added up by col2im.
Picoseconds tile_time(const config::Host& host, std::int64_t words);
Picoseconds untile_time(const config::Host& host, std::int64_t words, std::int64_t col2im);
// Of words that are quantised, and of sums that are made FP32, on a host that has a price for it.
Picoseconds quantise_time(const config::Host& host, std::int64_t words);
Picoseconds dequantise_time(const config::Host& host, std::int64_t words);
// Writing the im2col matrix on the CPU, rounded up.
Picoseconds im2col_time(const config::Host& host, Bytes written);

}  // namespace weft::host
