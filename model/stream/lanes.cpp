#include "model/stream/lanes.h"

#include <algorithm>
#include <cstring>

namespace weft::stream {

namespace {

constexpr std::uint32_t low_bits(int count) {
  return count >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << count) - 1;
}

Word extended(std::uint32_t bits, int word_bits) {
  const std::uint32_t sign = std::uint32_t{1} << (word_bits - 1), kept = bits & low_bits(word_bits);
  return {(kept ^ sign) - sign};
}

// Returns `count` (at most 32) bits of memory from bit `bit` on, little-endian.
std::uint32_t bits_at(const std::byte* memory, std::int64_t bit, int count) {
  const std::int64_t first = bit / 8, last = (bit + count - 1) / 8;
  std::uint64_t bytes = 0;
  for (std::int64_t i = last; i >= first; --i) bytes = bytes << 8 | std::to_integer<std::uint64_t>(memory[i]);
  return static_cast<std::uint32_t>(bytes >> bit % 8) & low_bits(count);
}

}  // namespace

void Lanes::load(const std::byte* memory, std::int64_t beats, Word* words) const {
  if (word_bits == 32) {
    std::memcpy(words, memory, static_cast<std::size_t>(beats * band) * sizeof(Word));
    return;
  }
  for (std::int64_t beat = 0; beat < beats; ++beat, memory += beat_bytes) {
    for (int lane = 0; lane < band; ++lane) {
      *words++ = extended(bits_at(memory, std::int64_t{lane} * lane_bits, word_bits), word_bits);
    }
  }
}

Word Lanes::get(const std::byte* memory, Words index) const {
  const std::int64_t bit = index / band * beat_bytes * 8 + index % band * lane_bits;
  return extended(bits_at(memory, bit, word_bits), word_bits);
}

void Lanes::put(std::byte* memory, Words index, Word word) const {
  const std::int64_t begin = index / band * beat_bytes * 8 + index % band * lane_bits;
  const std::uint32_t bits = word.bits & low_bits(word_bits);
  for (int i = 0; i < lane_bits; ++i) {
    const std::byte mask{static_cast<unsigned char>(1U << (begin + i) % 8)};
    std::byte& byte = memory[(begin + i) / 8];
    byte = i < word_bits && (bits >> i & 1U) != 0 ? byte | mask : byte & ~mask;
  }
}

namespace {

using Bits = std::uint64_t;
constexpr int kPieceBits = 32, kPieceBytes = kPieceBits / 8;  // piece of a beat; a beat is whole pieces

constexpr Bits low_bits_of_beat(int count) {
  return (Bits{1} << count) - 1;
}

// Returns the bits of a beat from `bit` on, lowest first: at least one lane, nothing after the end of the beat.
Bits bits_at(const Lanes& lanes, const std::byte* beat, int bit) {
  const int at = bit / kPieceBits * kPieceBytes;
  Bits bits = 0;
  if (at + kPieceBytes < lanes.beat_bytes) {
    std::memcpy(&bits, beat + at, 2 * kPieceBytes);
  } else {
    std::memcpy(&bits, beat + at, kPieceBytes);
  }
  return bits >> bit % kPieceBits;
}

}  // namespace

void pack(const Lanes& lanes, const std::int16_t* words, Words count, std::byte* memory) {
  for (; count > 0; memory += lanes.beat_bytes) {
    const auto in_beat = static_cast<int>(std::min<Words>(count, lanes.band));
    Bits bits = 0;
    int held = 0;
    std::byte* at = memory;
    for (int lane = 0; lane < in_beat; ++lane) {
      bits |= (static_cast<Bits>(words[lane]) & low_bits_of_beat(lanes.word_bits)) << held;
      held += lanes.lane_bits;
      if (held < kPieceBits) continue;
      std::memcpy(at, &bits, kPieceBytes);
      at += kPieceBytes;
      bits >>= kPieceBits;
      held -= kPieceBits;
    }
    if (held > 0) {
      std::memcpy(at, &bits, kPieceBytes);
      at += kPieceBytes;
    }
    std::fill(at, memory + lanes.beat_bytes, std::byte{0});
    words += in_beat;
    count -= in_beat;
  }
}

void unpack(const Lanes& lanes, const std::byte* memory, Words first, Words count, std::int16_t* words) {
  const Bits sign = Bits{1} << (lanes.word_bits - 1);
  for (Words word = first, lane = first % lanes.band; word < first + count; lane = 0) {
    const std::byte* const beat = memory + word / lanes.band * lanes.beat_bytes;
    for (; lane < lanes.band && word < first + count; ++lane, ++word) {
      const Bits kept =
          bits_at(lanes, beat, static_cast<int>(lane) * lanes.lane_bits) & low_bits_of_beat(lanes.word_bits);
      *words++ = static_cast<std::int16_t>((kept ^ sign) - sign);
    }
  }
}

}  // namespace weft::stream
