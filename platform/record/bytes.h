#pragma once

#include <functional>
#include <string>

#include "platform/record/record.h"

namespace weft::record {

// A record as bytes between processes of one build: numbers as in memory, a length before texts and lists, no names.
std::string to_bytes(const Any& record);

// Throws Error if the bytes are not what to_bytes() makes of such a record.
void read_bytes(std::string bytes, const std::function<void(Visitor&)>& fields);
template <class R>
R from_bytes(const std::string& bytes) {
  R record;
  read_bytes(bytes, [&](Visitor& io) { fields(io, record); });
  return record;
}

}  // namespace weft::record
