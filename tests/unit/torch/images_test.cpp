#include "torch/images.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "model/core/error.h"
#include "platform/os/temporary_folder.h"

namespace weft::nn {
namespace {

TEST(SyntheticImages, AreTheSameForTheSameSeed) {
  SyntheticImages a({3, 8, 8}, 10, 5), b({3, 8, 8}, 10, 5), c({3, 8, 8}, 10, 6);
  const Images first = a.next(4);
  EXPECT_EQ(first.pixels.size(), 4U * 3 * 8 * 8);
  EXPECT_EQ(first.pixels, b.next(4).pixels);
  EXPECT_NE(first.pixels, c.next(4).pixels);
  EXPECT_NE(first.pixels, a.next(4).pixels);
}

TEST(SyntheticImages, AreOfTenClassesAtMost) {
  std::set<std::int64_t> seen;
  for (const std::int64_t label : SyntheticImages({1, 4, 4}, 1000, 1).next(500).labels) seen.insert(label);
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(*seen.rbegin(), 9);
  for (const std::int64_t label : SyntheticImages({1, 4, 4}, 3, 1).next(100).labels) EXPECT_LT(label, 3);
}

// Files of records: the label, then 3072 bytes that all equal the image's number.
class Cifar10 : public testing::Test {
 protected:
  void write(const std::string& name, const std::vector<int>& labels, int first) const {
    std::ofstream out(folder.path() / name, std::ios::binary);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      out.put(static_cast<char>(labels[i]));
      for (int pixel = 0; pixel < 3072; ++pixel) out.put(static_cast<char>(first + static_cast<int>(i)));
    }
  }
  os::TemporaryFolder folder{std::filesystem::temp_directory_path(), "weft-cifar-"};
};

TEST_F(Cifar10, ShowsEveryImageOnceAPass) {
  write("data_batch_1.bin", {0, 1, 2}, 0);
  write("data_batch_4.bin", {3, 4}, 3);
  Cifar10Images source(folder.path(), 1);
  EXPECT_EQ(source.images(), 5U);
  for (int pass = 0; pass < 3; ++pass) {
    const Images images = source.next(5);
    std::set<std::int64_t> seen;
    for (std::size_t i = 0; i < 5; ++i) {
      seen.insert(images.labels[i]);
      // Image n has class n and bytes n: blue is (n / 255 - 0.4465) / 0.2010.
      const float blue = images.pixels[i * 3072 + 3071];
      EXPECT_FLOAT_EQ(blue, (static_cast<float>(images.labels[i]) / 255.0F - 0.4465F) / 0.2010F);
    }
    EXPECT_EQ(seen.size(), 5U);
  }
}

TEST_F(Cifar10, RefusesWhatIsNoFileOfIt) {
  EXPECT_THROW(Cifar10Images(folder.path(), 1), Error);
  write("data_batch_1.bin", {10}, 0);
  EXPECT_THROW(Cifar10Images(folder.path(), 1), InputError);
  std::ofstream(folder.path() / "data_batch_1.bin", std::ios::binary) << std::string(3074, '\0');
  EXPECT_THROW(Cifar10Images(folder.path(), 1), InputError);
}

}  // namespace
}  // namespace weft::nn
