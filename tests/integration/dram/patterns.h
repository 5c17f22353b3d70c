#pragma once

#include <cstddef>
#include <string>

#include "model/memory/trace.h"

namespace weft::memory {

// The request pattern of that name in tests/golden/dram/reference.csv, cut to `count` requests. Throws
// std::invalid_argument for a name that is not there. All addresses are modulo 16 GiB.
//   1_seq_rd, 2_seq_wr      one sequential stream
//   3a_b256_gap4k           reads of 256 lines with 4 KB left out after each
//   3b_b256_rnd4k           reads of 256 lines from random multiples of 4 KB
//   4_L04_s50176            reads of 4 lines every 50176 bytes (the next multiple that does not overlap)
//   4p_L04_s50176_C64       4 lines from each of 64 planes of 50176 bytes, then the next 4 of every plane
//   5_rand_rd, 5c_rand_rw50 random lines; each a write with probability 1/2
//   6_mix_g016, 6o_mix_g016 two read streams and a write stream taking turns of 16 lines; 6o: in different banks
Trace reference_pattern(const std::string& name, std::size_t count);

}  // namespace weft::memory
