#include "model/barista/analytical/equations.h"

#include <algorithm>

#include "model/core/error.h"
#include "model/core/frequency.h"

namespace weft::barista {

EquationTerms equations(const Alpha& alpha, const Gemm& gemm, const Bandwidths& bandwidths, int word_bits) {
  const Tiles tiles(alpha, gemm);
  EquationTerms t;
  // Overflow checks of cycles, PE-cycles and bytes: all other products are parts of these.
  const std::int64_t elements = std::int64_t{alpha.tr} * alpha.tc;
  checked::product("the PE-cycles of a product", {tiles.rt, tiles.ct, tiles.k, alpha.mesh_cycles(), elements});
  checked::product("the PE-cycles of a product", {tiles.rt, tiles.ct, alpha.final_add_cycles(), elements});
  checked::product("the bytes of A", {4, tiles.rt, tiles.k, alpha.a_tile_words()});
  checked::product("the bytes of B", {4, tiles.ct, tiles.k, alpha.b_tile_words()});
  t.tile_bits = checked::product(
      "the bits of a tile",
      {word_bits, checked::sum("the words of a tile", {alpha.tr * gemm.p, alpha.tc * gemm.p, alpha.c_tile_words()})});
  t.memory_bits = checked::product("the bits of memory traffic", {tiles.outputs(), t.tile_bits});
  t.memory_seconds = static_cast<double>(t.memory_bits) / bandwidths.memory;
  t.tile_cycles = tiles.k * alpha.mesh_cycles() + alpha.final_add_cycles();
  t.compute_cycles = tiles.outputs() * t.tile_cycles;
  const double hertz = mhz(alpha.clock) * 1e6;
  const double compute = static_cast<double>(t.compute_cycles) / hertz;
  t.memory_bound = t.memory_seconds > compute;
  t.compute_seconds = std::max(compute, t.memory_seconds);
  t.pcie_bits =
      checked::product("the bits of link traffic", {kWordBits, gemm.r * gemm.p + gemm.c * gemm.p + gemm.r * gemm.c});
  t.pcie_seconds = static_cast<double>(t.pcie_bits) / bandwidths.pcie;
  t.overall_seconds = t.pcie_seconds + t.compute_seconds;
  t.cycles =
      t.memory_bound ? checked::rounded_up("the cycles of memory traffic", t.memory_seconds * hertz) : t.compute_cycles;
  return t;
}

std::int64_t dsp_use(const Alpha& alpha, int dsp_per_element) {
  return alpha.c_tile_words() * dsp_per_element;
}

BramBits bram_bits_of(const Alpha& alpha, int word_bits) {
  const std::int64_t bits = word_bits;
  return {bits * alpha.tr * alpha.tp, bits * alpha.tp * alpha.tc, bits * alpha.c_tile_words() * alpha.partials};
}

std::int64_t bram_bits(const Alpha& alpha, int word_bits) {
  const BramBits bits = bram_bits_of(alpha, word_bits);
  return bits.a + bits.b + bits.c;
}

std::int64_t bram18_of(std::int64_t bits) {
  return ceil_div(bits, std::int64_t{18} * 1024);
}

std::int64_t bram18_of_banks(const Alpha& alpha, int word_bits) {
  // 1024 words of 18 bits, or 512 of 36.
  const auto blocks = [&](std::int64_t words) { return ceil_div(words, std::int64_t{word_bits <= 18 ? 1024 : 512}); };
  return 2 * (std::int64_t{alpha.tr} + alpha.tc) * blocks(alpha.tp) + alpha.c_tile_words() * blocks(alpha.partials);
}

}  // namespace weft::barista
