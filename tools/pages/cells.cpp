#include "tools/pages/cells.h"

#include <fmt/core.h>

#include <cmath>

#include "model/core/text.h"
#include "platform/document/text.h"

namespace weft::tools {

using report::Cell;

std::string percent_text(double share, int digits) {
  return fmt::format("{:.{}f} %", 100 * share, digits);
}

std::string change_text(double share, int digits) {
  if (std::isinf(share)) return share > 0 ? "+∞" : "−∞";
  return fmt::format("{}{:.{}f} %", share < 0 ? "−" : "+", std::fabs(100 * share), digits);
}

std::string real_text(double value) {
  return fmt::format("{:.4g}", value);
}

Cell count_cell(std::int64_t value) {
  return {thousands(value), static_cast<double>(value)};
}

Cell percent_cell(double share, int digits) {
  return {percent_text(share, digits), share};
}

Cell change_cell(double share, int digits) {
  return {change_text(share, digits), share};
}

Cell real_cell(double value) {
  return {real_text(value), value};
}

Cell time_cell(double seconds) {
  return {report::duration_text(seconds), seconds};
}

}  // namespace weft::tools
