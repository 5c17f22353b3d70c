#pragma once

#include <cstdint>
#include <optional>

#include "model/fpgpt/alpha.h"
#include "platform/designs/fpgpt/cosim/data_case.h"
#include "platform/hardware/cosim/random_layer.h"
#include "platform/hardware/cosim/subject.h"

namespace weft::fpgpt {

// An alpha with sizes to be fitted, any profile, small FIFOs, bursts of up to 64 beats; with `long_bursts` one port in
// three has the longest of AXI4.
inline Alpha random_alpha(cosim::Random& random, bool long_bursts = false) {
  using cosim::pick;
  Alpha alpha;
  alpha.x = pick(random, 1, 9);
  alpha.y = pick(random, 1, 9);
  alpha.bus_bits = 32 << pick(random, 1, 4);
  for (const ProfileSwitch& each : kProfileSwitches) alpha.profile.*each.on = pick(random, 0, 1) != 0;
  for (int& depth : alpha.fifo.all()) depth = pick(random, 1, 4);
  for (stream::PortConfig* port : {&alpha.inp_port, &alpha.kern_port, &alpha.out_port}) {
    *port = {!long_bursts || pick(random, 0, 2) ? pick(random, 1, 64) : 256, pick(random, 1, 8)};
  }
  return alpha;
}

// The largest S of a random case.
inline constexpr int kRandomMaxSets = 64;

struct RandomCase {
  DataCase data;
  cosim::Surroundings surroundings;
  std::optional<conv::Convolution> beyond;  // drawn before it, and more than the kernel holds
};

// The kernel of build `build` of the campaign `seed`: X and Y 1-9, Z, band 2-16, sizes that are each what one
// convolution needs, FIFO depths 1-4, ports with bursts of up to 64 or 256 beats, each switch of the profile, variant.
// `fixed_point`: 4 to 16 bits, packed or padded.
Alpha random_build(std::uint64_t seed, int build, bool fixed_point = false);

// The convolution `number` of that build: shape and kind that the kernel holds, stride 1-4, dilation 1-3, padding,
// groups, kernels up to 11; ideal memory or DDR4, shared channels, bases below, around and above 4 GiB, kernel clock,
// latency; an AXI side that refuses nothing, 30%, 60% or 90%; values that round, cancel, overflow and are none (NaN).
// In fixed point the values are any, or all the largest and the smallest. At most 60,000 multiply-accumulates. Throws
// Error if nothing that is drawn fits the kernel.
RandomCase random_case(std::uint64_t seed, int build, int number, const Alpha& alpha);

// The convolution `number` of the campaign on random_build(seed, build): the first three or four (without GW, with it)
// fill its KERN memory, its OUT memory, a half of its line buffer and its GW range to the last word; in every tenth
// build the one after them is longer than 2^20 cycles, because the AXI side stalls; the others are random cases.
RandomCase campaign_case(std::uint64_t seed, int build, int number, const Alpha& alpha);
// Which of alpha's sizes it fills; nullptr: none.
const char* filled_by(int number, Variant variant);

cosim::RandomCase to_case(RandomCase drawn, const Alpha& alpha);

}  // namespace weft::fpgpt
