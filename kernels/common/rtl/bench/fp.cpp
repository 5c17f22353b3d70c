// Compares the FP32 units with the host's SSE (flush to zero, denormals are zero, canonical NaN) on random and directed
// pairs.
#include "Vfp_top.h"
#include "bench.h"

namespace {

// Generates pairs near every corner case: equal or near exponents, few mantissa bits (ties), products near the smallest
// normal number and near overflow, cancellation.
void pair(std::mt19937_64& rng, uint64_t i, uint32_t& a, uint32_t& b) {
  uint64_t r = rng();
  a = uint32_t(r);
  b = uint32_t(r >> 32);
  auto exponent = [](int e) { return uint32_t(std::min(255, std::max(0, e))) << 23; };
  int ea = int(a >> 23 & 255);
  switch (i % 8) {
    case 1:
      b = (b & 0x807FFFFF) | (a & 0x7F800000);
      break;
    case 2:
      b = (b & 0x807FFFFF) | exponent(ea + int(rng() % 60) - 30);
      break;
    case 3:
      a &= 0xFF80000F;
      b &= 0xFFF80000;
      break;
    case 4:
      b = (b & 0x807FFFFF) | exponent(127 - ea + int(rng() % 5) - 1);
      break;
    case 5:
      b = (b & 0x807FFFFF) | exponent(381 - ea + int(rng() % 5) - 2);
      break;
    case 6:
      b = a ^ 0x80000000 ^ uint32_t(rng() & 3);
      break;
    case 7:
      a |= 0x007FFFF0;
      b = (b & 0x80000007) | exponent(ea - int(rng() % 27));
      if (rng() % 2) b |= 0x007FFFF8;
      break;
    default:
      break;
  }
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t count = 10000000, seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--count")
      count = strtoull(argv[i + 1], nullptr, 0);
    else if (std::string(argv[i]) == "--seed")
      seed = strtoull(argv[i + 1], nullptr, 0);
  }
  flush_denormals();

  std::vector<uint32_t> special;
  for (uint32_t e :
       {0u, 1u, 2u, 24u, 25u, 63u, 64u, 102u, 103u, 126u, 127u, 128u, 150u, 151u, 190u, 191u, 253u, 254u, 255u})
    for (uint32_t m : {0u, 1u, 2u, 3u, 0x3FFFFFu, 0x400000u, 0x400001u, 0x7FFFFDu, 0x7FFFFEu, 0x7FFFFFu})
      for (uint32_t s : {0u, 0x80000000u}) special.push_back(s | e << 23 | m);
  uint64_t directed = special.size() * special.size();

  Vfp_top dut;
  std::mt19937_64 rng(seed);
  uint64_t bad[4] = {0, 0, 0, 0};
  uint32_t products[4] = {}, sums[4] = {};
  for (uint64_t i = 0; i < directed + count; i++) {
    uint32_t a, b;
    if (i < directed) {
      a = special[i / special.size()];
      b = special[i % special.size()];
    } else {
      pair(rng, i, a, b);
    }
    products[i % 4] = mul_fp32(a, b);
    sums[i % 4] = add_fp32(a, b);
    dut.a_i = a;
    dut.b_i = b;
    dut.clk_i = 0;
    dut.eval();
    bool wrong[4] = {dut.product_o != products[i % 4], dut.sum_o != sums[i % 4],
                     i >= 3 && dut.product3_o != products[(i - 3) % 4], i >= 2 && dut.sum2_o != sums[(i - 2) % 4]};
    for (int k = 0; k < 4; k++)
      if (wrong[k] && bad[k]++ < 5)
        printf("FAIL unit %d: %08x %08x: product %08x (%08x), sum %08x (%08x)\n", k, a, b, dut.product_o,
               products[i % 4], dut.sum_o, sums[i % 4]);
    dut.clk_i = 1;
    dut.eval();
  }
  printf(
      "fp: %lu directed and %lu random pairs: %lu products, %lu sums, %lu pipelined products, %lu pipelined sums "
      "wrong\n",
      directed, count, bad[0], bad[1], bad[2], bad[3]);
  return bad[0] || bad[1] || bad[2] || bad[3];
}
