#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/copy/plan.h"
#include "platform/hardware/cosim/build.h"
#include "platform/hardware/cosim/lockstep.h"
#include "platform/hardware/cosim/random_layer.h"
#include "platform/hardware/cosim/rtl_design.h"

namespace weft::copy {

// The kernel's RTL as co-simulation builds it.
cosim::Hardware hardware(const Alpha& alpha);

// Register values of a launch.
cosim::RtlStart rtl_start(const Beta& beta);

// A launch in data mode. The model consists of the blocks, stepped without the SystemC kernel.
class LaunchCase : public cosim::Case {
 public:
  LaunchCase(const Alpha& alpha, const Beta& beta) : plan_(make_plan(alpha, beta, true)), beta_(beta) {}

  const Topology& topology() const override { return copy::topology(); }
  int band() const override { return plan_.alpha.band; }
  cosim::RtlStart start() const override { return rtl_start(beta_); }
  Words result_words() const override { return beta_.words; }
  cosim::Place place(std::size_t fifo, std::int64_t token, std::optional<std::size_t> lane) const override;
  cosim::RtlInstance instance_of(std::size_t block) const override;
  cosim::ModelCounts run_model(const cosim::AxiEnvironment& environment, std::vector<memory::Store>& stores,
                               stream::Observer& observer) const override;

 private:
  Plan plan_;
  Beta beta_;
};

// Returns the kernel of build `build` of the campaign `seed`: band 2-32, FIFO depth 1-4, ports with bursts of up to 64
// or 256 beats.
Alpha random_build(std::uint64_t seed, int build);

// Returns launch `number` of that build: 1 to 200 beats, tensors on one channel or two, below, around and above 4 GiB;
// ideal memory or DDR4; random kernel clock and latency; an AXI side that refuses nothing, 30%, 60% or 90%. Every
// fourth is preceded by a launch that must be refused. In every tenth build the first is longer than 2^20 cycles,
// because the AXI side stalls.
cosim::RandomCase random_case(std::uint64_t seed, int build, int number, const Alpha& alpha);

// Places a tensor of `words` words in memory with random contents.
cosim::PlacedCase place(const Alpha& alpha, Words words, cosim::AxiEnvironment environment, cosim::Random& random);

// Launches that every kernel must refuse: with one illegal register value each.
std::vector<cosim::RefusedCase> refused_cases();

}  // namespace weft::copy
