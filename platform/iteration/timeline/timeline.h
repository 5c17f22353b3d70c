#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/core/units.h"
#include "workloads/graph/graph.h"

// One training iteration in time: which operator is where, from when to when.
namespace weft::timeline {

enum class StepKind : std::uint8_t {
  Kernel,           // the card computes a convolution
  Precompute,       // the kernel derives what it needs from its registers
  Reconfiguration,  // a bitstream is loaded
  ToCard,           // H2C: data is on the link
  ToHost,           // C2H
  Call,             // software of the host around a transfer or a launch, with the copy of a buffer that is not aligned
  HostOperator,
  Im2col,      // on the host
  Tiling,      // likewise: matrices into tiles, for a launch that is served
  Untiling,    // likewise: out of them, and col2im
  Quantise,    // on the host: what a kernel of fixed point reads
  Dequantise,  // likewise: the sums that it wrote
};
inline constexpr std::size_t kStepKinds = 12;
const char* to_string(StepKind activity);

enum class Resource : std::uint8_t { Host, ToCard, ToHost, Card };
inline constexpr std::size_t kResources = 4;
const char* to_string(Resource resource);
Resource resource_of(StepKind activity);

struct Step {
  StepKind activity = StepKind::HostOperator;
  workloads::OperatorId op = 0;  // of the graph: the operator that it is, or that it serves
  std::string what;              // tensor of a transfer, kernel of a load; else empty
  Picoseconds start = 0, end = 0;
  Bytes bytes = 0;                   // moved over the link, or written by im2col
  std::size_t kernel = 0;            // of a load, precompute or kernel: the bitstream
  std::optional<int> channel;        // of data on the link: the memory channel that it goes to or comes from
  std::optional<std::size_t> after;  // the step whose end was the last that this one waited for

  Picoseconds duration() const { return end - start; }
};

// Figures of an iteration as a whole.
struct Counts {
  Picoseconds end = 0;
  std::size_t kernels = 0;                // distinct bitstreams
  std::int64_t loads = 0;                 // in an iteration that follows an equal one
  std::int64_t loads_in_given_order = 0;  // of the order of the graph
  std::int64_t fewest_loads = 0;          // no order has fewer: a lower bound
  std::int64_t launches = 0;
  std::int64_t calls = 0;       // transfers and launches
  std::int64_t prefetches = 0;  // transfers to the card that began while the kernel before was running
  std::int64_t sent_again = 0;  // transfers of what was on the card and was lost by a load of the whole card
  Bytes sent_again_bytes = 0;
  Bytes to_card = 0, to_host = 0;
  std::vector<Bytes> channel_peak;  // of each memory channel of the card, what lies there at most
  Picoseconds data_path = 0;        // the longest chain of operators that depend on each other, loads left out
};

struct Timeline : Counts {
  std::vector<Step> steps;  // by start; of equal starts in the order in which they were issued
};

// How long at least one step of each activity is under way and none of those before it in the enumeration is: these and
// `idle` add up to the end of the timeline.
struct Breakdown {
  std::array<Picoseconds, kStepKinds> time{};
  Picoseconds idle = 0;
};
Breakdown breakdown(const Timeline& timeline);

// How long each resource is busy.
std::array<Picoseconds, kResources> busy(const Timeline& timeline);

// The steps of which each began when the one before it ended, up to the last end: indices, first to last.
std::vector<std::size_t> critical_path(const Timeline& timeline);

}  // namespace weft::timeline
