#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "model/barista/alpha.h"
#include "model/barista/plan.h"
#include "platform/hardware/cosim/build.h"
#include "platform/hardware/cosim/lockstep.h"
#include "platform/hardware/cosim/random_layer.h"
#include "platform/hardware/cosim/rtl_design.h"

namespace weft::barista {

// The kernel's RTL as co-simulation builds it. Of the tile FIFOs of A and B only pushes and pops are compared: no wire
// holds a whole tile. The words of a tile are compared when they arrive and after they have been multiplied.
cosim::Hardware hardware(const Alpha& alpha);

// Register values of a GEMM's launch, and the beat with RT, CT and K that the kernel then reads.
struct Launch {
  Tiles tiles;
  Bases bases;
  Address params = 0;      // address of the beat with RT, CT and K
  Cycles read_cycles = 0;  // extra cycles until that beat is visible
};
cosim::RtlStart rtl_start(const Launch& launch);

// A launch that the kernel must refuse with this STATUS (REGISTERS.md).
cosim::RefusedCase refused_case(const Launch& launch, int status);

// A GEMM of a plan in data mode. The model consists of the blocks, stepped without the SystemC kernel.
class GemmCase : public cosim::Case {
 public:
  GemmCase(Plan plan, const Launch& launch) : plan_(std::move(plan)), launch_(launch) {}

  const Topology& topology() const override { return barista::topology(); }
  int band() const override { return plan_.alpha.band; }
  cosim::RtlStart start() const override { return rtl_start(launch_); }
  Words result_words() const override { return plan_.tiles.c_words(plan_.alpha); }
  cosim::Place place(std::size_t fifo, std::int64_t token, std::optional<std::size_t> lane) const override;
  cosim::RtlInstance instance_of(std::size_t block) const override;
  cosim::ModelCounts run_model(const cosim::AxiEnvironment& environment, std::vector<memory::Store>& stores,
                               stream::Observer& observer) const override;

 private:
  Plan plan_;
  Launch launch_;
};

// Returns the kernel of build `build` of the campaign `seed`: Tr 1-7, Tc 1-9, up to 16 elements, Tp 1-40 (one in four:
// 1-3), 1-11 partial sums, band 4-32, FIFO depths 1-4, ports with bursts of up to 64 or 256 beats.
Alpha random_build(std::uint64_t seed, int build);

// Returns GEMM `number` of that build: up to four tiles in rows and columns and six in depth, one in four up to six in
// rows and columns and one in depth; at most 60,000 products or three tiles; tensors on one channel or several, in any
// order, below, around and above 4 GiB; ideal memory or DDR4; random kernel clock and latency, also of the launch; an
// AXI side that refuses nothing, 30%, 60% or 90%; values that round, cancel, overflow or are NaN. Every fourth is
// preceded by a launch that must be refused. In every tenth build the first is longer than 2^20 cycles, because the AXI
// side stalls.
cosim::RandomCase random_case(std::uint64_t seed, int build, int number, const Alpha& alpha);

// Places a GEMM's tiles in memory with random contents.
cosim::PlacedCase place(const Alpha& alpha, const Gemm& gemm, cosim::AxiEnvironment environment, cosim::Random& random);

// Launches that every kernel must refuse: GEMMs of one tile with one illegal count or address.
std::vector<cosim::RefusedCase> refused_cases();

}  // namespace weft::barista
