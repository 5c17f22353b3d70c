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

// A tensor of the graph as a convolution finds it on the card.
struct CardTensor {
  workloads::TensorId tensor = 0;
  std::string port;
  Bytes bytes = 0;
  int channel = 0;
  bool whole = true;  // false: what the host makes of the tensor for this convolution alone (im2col), or what it makes
                      // the tensor of (raw sums)
};

// One start of the kernel. Of both the time from the register write that starts it.
struct Launch {
  Picoseconds precompute = 0;
  Picoseconds done = 0;
};

// What a convolution of the graph takes on the card.
struct Job {
  workloads::OperatorId op = 0;
  std::size_t kernel = 0;         // its bitstream
  std::size_t part = 0, row = 0;  // where its cycles are from
  NumberFormat format;            // of what the kernel reads
  std::vector<CardTensor> inputs, outputs;
  std::vector<Launch> launches;              // one a group
  std::int64_t register_writes = 0;          // of each launch
  Bytes im2col_bytes = 0;                    // that the host writes before
  std::optional<design::HostServed> served;  // each launch on its own: then inputs and outputs are empty
};

// Of a transfer as one call: software first, then the link; both together are rounded once.
struct CallTime {
  Picoseconds software = 0;
  Picoseconds whole = 0;
};

// A transfer beside a kernel on channels of its own. Times are from the register write that starts the kernel.
struct Contender {
  link::Direction direction = link::Direction::HostToCard;
  Bytes bytes = 0;
  int channel = 0;
  Picoseconds from = 0;   // not before
  Picoseconds pause = 0;  // between the end of the one before it and its start: the software of its call
};
struct Contended {
  Launch launch;                  // as it becomes
  std::vector<Picoseconds> ends;  // of the transfers, from the register write
};

// What everything costs: all times in picoseconds. Asked for again and again; the same question has the same answer.
struct Prices {
  std::function<Picoseconds(workloads::OperatorId)> host_operator;
  std::function<CallTime(link::Direction, Bytes)> transfer;
  std::function<Picoseconds(Bytes)> im2col;
  std::function<Picoseconds(const design::HostServed&)> tile, untile;   // before and behind a launch that is served
  std::function<Picoseconds(std::int64_t words)> quantise, dequantise;  // for a job of fixed point
  Picoseconds launch_software = 0;
  Picoseconds queued_launch_software = 0;  // of a launch that was handed over while the kernel ran for the one before
  Picoseconds reconfiguration = 0;
  // overlap: same_bank. The transfers follow each other, the first not before the kernel's cycle 0, behind
  // `precompute`.
  std::function<Contended(const Job&, const std::vector<Contender>&)> contended;
};

struct Card {
  Bytes bytes_per_channel = 0;
  int channels = 0;
};

}  // namespace weft::timeline
