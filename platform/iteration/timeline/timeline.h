#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/core/units.h"
#include "workloads/graph/graph.h"

// One training iteration in time: resource, start and end of each operator.
namespace weft::timeline {

enum class StepKind : std::uint8_t {
  Kernel,           // the card computes a convolution
  Precompute,       // the kernel derives values from its registers
  Reconfiguration,  // a bitstream is loaded
  ToCard,           // H2C: data is on the link
  ToHost,           // C2H
  Call,             // host software of a transfer or launch, with the copy of an unaligned buffer
  HostOperator,
  Im2col,      // on the host
  Tiling,      // on the host: matrices into tiles, for a host-prepared launch, or a tensor into another order
  Untiling,    // on the host: out of tiles, and col2im
  Quantise,    // on the host: operands of a fixed-point kernel
  Dequantise,  // on the host: sums of a fixed-point kernel
};
inline constexpr std::size_t kStepKinds = 12;
const char* to_string(StepKind activity);

enum class Resource : std::uint8_t { Host, ToCard, ToHost, Card };
inline constexpr std::size_t kResources = 4;
const char* to_string(Resource resource);
Resource resource_of(StepKind activity);

struct Step {
  StepKind activity = StepKind::HostOperator;
  workloads::OperatorId op = 0;  // operator of the graph that the step computes or serves
  std::string what;              // tensor of a transfer or reorder, kernel of a load; else empty
  Picoseconds start = 0, end = 0;
  Bytes bytes = 0;                   // moved over the link, or written by im2col or a reorder
  std::size_t kernel = 0;            // bitstream of a load, precompute or kernel
  std::optional<int> channel;        // of data on the link: source or target memory channel
  std::optional<std::size_t> after;  // the step whose end determined this start

  Picoseconds duration() const { return end - start; }
};

// Totals of an iteration.
struct Counts {
  Picoseconds end = 0;
  std::size_t kernels = 0;                // distinct bitstreams
  std::int64_t loads = 0;                 // in an iteration that follows an equal one
  std::int64_t loads_in_given_order = 0;  // in the graph's order
  std::int64_t fewest_loads = 0;          // lower bound over all orders
  std::int64_t launches = 0;
  std::int64_t calls = 0;       // of transfers and launches
  std::int64_t prefetches = 0;  // transfers to the card that began during the previous kernel
  std::int64_t sent_again = 0;  // transfers of tensors lost from the card by a load of the whole card
  Bytes sent_again_bytes = 0;
  Bytes to_card = 0, to_host = 0;
  std::vector<Bytes> channel_peak;  // largest use of each memory channel of the card
  Picoseconds data_path = 0;        // longest chain of dependent operators, without loads
};

struct Timeline : Counts {
  std::vector<Step> steps;  // by start; equal starts in order of issue
};

// Time of each activity during which a step of it is active and none of an earlier activity in the enumeration. The
// times and `idle` add up to the end of the timeline.
struct Breakdown {
  std::array<Picoseconds, kStepKinds> time{};
  Picoseconds idle = 0;
};
Breakdown breakdown(const Timeline& timeline);

// Busy time of each resource.
std::array<Picoseconds, kResources> busy(const Timeline& timeline);

// Indices of the steps that determine the end, in order; each starts when the previous one ends.
std::vector<std::size_t> critical_path(const Timeline& timeline);

}  // namespace weft::timeline
