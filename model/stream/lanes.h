#pragma once

#include <cstddef>
#include <cstdint>

#include "model/core/units.h"

namespace weft::stream {

// Layout of the words of a port in its beats (PCK-1): word w in lane w mod band of beat w / band; lane l in the bits
// from l * lane_bits on, lowest first.
struct Lanes {
  int band = 16;  // words of a beat
  int lane_bits = 32;
  int word_bits = 32;  // the lowest bits of a lane; sign-extended unless 32
  Bytes beat_bytes = 64;

  // Lanes of 32-bit words.
  static constexpr Lanes of_words(int band) { return {band, 32, 32, Bytes{band} * 4}; }

  // Reads `beats` beats, `band` words each; bits of a beat outside words are ignored.
  void load(const std::byte* memory, std::int64_t beats, Word* words) const;
  // Returns word `index`, counted from the beat at `memory`.
  Word get(const std::byte* memory, Words index) const;
  // Writes a lane as the host does: the bits above the word are zero.
  void put(std::byte* memory, Words index, Word word) const;
};

// Conversion of fixed-point words between memory (layout PCK-1) and 16-bit words of the host.
// Bytes of `count` words from the start of a beat: whole beats.
inline Bytes packed_bytes(const Lanes& lanes, Words count) {
  return ceil_div(count, lanes.band) * lanes.beat_bytes;
}

// Writes words from the start of a beat, packed_bytes() bytes in total; bits without a word are zero.
void pack(const Lanes& lanes, const std::int16_t* words, Words count, std::byte* memory);

// Reads `count` words from word `first` on, counted from the start of a beat.
void unpack(const Lanes& lanes, const std::byte* memory, Words first, Words count, std::int16_t* words);

}  // namespace weft::stream
