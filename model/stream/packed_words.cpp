#include "model/stream/packed_words.h"

#include <algorithm>
#include <cstring>

namespace weft::stream {

namespace {

using Bits = std::uint64_t;
constexpr int kPieceBits = 32, kPieceBytes = kPieceBits / 8;  // of a beat, of which every piece is whole

constexpr Bits low_bits_of_beat(int count) {
  return (Bits{1} << count) - 1;
}

// What follows from a bit of a beat on, the lowest first: a lane at least, nothing beyond the beat.
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
