#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/fp32.h"
#include "model/core/units.h"

// Arithmetic of each family of number formats (CONTRACT.md, section 10), to be used as a template parameter. An element
// of the array has `kPartials` sums of one output; product m is added to sum m mod kPartials.
namespace weft::fpgpt {

struct Fp32 {
  using Sum = float;
  static constexpr int kPartials = 4;  // NUM-2

  static void multiply_add(Sum& sum, Word inp, Word kern) { sum += from_bits(inp.bits) * from_bits(kern.bits); }
  // NUM-3; the partial sums of an output are `stride` apart.
  static Word result(const Sum* p, std::ptrdiff_t stride, std::int64_t&) {
    return {bits(fp32::canonical((p[0] + p[stride]) + (p[2 * stride] + p[3 * stride])))};
  }
  static Word add(Word a, Word b, std::int64_t&) {  // NUM-4
    return {bits(fp32::canonical(from_bits(a.bits) + from_bits(b.bits)))};
  }
};

// Sums are exact, so that those beyond 32 bits can be counted; their low 32 bits are NUM-6 and NUM-7. An output has
// fewer than 2^31 products of at most 2^30 each.
struct FixedPoint {
  using Sum = std::int64_t;
  static constexpr int kPartials = 1;

  static std::int32_t value(Word word) { return static_cast<std::int32_t>(word.bits); }
  static void multiply_add(Sum& sum, Word inp, Word kern) { sum += Sum{value(inp)} * value(kern); }
  static Word result(const Sum* p, std::ptrdiff_t, std::int64_t& overflows) { return cut(*p, overflows); }
  static Word add(Word a, Word b, std::int64_t& overflows) { return cut(Sum{value(a)} + value(b), overflows); }

 private:
  static Word cut(Sum sum, std::int64_t& overflows) {
    if (sum < std::numeric_limits<std::int32_t>::min() || sum > std::numeric_limits<std::int32_t>::max()) ++overflows;
    return {static_cast<std::uint32_t>(sum)};
  }
};

}  // namespace weft::fpgpt
