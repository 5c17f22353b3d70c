#pragma once

#include <cstdint>
#include <vector>

// Resources of synthesised logic, as the readings `resources: synthesis` estimate them: LUT memories from their shapes,
// all else by linear forms that `weft synth --calibrate` fits (docs/explanation/resources.md).
namespace weft {

// FPGA resources of logic. A RAMB36 counts as two BRAM18.
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

// DSPs, LUTs and registers as linear forms in the features of a block: one coefficient per feature.
struct LogicForm {
  std::vector<double> dsp, lut, ff;

  // Returns the forms' values for `features`, each rounded and at least 0.
  LogicUse of(const std::vector<double>& features) const;
};

// Returns the bits needed for the numbers 0 .. n-1, at least one.
std::int64_t index_bits(std::int64_t n);

// LUTs for `depth` words of `width` bits with one write and one read port, as yosys maps it to UltraScale+: the eight
// LUTs of a slice hold 14 bits of up to 32 words, or 7 bits of 64. Deeper memories take several of these; the fit
// contains the multiplexer after them.
std::int64_t lut_memory(std::int64_t width, std::int64_t depth);

// LUTs of a FIFO's memory, which is read without a register and so never maps to BRAM.
std::int64_t fifo_luts(std::int64_t width, std::int64_t depth);

// Adds the features of a regrouping of `in` lanes into `out` (GRP-1): shifters over all words it may hold.
void add_regroup_features(std::vector<double>& features, std::int64_t in, std::int64_t out);

// Features of the block that regroups `in` lanes into beats of `band` words.
std::vector<double> encode_features(std::int64_t in, std::int64_t band);

}  // namespace weft
