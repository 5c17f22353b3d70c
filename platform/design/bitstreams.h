#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/design/row.h"

namespace weft::design {

// Which bitstream each row needs, numbered from 0 in the order in which rows first need them. Two rows of one number
// run on the same kernel, without a reconfiguration between them.
inline std::vector<std::size_t> bitstreams_of(const std::vector<Row>& rows) {
  std::vector<const std::vector<std::int64_t>*> distinct;
  std::vector<std::size_t> numbers;
  for (const Row& row : rows) {
    const auto equal = [&](const std::vector<std::int64_t>* each) { return *each == row.bitstream; };
    const auto found = std::find_if(distinct.begin(), distinct.end(), equal);
    numbers.push_back(static_cast<std::size_t>(found - distinct.begin()));
    if (found == distinct.end()) distinct.push_back(&row.bitstream);
  }
  return numbers;
}

// The kernel of a row by its parameters: "x 16, y 16, z 5, ...".
inline std::string kernel_text(const Row& row) {
  std::string text;
  for (const auto& [name, value] : row.kernel) text += (text.empty() ? "" : ", ") + name + " " + to_text(value);
  return text;
}

}  // namespace weft::design
