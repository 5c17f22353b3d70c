#pragma once

#include <cstdint>
#include <optional>

#include "model/barista/alpha.h"
#include "platform/designs/barista/cosim/gemm_case.h"
#include "platform/hardware/cosim/random_layer.h"
#include "platform/hardware/cosim/subject.h"

namespace weft::barista {

// The kernel of build `build` of the campaign `seed`: Tr 1-7, Tc 1-9, up to 16 elements, Tp 1-40 (one in four: 1-3),
// 1-11 partial sums, band 4-32, FIFO depths 1-4, ports with bursts of up to 64 or 256 beats.
Alpha random_build(std::uint64_t seed, int build);

// The GEMM `number` of that build: up to four rows of tiles, four columns and six of the depth, one in four of up to
// six rows and columns and one of the depth; at most 60,000 products or three tiles; tensors on one channel or several,
// in any order, below, around and above 4 GiB; ideal memory or DDR4, kernel clock, latency, also of the launch; an AXI
// side that refuses nothing, 30%, 60% or 90%; values that round, cancel, overflow and are none (NaN). Every fourth is
// preceded by a launch that must be refused. In every tenth build the first is longer than 2^20 cycles, because the AXI
// side stalls.
cosim::RandomCase random_case(std::uint64_t seed, int build, int number, const Alpha& alpha);

// A GEMM of these tiles in memory with random contents of `seed`.
cosim::PlacedCase place(const Alpha& alpha, const Gemm& gemm, cosim::Surroundings surroundings, cosim::Random& random);

// The launches that every kernel must refuse: of one tile, but for one count or address.
std::vector<cosim::RefusedCase> refused_cases();

}  // namespace weft::barista
