#pragma once

#include <cstdint>

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

}  // namespace weft
