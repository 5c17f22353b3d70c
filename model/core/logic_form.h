#pragma once

#include <cstdint>
#include <vector>

// What synthesised logic takes, as a reading `resources: synthesis` estimates it: memories in LUTs by their shapes, all
// else by linear forms that `weft synth --calibrate` fits (docs/resources.md).
namespace weft {

// What logic takes of an FPGA. A RAMB36 counts as two BRAM18.
struct LogicUse {
  std::int64_t dsp = 0;
  std::int64_t lut = 0;  // logic and memory
  std::int64_t ff = 0;
  std::int64_t bram18 = 0;
  std::int64_t uram = 0;

  LogicUse& operator+=(const LogicUse& other) {
    dsp += other.dsp;
    lut += other.lut;
    ff += other.ff;
    bram18 += other.bram18;
    uram += other.uram;
    return *this;
  }
  friend bool operator==(const LogicUse& a, const LogicUse& b) {
    return a.dsp == b.dsp && a.lut == b.lut && a.ff == b.ff && a.bram18 == b.bram18 && a.uram == b.uram;
  }
  friend LogicUse operator*(std::int64_t n, const LogicUse& a) {
    return {n * a.dsp, n * a.lut, n * a.ff, n * a.bram18, n * a.uram};
  }
};

// DSPs, LUTs and registers as linear forms in the features of a block: one coefficient a feature.
struct LogicForm {
  std::vector<double> dsp, lut, ff;

  // Each rounded, never below 0.
  LogicUse of(const std::vector<double>& features) const;
};

// Bits that hold the numbers 0 .. n-1, at least one.
std::int64_t index_bits(std::int64_t n);

// LUTs for `width` bits of `depth` words with a write and a read port, as yosys maps it to UltraScale+: in a slice's
// eight LUTs 14 bits of up to 32 words, or 7 of 64; deeper memories take several with a multiplexer behind, which the
// fit has.
std::int64_t lut_memory(std::int64_t width, std::int64_t depth);

// LUTs of a FIFO's memory, which is read without a register and so never lies in a BRAM.
std::int64_t fifo_luts(std::int64_t width, std::int64_t depth);

// A regrouping of `in` lanes into `out` (GRP-1): shifters over all the words it may hold.
void add_regroup_features(std::vector<double>& features, std::int64_t in, std::int64_t out);

// The block that regroups `in` lanes into beats of `band` words.
std::vector<double> encode_features(std::int64_t in, std::int64_t band);

}  // namespace weft
