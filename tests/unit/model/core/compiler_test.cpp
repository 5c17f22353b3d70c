#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

// What this compiler, with the options of the build, has been seen to do wrong.
namespace weft {
namespace {

std::vector<std::int64_t> three_of_four(int words) {
  std::vector<std::int64_t> list(4, 0);
  for (int i = 0; i < words; ++i) list[static_cast<std::size_t>(i)] = 4096;
  return list;
}

// GCC's PR 108599: in a test of this form, with -O3 -march=native on a processor with AVX-512, GCC 12.2 stored 4096 as
// the fourth word too.
TEST(TheCompiler, KeepsTheLastWordOfAConstantThatIsZero) {
  EXPECT_EQ(three_of_four(3), (std::vector<std::int64_t>{4096, 4096, 4096, 0}));
  EXPECT_EQ((std::array<std::int64_t, 4>{7, 7, 7, 0})[3], 0);
}

}  // namespace
}  // namespace weft
