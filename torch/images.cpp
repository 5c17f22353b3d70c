#include "torch/images.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <utility>

#include "model/core/error.h"

namespace weft::nn {

namespace {

constexpr std::int64_t kMostClasses = 10;
constexpr std::int64_t kCells = 4;  // cells per side of a picture
constexpr float kNoise = 0.5F;      // at most; pixels are within -1 .. 1

constexpr std::size_t kPixels = std::size_t{3} * 32 * 32;
constexpr std::size_t kRecord = 1 + kPixels;  // label, then red, green and blue
// Per channel of the training set: github.com/ICIdsl/muppet, whose training the networks here follow.
constexpr std::array<float, 3> kMean{0.4914F, 0.4822F, 0.4465F}, kDeviation{0.2023F, 0.1994F, 0.2010F};

}  // namespace

SyntheticImages::SyntheticImages(const ImageShape& shape, std::int64_t classes, std::uint64_t seed)
    : shape_(shape), random_(seed) {
  const auto [channels, rows, columns] = shape;
  pictures_.resize(static_cast<std::size_t>(std::min(classes, kMostClasses)));
  for (std::vector<float>& picture : pictures_) {
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      std::array<std::array<float, kCells>, kCells> cells{};
      for (auto& row : cells) {
        for (float& cell : row) cell = static_cast<float>(uniform());
      }
      for (std::int64_t y = 0; y < rows; ++y) {
        for (std::int64_t x = 0; x < columns; ++x) {
          picture.push_back(
              cells.at(static_cast<std::size_t>(y * kCells / rows)).at(static_cast<std::size_t>(x * kCells / columns)));
        }
      }
    }
  }
}

// Not std::uniform_real_distribution: its results depend on the standard library.
double SyntheticImages::uniform() {
  return static_cast<double>(random_() >> 11) * 0x1p-52 - 1;
}

Images SyntheticImages::next(std::int64_t count) {
  Images images;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t label = random_() % pictures_.size();
    images.labels.push_back(static_cast<std::int64_t>(label));
    for (const float pixel : pictures_[label]) {
      images.pixels.push_back(pixel + kNoise * static_cast<float>(uniform()));
    }
  }
  return images;
}

Cifar10Images::Cifar10Images(const std::filesystem::path& folder, std::uint64_t seed) : random_(seed) {
  for (int number = 1; number <= 5; ++number) {
    const std::filesystem::path path = folder / fmt::format("data_batch_{}.bin", number);
    std::ifstream in(path, std::ios::binary);
    if (!in) continue;
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (bytes.empty() || bytes.size() % kRecord != 0) {
      throw InputError(
          path.string(), 0, "",
          fmt::format("has {} bytes, not a multiple of {}, the bytes of an image of CIFAR-10", bytes.size(), kRecord));
    }
    for (std::size_t at = 0; at < bytes.size(); at += kRecord) {
      const auto label = static_cast<unsigned char>(bytes[at]);
      if (label >= kClasses) {
        throw InputError(path.string(), 0, "",
                         fmt::format("image {} is of class {}; CIFAR-10 has 0 to 9", at / kRecord, label));
      }
    }
    records_.insert(records_.end(), bytes.begin(), bytes.end());
  }
  if (records_.empty()) {
    throw Error(
        fmt::format("'{}' holds none of CIFAR-10's files data_batch_1.bin to data_batch_5.bin (binary "
                    "version)",
                    folder.string()));
  }
  order_.resize(records_.size() / kRecord);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  shuffle();
}

// Not std::shuffle: its order depends on the standard library.
void Cifar10Images::shuffle() {
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_() % i]);
}

Images Cifar10Images::next(std::int64_t count) {
  Images images;
  for (std::int64_t i = 0; i < count; ++i) {
    if (at_ == order_.size()) {
      shuffle();
      at_ = 0;
    }
    const unsigned char* const record = records_.data() + order_[at_++] * kRecord;
    images.labels.push_back(record[0]);
    for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
      const std::size_t channel = pixel / (kPixels / 3);
      images.pixels.push_back((static_cast<float>(record[1 + pixel]) / 255.0F - kMean.at(channel)) /
                              kDeviation.at(channel));
    }
  }
  return images;
}

}  // namespace weft::nn
