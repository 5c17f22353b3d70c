#include "model/core/fnv1a.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

template <class Digest>
auto digest_of(const std::string& text) {
  Digest digest;
  digest.add_bytes(text);
  return digest.value();
}

// The vectors that its authors publish (Fowler, Noll, Vo; the test suite of FNV).
TEST(Fnv1a, GivesThePublishedValues) {
  EXPECT_EQ(digest_of<Fnv1a32>(""), 0x811C9DC5U);
  EXPECT_EQ(digest_of<Fnv1a32>("a"), 0xE40C292CU);
  EXPECT_EQ(digest_of<Fnv1a32>("foobar"), 0xBF9CF968U);
  EXPECT_EQ(digest_of<Fnv1a64>(""), 0xCBF29CE484222325U);
  EXPECT_EQ(digest_of<Fnv1a64>("a"), 0xAF63DC4C8601EC8CU);
  EXPECT_EQ(digest_of<Fnv1a64>("foobar"), 0x85944171F73967E8U);
}

}  // namespace
}  // namespace weft
