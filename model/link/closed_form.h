#pragma once

#include "model/link/link.h"

namespace weft::link {

// Analytical rung of the link: the bounds of a long transfer, from first principles.
//   seconds(bytes) = latency + bytes / bandwidth
// Bandwidth is a host page divided by the longest of these times: its TLPs and DLLPs on either wire; its read requests,
// each of which holds one of `tags` for a loop (request, round trip, completions, write to the card's memory); the same
// loop for room in the data FIFO, and for credits of the host; its share of a block of descriptors, fetched during the
// previous block. Latency is the time of the first block of descriptors plus the complete path of one TLP. Ignored:
// partial first and last pages, and interaction of nearly equal bounds with different rhythms.
struct ClosedForm {
  double latency_s = 0;
  double bytes_per_s = 0;
  Bound bound = Bound::Wire;
  double margin = 1;  // ratio of the tightest bound to the next one

  double seconds(Bytes bytes) const { return bytes == 0 ? 0 : latency_s + static_cast<double>(bytes) / bytes_per_s; }
};

ClosedForm closed_form(const PcieConfig& config, Direction direction);

}  // namespace weft::link
