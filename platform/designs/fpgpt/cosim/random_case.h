#pragma once

#include <cstdint>
#include <optional>

#include "model/fpgpt/alpha.h"
#include "platform/designs/fpgpt/cosim/data_case.h"
#include "platform/hardware/cosim/random_layer.h"
#include "platform/hardware/cosim/rtl_design.h"

namespace weft::fpgpt {

// An alpha with sizes to be fitted, any profile, small FIFOs, bursts of up to 64 beats. With `long_bursts` one port in
// three has the longest bursts of AXI4.
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

// Largest S of a random case.
inline constexpr int kRandomMaxSets = 64;

struct RandomCase {
  DataCase data;
  cosim::AxiEnvironment environment;
  std::optional<conv::Convolution> beyond;  // offered before `data`; exceeds a limit of the kernel
};

// Returns the kernel of build `build` of the campaign `seed`: random X and Y 1-9, Z, band 2-16, FIFO depths 1-4, ports
// with bursts of up to 64 or 256 beats, profile switches and variant; each size is exactly that needed by one
// convolution. `fixed_point`: 4 to 16 bits, packed or padded.
Alpha random_build(std::uint64_t seed, int build, bool fixed_point = false);

// Returns convolution `number` of that build, one that fits the kernel: random shape and kind, stride 1-4, dilation
// 1-3, padding, groups, kernels up to 11; ideal memory or DDR4, shared channels, bases below, around and above 4 GiB,
// kernel clock, latency; an AXI side that refuses nothing, 30%, 60% or 90%; values that round, cancel, overflow or are
// NaN, in fixed point any, or only the largest and the smallest. At most 60,000 multiply-accumulates. Throws Error if
// no drawn convolution fits.
RandomCase random_case(std::uint64_t seed, int build, int number, const Alpha& alpha);

// Returns convolution `number` of the campaign on random_build(seed, build). The first three (with GW: four) fill its
// KERN memory, its OUT memory, a half of its line buffer and its GW range to the last word. In every tenth build the
// next one is longer than 2^20 cycles, because the AXI side stalls. The others are random cases.
RandomCase campaign_case(std::uint64_t seed, int build, int number, const Alpha& alpha);
// Name of the size of alpha that this convolution fills; nullptr: none.
const char* filled_by(int number, Variant variant);

cosim::RandomCase to_case(RandomCase drawn, const Alpha& alpha);

}  // namespace weft::fpgpt
