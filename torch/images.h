#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <random>
#include <vector>

namespace weft::nn {

// Images (packed NCHW) and the class of each.
struct Images {
  std::vector<float> pixels;
  std::vector<std::int64_t> labels;
};

using ImageShape = std::array<std::int64_t, 3>;  // channels, rows, columns

// Source of training images in batches. The same seed gives the same images.
class ImageSource {
 public:
  virtual ~ImageSource() = default;
  virtual Images next(std::int64_t count) = 0;
};

// A coarse random picture per class with noise, sufficient for a falling loss. At most 10 classes appear.
class SyntheticImages : public ImageSource {
 public:
  SyntheticImages(const ImageShape& shape, std::int64_t classes, std::uint64_t seed);
  Images next(std::int64_t count) override;

 private:
  double uniform();  // -1 .. 1

  ImageShape shape_;
  std::mt19937_64 random_;
  std::vector<std::vector<float>> pictures_;  // by class
};

// CIFAR-10's binary files (data_batch_1.bin ..., as on its page): each image once per pass, in an order that differs
// between passes.
class Cifar10Images : public ImageSource {
 public:
  static constexpr ImageShape kShape{3, 32, 32};
  static constexpr std::int64_t kClasses = 10;

  // Throws Error for a folder without such files, InputError for an invalid file.
  Cifar10Images(const std::filesystem::path& folder, std::uint64_t seed);
  Images next(std::int64_t count) override;

  std::size_t images() const { return order_.size(); }

 private:
  void shuffle();

  std::vector<unsigned char> records_;
  std::vector<std::size_t> order_;
  std::size_t at_ = 0;
  std::mt19937_64 random_;
};

}  // namespace weft::nn
