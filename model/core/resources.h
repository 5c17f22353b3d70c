#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft {

// Resources that a device offers a kernel. 0: the device has none.
struct Budget {
  std::int64_t dsp = 0;
  std::int64_t bram18 = 0;
  std::int64_t uram = 0;
  std::optional<std::int64_t> lut = {}, ff = {};  // if the board states them
};

// One line of a resource report: used and available.
struct ResourceUse {
  const char* name = "";  // "DSP", "BRAM18", "URAM", "LUT", "FF"
  std::int64_t used = 0;
  std::int64_t available = 0;
  bool known = true;  // false: the board does not state `available`
  bool fits() const { return !known || used <= available; }
};
// DSP, BRAM18 and URAM; LUT and FF only if both the use and the budget are known.
using ResourceReport = std::vector<ResourceUse>;

inline bool fits(const ResourceReport& report) {
  return std::all_of(report.begin(), report.end(), [](const ResourceUse& use) { return use.fits(); });
}

}  // namespace weft
