#pragma once

#include "model/link/link.h"

namespace weft::link {

// The analytical rung of the link: what bounds a long transfer, from first principles.
//   seconds(bytes) = latency + bytes / bandwidth
// Bandwidth is a host page over the longest of: the bytes of its TLPs and DLLPs on either wire; its read requests, each
// of which keeps one of `tags` for a loop (request, round trip, completions, write into the card's memory); the same
// for the room in the data FIFO, and for the host's credits; its share of a block of descriptors, which is read while
// the block before is worked off. Latency is that of the first block of descriptors and of one TLP's whole way.
//
// Left out: the first and last page, where they are not whole; how constraints of different rhythm that are nearly
// equally tight slow each other down.
struct ClosedForm {
  double latency_s = 0;
  double bytes_per_s = 0;
  Bound bound = Bound::Wire;
  double margin = 1;  // by what factor the tightest bound is tighter than the next

  double seconds(Bytes bytes) const { return bytes == 0 ? 0 : latency_s + static_cast<double>(bytes) / bytes_per_s; }
};

ClosedForm closed_form(const PcieConfig& config, Direction direction);

}  // namespace weft::link
