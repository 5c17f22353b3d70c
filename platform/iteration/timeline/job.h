#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/core/number_format.h"
#include "model/core/units.h"
#include "model/link/link.h"
#include "platform/design/row.h"
#include "workloads/graph/graph.h"

namespace weft::timeline {

// A tensor of the graph in the card's memory, as a convolution uses it.
struct CardTensor {
  workloads::TensorId tensor = 0;
  std::string port;
  Bytes bytes = 0;
  int channel = 0;
  bool whole = true;  // false: host-made form of the tensor for this convolution only (im2col, reordered), or raw sums
  bool reordered = false;  // the host writes it in another order (design::UnitTensor)
};

// One start of the kernel; times from the register write that starts it.
struct Launch {
  Picoseconds precompute = 0;
  Picoseconds done = 0;
};

// A convolution of the graph as the card runs it.
struct Job {
  workloads::OperatorId op = 0;
  std::size_t kernel = 0;         // index of its bitstream
  std::size_t part = 0, row = 0;  // source of its cycles
  NumberFormat format;            // of the operands that the kernel reads
  std::vector<CardTensor> inputs, outputs;
  std::vector<Launch> launches;                       // one per group and part
  std::int64_t register_writes = 0;                   // per launch
  Bytes im2col_bytes = 0;                             // written by the host before the first launch
  std::optional<design::HostPrepared> host_prepared;  // work around each launch; if set, inputs and outputs are empty
};

// Time of a transfer as one call: software, then the link; `whole` is the sum, rounded once.
struct CallTime {
  Picoseconds software = 0;
  Picoseconds whole = 0;
};

// A transfer concurrent with a kernel, on given channels. Times from the register write that starts the kernel.
struct Contender {
  link::Direction direction = link::Direction::HostToCard;
  Bytes bytes = 0;
  int channel = 0;
  Picoseconds from = 0;   // earliest start
  Picoseconds pause = 0;  // software of its call: between the previous end and its start
};
struct Contended {
  Launch launch;                  // with contention
  std::vector<Picoseconds> ends;  // of each transfer
};

// Costs in picoseconds. Called repeatedly; equal arguments must give equal results.
struct Prices {
  std::function<Picoseconds(workloads::OperatorId)> host_operator;
  std::function<CallTime(link::Direction, Bytes)> transfer;
  std::function<Picoseconds(Bytes)> im2col;
  std::function<Picoseconds(Bytes)> reorder;  // of a tensor that the kernel reads in another order
  std::function<Picoseconds(const design::HostPrepared&)> tile, untile;  // before and after a host-prepared launch
  std::function<Picoseconds(std::int64_t words)> quantise, dequantise;   // for a fixed-point job
  Picoseconds launch_software = 0;
  Picoseconds queued_launch_software = 0;  // of a launch issued while the previous one runs
  Picoseconds reconfiguration = 0;
  // overlap: same_bank. The transfers follow each other; the first begins no earlier than the kernel's cycle 0, after
  // `precompute`.
  std::function<Contended(const Job&, const std::vector<Contender>&)> contended;
};

struct Card {
  Bytes bytes_per_channel = 0;
  int channels = 0;
};

}  // namespace weft::timeline
