#include "platform/design/row.h"

#include <map>

namespace weft::design {

Row::Row() = default;
Row::Row(const Row& other) = default;
Row::Row(Row&& other) noexcept = default;
Row& Row::operator=(const Row& other) = default;
Row& Row::operator=(Row&& other) noexcept = default;
Row::~Row() = default;

std::vector<std::size_t> bitstreams_of(const std::vector<const Row*>& rows) {
  std::map<std::vector<std::int64_t>, std::size_t> known;
  std::vector<std::size_t> numbers;
  numbers.reserve(rows.size());
  for (const Row* row : rows) numbers.push_back(known.try_emplace(row->bitstream, known.size()).first->second);
  return numbers;
}

std::vector<std::size_t> bitstreams_of(const std::vector<Row>& rows) {
  std::vector<const Row*> pointers;
  pointers.reserve(rows.size());
  for (const Row& row : rows) pointers.push_back(&row);
  return bitstreams_of(pointers);
}

std::string kernel_text(const Row& row) {
  std::string text;
  for (const auto& [name, value] : row.kernel) text += (text.empty() ? "" : ", ") + name + " " + to_text(value);
  return text;
}

}  // namespace weft::design
