#pragma once

#include <functional>
#include <string>

#include "platform/record/record.h"

namespace weft::record {

// Returns a record as bytes for a process of one build: numbers as in memory, texts and lists after a length, no names.
std::string to_bytes(const Any& record);

// Reads a record. Throws Error if to_bytes() cannot have made the bytes from such a record.
void read_bytes(std::string bytes, const std::function<void(Visitor&)>& fields);
template <class R>
R from_bytes(const std::string& bytes) {
  R record;
  read_bytes(bytes, [&](Visitor& io) { fields(io, record); });
  return record;
}

}  // namespace weft::record
