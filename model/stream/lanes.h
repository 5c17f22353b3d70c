#pragma once

#include <cstddef>
#include <cstdint>

#include "model/core/units.h"

namespace weft::stream {

// How the words of a port lie in its beats (PCK-1): word w in lane w mod band of beat w / band, lane l in the bits from
// l * lane_bits on, the lowest first.
struct Lanes {
  int band = 16;  // words of a beat
  int lane_bits = 32;
  int word_bits = 32;  // of a word; of a lane the lowest, in two's complement unless it has all 32
  Bytes beat_bytes = 64;

  // Lanes that are 32-bit words.
  static constexpr Lanes of_words(int band) { return {band, 32, 32, Bytes{band} * 4}; }

  // The words of `beats` beats, band of each; other bits of them do not matter.
  void load(const std::byte* memory, std::int64_t beats, Word* words) const;
  // Word `index` of what lies in memory from a beat on.
  Word get(const std::byte* memory, Words index) const;
  // Writes a lane as a host does: the bits above the word are zero.
  void put(std::byte* memory, Words index, Word word) const;
};

// Words of fixed point between memory, as PCK-1 has them there, and a host's 16 bits each.
// The bytes of so many words from a beat on: whole beats.
inline Bytes packed_bytes(const Lanes& lanes, Words count) {
  return ceil_div(count, lanes.band) * lanes.beat_bytes;
}

// Writes words from a beat on, packed_bytes() of memory: what holds no word is zero.
void pack(const Lanes& lanes, const std::int16_t* words, Words count, std::byte* memory);

// Reads `count` words from word `first` on of what lies in memory from a beat on.
void unpack(const Lanes& lanes, const std::byte* memory, Words first, Words count, std::int16_t* words);

}  // namespace weft::stream
