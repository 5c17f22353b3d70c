#pragma once

#include "model/link/pcie_config.h"

namespace weft::link {

// A link to reckon with by hand: 2.5 GT/s on four lanes are one byte a nanosecond; no DLLPs, no SKP, every latency a
// round number and credits without end.
inline constexpr Picoseconds kNs = 1000;

inline PcieConfig hand_link() {
  PcieConfig c;
  c.generation = 1;
  c.lanes = 4;
  c.dllp_bytes = 0;
  c.skp_symbols = 0;
  c.read_round_trip_ps = 1000 * kNs;
  c.host_write_latency_ps = 200 * kNs;
  c.card_write_latency_ps = 100 * kNs;
  c.card_read_latency_ps = 50 * kNs;
  return c;
}

}  // namespace weft::link
