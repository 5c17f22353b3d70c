#pragma once

#include <cstddef>
#include <cstdint>

#include "model/stream/lanes.h"

// Words of fixed point between memory, as PCK-1 has them there, and a host's 16 bits each.
namespace weft::stream {

// The bytes of so many words from a beat on: whole beats.
inline Bytes packed_bytes(const Lanes& lanes, Words count) {
  return ceil_div(count, lanes.band) * lanes.beat_bytes;
}

// Writes words from a beat on, packed_bytes() of memory: what holds no word is zero.
void pack(const Lanes& lanes, const std::int16_t* words, Words count, std::byte* memory);

// Reads `count` words from word `first` on of what lies in memory from a beat on.
void unpack(const Lanes& lanes, const std::byte* memory, Words first, Words count, std::int16_t* words);

}  // namespace weft::stream
