#pragma once

#include <utility>

#include "model/barista/plan.h"
#include "platform/hardware/cosim/build.h"
#include "platform/hardware/cosim/case.h"
#include "platform/hardware/cosim/lockstep.h"

namespace weft::barista {

// The kernel's RTL as co-simulation builds it. Of tiles of A and B it sees that they are pushed and popped: no wire
// holds one whole, and their words are seen when they come and when they have been multiplied.
cosim::Hardware hardware(const Alpha& alpha);

// What a host writes for a GEMM, and the beat of RT, CT and K that the kernel then reads.
struct Launch {
  Tiles tiles;
  Bases bases;
  Address params = 0;      // of the beat
  Cycles read_cycles = 0;  // it is visible so many cycles later than at once
};
cosim::RtlStart rtl_start(const Launch& launch);

// A launch that the kernel must refuse with this STATUS (REGISTERS.md).
cosim::RefusedCase refused_case(const Launch& launch, int status);

// A GEMM of a plan in data mode. Its model are the blocks, stepped without the SystemC kernel.
class GemmCase : public cosim::Case {
 public:
  GemmCase(Plan plan, const Launch& launch) : plan_(std::move(plan)), launch_(launch) {}

  const Topology& topology() const override { return barista::topology(); }
  int band() const override { return plan_.alpha.band; }
  cosim::RtlStart start() const override { return rtl_start(launch_); }
  Words result_words() const override { return plan_.tiles.c_words(plan_.alpha); }
  cosim::ModelCounts run_model(const cosim::Surroundings& surroundings, std::vector<memory::Store>& stores,
                               stream::Observer& observer) const override;

 private:
  Plan plan_;
  Launch launch_;
};

}  // namespace weft::barista
