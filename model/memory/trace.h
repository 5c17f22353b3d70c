#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/core/units.h"
#include "model/memory/config.h"

namespace weft::memory {

struct TraceRequest {
  Address address;
  bool write;
};
using Trace = std::vector<TraceRequest>;

struct TraceResult {
  std::int64_t requests = 0, reads = 0, writes = 0;
  Nck dram_cycles = 0;      // from the first edge to the end of the last data beat
  double gbps = 0;          // 1e9 bytes a second at the exact DRAM clock
  double row_hit_rate = 0;  // of all requests
  // Latency from acceptance to the end of the last data beat, in nCK; 0 without reads. Percentiles by nearest rank.
  double read_latency_mean = 0;
  Nck read_latency_p50 = 0, read_latency_p95 = 0, read_latency_p99 = 0;
};

// Reads a text file of lines "R|W 0xADDRESS". Throws weft::InputError, naming file and line, for a bad operation,
// number, alignment (64 bytes) or address (beyond the capacity), a file without requests or an unreadable one.
Trace read_trace(const std::string& path, const Ddr4Config& config);

// Runs the requests alone through one controller, in order, at most one accepted per nCK; a request whose queue is full
// blocks later ones.
TraceResult run_trace(const Trace& trace, const Ddr4Config& config);

// Request sequences to measure the speed of a simulation.
Trace sequential_reads(std::size_t count);
Trace random_accesses(std::size_t count, double write_share, std::uint64_t seed);

}  // namespace weft::memory
