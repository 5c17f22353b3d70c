#include <gtest/gtest.h>
#include <oneapi/dnnl/dnnl.h>

#include <cmath>
#include <vector>

#include "kernels/fp32.h"
#include "model/barista/kernel.h"
#include "model/barista/plan.h"
#include "model/barista/systemc/virtual_platform.h"
#include "tests/random/barista/random_gemm.h"
#include "tests/support/random_memory.h"
#include "tests/support/special_values.h"

namespace weft::barista {
namespace {

std::vector<float> random_matrix(test::Random& random, std::int64_t words, test::Values values) {
  std::vector<float> matrix(static_cast<std::size_t>(words));
  for (float& value : matrix) value = test::random_value(random, values);
  return matrix;
}

// BAR-6 from the definition, in integer arithmetic: no tiles of the model, no blocks.
std::uint32_t output(const Alpha& alpha, const Gemm& gemm, const std::vector<float>& a, const std::vector<float>& b,
                     std::int64_t row, std::int64_t column) {
  std::vector<std::uint32_t> partial(static_cast<std::size_t>(alpha.partials), 0);
  const std::int64_t products = ceil_div(gemm.p, alpha.tp) * alpha.tp;
  for (std::int64_t p = 0; p < products; ++p) {
    const bool inside = p < gemm.p;
    const std::uint32_t left = inside ? bits(a[static_cast<std::size_t>(row * gemm.p + p)]) : 0;
    const std::uint32_t right = inside ? bits(b[static_cast<std::size_t>(p * gemm.c + column)]) : 0;
    std::uint32_t& sum = partial[static_cast<std::size_t>(p % alpha.tp % alpha.partials)];
    sum = fp32::add(sum, fp32::multiply(left, right));
  }
  std::uint32_t total = 0;
  for (const std::uint32_t each : partial) total = fp32::add(total, each);
  return total;
}

struct Case {
  Alpha alpha;
  Gemm gemm;
  std::vector<float> a, b;
};
Case random_case(std::uint64_t seed, test::Values values) {
  test::Random random(seed);
  Case c;
  c.alpha = test::random_alpha(random);
  c.gemm = test::random_gemm(random);
  c.a = random_matrix(random, c.gemm.r * c.gemm.p, values);
  c.b = random_matrix(random, c.gemm.p * c.gemm.c, values);
  return c;
}

// Tiles the matrices into memory, runs, and untiles the result.
template <class Run>
std::vector<float> run(const Case& c, Run run_gemm) {
  const Tiles tiles(c.alpha, c.gemm);
  const Bases bases{0, align_up(tiles.a_words(c.alpha) * 4, 4096), 0};
  const Plan plan = make_plan(c.alpha, c.gemm, bases, true);
  DataMemory data;
  data.channels.emplace_back(bases.b + tiles.b_words(c.alpha) * 4 + 4096);
  data.channels.emplace_back(tiles.c_words(c.alpha) * 4 + 4096);
  data.channel_of_port = {0, 0, 1};
  tile_a(c.alpha, c.gemm, c.a.data(), data.of(Port::A).floats(bases.a));
  tile_b(c.alpha, c.gemm, c.b.data(), data.of(Port::B).floats(bases.b));
  run_gemm(plan, data);
  std::vector<float> result(static_cast<std::size_t>(c.gemm.r * c.gemm.c));
  untile_c(c.alpha, c.gemm, data.of(Port::C).floats(0), result.data());
  return result;
}

TEST(BaristaData, FourHundredGemmsAreBitExactInTheOrderOfTheContract) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed, static_cast<test::Values>(seed % test::kValues));
    const std::vector<float> result = run(c, [&](const Plan& plan, DataMemory& data) {
      test::RandomMemory memory(0, static_cast<Cycles>(seed % 9), seed);
      if (seed % 2 == 0) {
        run_exact(plan, memory, &data);
      } else {
        systemc::virtual_platform().run(plan, memory, data.channel_of_port, &data.channels);
      }
    });
    for (std::int64_t row = 0; row < c.gemm.r; ++row) {
      for (std::int64_t column = 0; column < c.gemm.c; ++column) {
        ASSERT_EQ(bits(result[static_cast<std::size_t>(row * c.gemm.c + column)]),
                  output(c.alpha, c.gemm, c.a, c.b, row, column))
            << row << " " << column;
      }
    }
  }
}

// oneDNN adds in another order: the difference is one rounding per product and sum, at most P + S1 times 2^-24 of the
// sum of magnitudes.
TEST(BaristaData, OneDnnAgreesWithinTheRoundingOfItsSums) {
  for (std::uint64_t seed = 1001; seed <= 1100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed, test::Values::Uniform);
    const std::vector<float> result = run(c, [&](const Plan& plan, DataMemory& data) {
      test::RandomMemory memory(0, 3, seed);
      run_exact(plan, memory, &data);
    });
    const auto [r, p, columns, zeros] = c.gemm;
    std::vector<float> reference(result.size()), magnitude(result.size());
    ASSERT_EQ(
        dnnl_sgemm('N', 'N', r, columns, p, 1.0F, c.a.data(), p, c.b.data(), columns, 0.0F, reference.data(), columns),
        dnnl_success);
    std::vector<float> a = c.a, b = c.b;
    for (float& value : a) value = std::fabs(value);
    for (float& value : b) value = std::fabs(value);
    ASSERT_EQ(
        dnnl_sgemm('N', 'N', r, columns, p, 1.0F, a.data(), p, b.data(), columns, 0.0F, magnitude.data(), columns),
        dnnl_success);
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double bound = 2.0 * static_cast<double>(p + c.alpha.partials) * 0x1p-24 * magnitude[i];
      ASSERT_NEAR(result[i], reference[i], bound) << i;
    }
  }
}

}  // namespace
}  // namespace weft::barista
