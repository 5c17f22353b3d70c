#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/design/row.h"

namespace weft::design {

// Which bitstream each row needs, numbered from 0 in the order in which rows first need them. Two rows of one number
// run on the same kernel, without a reconfiguration between them.
inline std::vector<std::size_t> bitstreams_of(const std::vector<const Row*>& rows) {
  std::map<std::vector<std::int64_t>, std::size_t> known;
  std::vector<std::size_t> numbers;
  numbers.reserve(rows.size());
  for (const Row* row : rows) numbers.push_back(known.try_emplace(row->bitstream, known.size()).first->second);
  return numbers;
}
inline std::vector<std::size_t> bitstreams_of(const std::vector<Row>& rows) {
  std::vector<const Row*> pointers;
  pointers.reserve(rows.size());
  for (const Row& row : rows) pointers.push_back(&row);
  return bitstreams_of(pointers);
}

// The kernel of a row by its parameters: "x 16, y 16, z 5, ...".
inline std::string kernel_text(const Row& row) {
  std::string text;
  for (const auto& [name, value] : row.kernel) text += (text.empty() ? "" : ", ") + name + " " + to_text(value);
  return text;
}

}  // namespace weft::design
