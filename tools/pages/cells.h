#pragma once

#include <cstdint>
#include <string>

#include "platform/document/page.h"

// Cells of the tables of pages.
namespace weft::tools {

// 1,234,567
report::Cell count_cell(std::int64_t value);
// 0.1234 -> "12.3 %"
report::Cell percent_cell(double share, int digits = 1);
// 0.1234 -> "+12.34 %"
report::Cell change_cell(double share, int digits = 2);
// 1.2345678 -> "1.235": four digits.
report::Cell real_cell(double value);
report::Cell time_cell(double seconds);
inline report::Cell text_cell(std::string text) {
  return {std::move(text), {}};
}

std::string percent_text(double share, int digits = 1);
std::string change_text(double share, int digits = 2);
std::string real_text(double value);

}  // namespace weft::tools
