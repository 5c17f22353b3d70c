#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// Convolutions of the host programs of this folder. Like users' programs, these know XRT and the kernel's registers,
// and nothing of the simulator.
namespace host {

enum class Kind : std::uint32_t { F, GI, GW };

// A layer of a batch, equal along both axes.
struct Layer {
  std::uint32_t batch, channels, size, filters, kernel, stride, pad;

  std::uint32_t out() const { return (size + 2 * pad - kernel) / stride + 1; }
  std::size_t ifm() const { return std::size_t{batch} * channels * size * size; }
  std::size_t ofm() const { return std::size_t{batch} * filters * out() * out(); }
  std::size_t weights() const { return std::size_t{filters} * channels * kernel * kernel; }
};

// A tensor of small whole numbers: sums of products are exact in any order.
using Tensor = std::vector<float>;
inline Tensor numbers(std::size_t words, std::uint32_t seed) {
  Tensor tensor(words);
  for (float& value : tensor) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(static_cast<int>(seed >> 24 & 7) - 3);
  }
  return tensor;
}

// A convolution in the kernel's terms: the values of its registers from KIND to KERN_DIL_W, and the pitches.
struct Convolution {
  std::array<std::uint32_t, 19> sizes{};
  std::array<std::uint32_t, 5> pitches{};
  Tensor inp, kern, out;  // out: expected result
};

inline Convolution convolution(Kind kind, const Layer& l, std::uint32_t seed = 1) {
  const Tensor ifm = numbers(l.ifm(), seed), ofm = numbers(l.ofm(), seed + 1), weights = numbers(l.weights(), seed + 2);
  const std::uint32_t image = l.size * l.size, map = l.out() * l.out(), window = l.kernel * l.kernel, one = 1;
  Convolution c;
  const auto k = static_cast<std::uint32_t>(kind);
  switch (kind) {
    case Kind::F:
      c.sizes = {k,       one,      l.batch,  l.filters, l.channels, l.size, l.size, l.kernel, l.kernel, l.out(),
                 l.out(), l.stride, l.stride, l.pad,     l.pad,      one,    one,    one,      one};
      c.pitches = {0, l.channels * image, image, 0, l.filters * map};
      c.inp = ifm;
      c.kern = weights;
      c.out.resize(l.ofm());
      break;
    case Kind::GI: {
      const std::uint32_t pad = l.kernel - 1 - l.pad;
      c.sizes = {k,      one, l.batch, l.channels, l.filters, l.out(),  l.out(),  l.kernel, l.kernel, l.size,
                 l.size, one, one,     pad,        pad,       l.stride, l.stride, one,      one};
      c.pitches = {0, l.filters * map, map, 0, l.channels * image};
      c.inp = ofm;
      c.kern = weights;
      c.out.resize(l.ifm());
      break;
    }
    case Kind::GW:
      c.sizes = {k,        l.batch, l.channels, l.filters, one,   l.size, l.size, l.out(),  l.out(), l.kernel,
                 l.kernel, one,     one,        l.pad,     l.pad, one,    one,    l.stride, l.stride};
      c.pitches = {l.channels * image, image, image, l.filters * map, l.channels * window};
      c.inp = ifm;
      c.kern = ofm;
      c.out.resize(l.weights());
      break;
  }
  // Computes the layer's definition, one multiply-accumulate after the other.
  for (std::uint32_t n = 0; n < l.batch; ++n) {
    for (std::uint32_t f = 0; f < l.filters; ++f) {
      for (std::uint32_t ch = 0; ch < l.channels; ++ch) {
        for (std::uint32_t y = 0; y < l.out(); ++y) {
          for (std::uint32_t x = 0; x < l.out(); ++x) {
            for (std::uint32_t i = 0; i < l.kernel; ++i) {
              for (std::uint32_t j = 0; j < l.kernel; ++j) {
                const std::uint32_t row = y * l.stride + i - l.pad, column = x * l.stride + j - l.pad;
                if (row >= l.size || column >= l.size) continue;  // in the padding, negative ones included
                const std::size_t in = ((std::size_t{n} * l.channels + ch) * l.size + row) * l.size + column;
                const std::size_t at = ((std::size_t{n} * l.filters + f) * l.out() + y) * l.out() + x;
                const std::size_t w = ((std::size_t{f} * l.channels + ch) * l.kernel + i) * l.kernel + j;
                if (kind == Kind::F) c.out[at] += ifm[in] * weights[w];
                if (kind == Kind::GI) c.out[in] += ofm[at] * weights[w];
                if (kind == Kind::GW) c.out[w] += ifm[in] * ofm[at];
              }
            }
          }
        }
      }
    }
  }
  return c;
}

// Guard after each tensor: the kernel reads bursts beyond a tensor's end.
inline constexpr std::size_t kGuardBytes = 64 << 10;

inline void require_equal(const Tensor& found, const Tensor& wanted, const std::string& what) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (found[i] != wanted[i]) {
      throw std::runtime_error(what + ": word " + std::to_string(i) + " is " + std::to_string(found[i]) + ", not " +
                               std::to_string(wanted[i]));
    }
  }
}

inline const char* name(Kind kind) {
  return kind == Kind::F ? "F" : kind == Kind::GI ? "GI" : "GW";
}

}  // namespace host
