#include "model/fpgpt/direct_convolution.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/fp32.h"

namespace weft::fpgpt {

namespace {

constexpr int kPartials = 4;  // NUM-2

// Bytes of a vector register, and outputs computed at a time: four partial sums of each fill the registers. T, the type
// of products and sums, is float; for fixed point an integer modulo 2^32 (NUM-6), or of 64 bits where overflows are to
// be counted. A register holds kLanes kernels. The sums do not depend on these choices.
#if defined(__AVX512F__)
constexpr int kRegister = 64, kOutputs = 6;
#elif defined(__AVX__)
constexpr int kRegister = 32, kOutputs = 3;
#else
constexpr int kRegister = 16, kOutputs = 3;
#endif
template <class T>
constexpr int kLanes = kRegister / static_cast<int>(sizeof(T));

template <class T>
struct LanesOf;
template <>
struct LanesOf<float> {
  using Type = float __attribute__((vector_size(kRegister)));
};
template <>
struct LanesOf<std::uint32_t> {
  using Type = std::uint32_t __attribute__((vector_size(kRegister)));
};
template <>
struct LanesOf<std::int64_t> {
  using Type = std::int64_t __attribute__((vector_size(kRegister)));
};

// One word of each of kLanes kernels.
template <class T>
struct alignas(typename LanesOf<T>::Type) Row {
  using Lanes = typename LanesOf<T>::Type;
  std::array<T, kLanes<T>> lane{};

  Lanes load() const {
    Lanes lanes;
    std::memcpy(&lanes, lane.data(), sizeof lanes);
    return lanes;
  }
  void store(Lanes lanes) { std::memcpy(lane.data(), &lanes, sizeof lanes); }
};

// Words of INP, KERN and OUT. put() turns a result into a word of OUT, added to that of an earlier a.
struct Floats {
  using Words = TensorWords;
  using Sum = float;
  std::int64_t overflows = 0;  // none is counted

  // NUM-4
  void put(float& out, float value, bool first) { out = fp32::canonical(first ? value : out + value); }
};
template <class T>
struct FixedPoints {
  using Words = FixedTensorWords;
  using Sum = T;
  std::int64_t overflows = 0;

  // NUM-7
  void put(std::int32_t& out, T value, bool first) {
    const std::int32_t result = cut(value);
    out = first ? result : cut(static_cast<T>(static_cast<T>(out) + static_cast<T>(result)));
  }

 private:
  std::int32_t cut(T sum) {
    const auto word = static_cast<std::int32_t>(sum);
    if constexpr (sizeof(T) > sizeof word) overflows += sum != word;
    return word;
  }
};

// One axis of INP as the windows see it, with its zeros stored: position i of the window of output o is sample o * step
// + i. Windows that do not touch are stored next to each other.
struct Expanded {
  explicit Expanded(const conv::Axis& axis) : step(step_of(axis)), source(static_cast<std::size_t>(size_of(axis)), -1) {
    const int kern = axis.kern_dilated();
    for (int o = 0; o < axis.out; ++o) {
      for (int i = o == 0 ? 0 : kern - step; i < kern; ++i) source[at(o) + i] = axis.sample(o, i);
    }
  }
  static int step_of(const conv::Axis& axis) { return std::min(axis.stride, axis.kern_dilated()); }
  static std::int64_t size_of(const conv::Axis& axis) {
    return std::int64_t{axis.out - 1} * step_of(axis) + axis.kern_dilated();
  }
  std::ptrdiff_t at(int output) const { return std::ptrdiff_t{output} * step; }
  std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(source.size()); }

  int step;
  std::vector<int> source;  // index of the stored sample, or -1 for a zero
};

// Computes kWindows results for kLanes kernels (NUM-2, NUM-3). `window`: first sample of each; `offset`: distance from
// there to the sample of product m; `weights`: of product m. Each product and each sum is rounded: this file is
// compiled without contraction.
template <class T, int kWindows>
void results(const Row<T>* weights, const std::ptrdiff_t* offset, std::int64_t m_count, const T* const* window,
             Row<T>* result) {
  using Lanes = typename LanesOf<T>::Type;
  Lanes partial[kPartials][kWindows] = {};
  const auto product = [&](std::int64_t m, int p) {
    const Lanes weight = weights[m].load();
    const std::ptrdiff_t at = offset[m];
    for (int i = 0; i < kWindows; ++i) partial[p][i] += weight * window[i][at];
  };
  std::int64_t m = 0;
  for (; m + kPartials <= m_count; m += kPartials) {
    for (int p = 0; p < kPartials; ++p) product(m + p, p);
  }
  for (int p = 0; p + 1 < kPartials; ++p) {
    if (m + p < m_count) product(m + p, p);
  }
  for (int i = 0; i < kWindows; ++i) {
    result[i].store((partial[0][i] + partial[1][i]) + (partial[2][i] + partial[3][i]));
  }
}

template <class T>
using Results = void (*)(const Row<T>*, const std::ptrdiff_t*, std::int64_t, const T* const*, Row<T>*);

template <class T, int... kLess>
constexpr std::array<Results<T>, sizeof...(kLess)> all_results(std::integer_sequence<int, kLess...>) {
  return {results<T, kLess + 1>...};
}
// results() by number of windows, less one.
template <class T>
constexpr std::array<Results<T>, kOutputs> kResults = all_results<T>(std::make_integer_sequence<int, kOutputs>{});

template <class Numbers>
class Part {
  using T = typename Numbers::Sum;
  using Row = fpgpt::Row<T>;
  static constexpr int kLanes = fpgpt::kLanes<T>;

 public:
  Part(const conv::Convolution& c, const typename Numbers::Words& words)
      : c_(c),
        words_(words),
        rows_(c.h),
        columns_(c.w),
        blocks_(ceil_div(c.n_kern, kLanes)),
        m_(c.m()),
        weights_(static_cast<std::size_t>(blocks_ * m_)),
        samples_(static_cast<std::size_t>(c.c * rows_.size() * columns_.size())) {
    offset_.reserve(static_cast<std::size_t>(m_));
    for (std::int64_t channel = 0; channel < c.c; ++channel) {
      for (int i = 0; i < c.h.kern_dilated(); ++i) {
        for (int j = 0; j < c.w.kern_dilated(); ++j) {
          offset_.push_back((channel * rows_.size() + i) * columns_.size() + j);
        }
      }
    }
  }

  static Bytes bytes(const conv::Convolution& c) {
    const std::int64_t rows = ceil_div(c.n_kern, kLanes) * c.m(),
                       samples = c.c * Expanded::size_of(c.h) * Expanded::size_of(c.w);
    return rows * Bytes{sizeof(Row)} + c.m() * Bytes{sizeof(std::ptrdiff_t)} + samples * Bytes{sizeof(T)};
  }

  // Computes outputs `first` to `end` - 1 of every kernel, counted over the maps of all images; returns overflows.
  std::int64_t run(std::int64_t first, std::int64_t end) {
    const std::int64_t map = c_.out_map();
    for (std::int64_t a = 0; a < c_.a; ++a) {
      if (a == 0 || c_.kind == conv::Kind::GW) arrange_weights(a);
      for (std::int64_t n = first / map; n * map < end; ++n) {
        const std::int64_t from = std::max(first - n * map, std::int64_t{0}), to = std::min(end - n * map, map);
        expand(a, n, static_cast<int>(from / c_.w.out), static_cast<int>((to - 1) / c_.w.out));
        for (std::int64_t block = 0; block < blocks_; ++block) {
          for (std::int64_t o = from; o < to; o += kOutputs) {
            outputs(a, n, block, o, static_cast<int>(std::min<std::int64_t>(kOutputs, to - o)));
          }
        }
      }
    }
    return numbers_.overflows;
  }

 private:
  // Orders the weights by product, one Row for a block's kernels (KERN-9); positions without a stored weight stay +0.
  void arrange_weights(std::int64_t a) {
    const std::int64_t map = std::int64_t{c_.h.kern} * c_.w.kern;
    for (std::int64_t k = 0; k < c_.n_kern; ++k) {
      Row* const block = &weights_[static_cast<std::size_t>(k / kLanes * m_)];
      const auto lane = static_cast<std::size_t>(k % kLanes);
      for (std::int64_t channel = 0; channel < c_.c; ++channel) {
        const auto* const stored =
            words_.kern +
            (c_.kern_transposed() ? (channel * c_.n_kern + k) * map : a * c_.kern.pitch_a + (k * c_.c + channel) * map);
        for (std::int64_t tap = 0; tap < map; ++tap) {
          const std::int64_t i = tap / c_.w.kern * c_.h.kern_dilation, j = tap % c_.w.kern * c_.w.kern_dilation;
          block[(channel * c_.h.kern_dilated() + i) * c_.w.kern_dilated() + j].lane[lane] =
              static_cast<T>(stored[c_.kern_transposed() ? map - 1 - tap : tap]);
        }
      }
    }
  }

  // Stores the samples of an image, zeros included, that the windows of rows `from` to `to` of OUT see.
  void expand(std::int64_t a, std::int64_t n, int from, int to) {
    const std::ptrdiff_t width = columns_.size();
    for (std::int64_t channel = 0; channel < c_.c; ++channel) {
      const auto* const map = words_.inp + a * c_.inp.pitch_a + n * c_.inp.pitch_n + channel * c_.inp.pitch_c;
      for (std::ptrdiff_t row = rows_.at(from); row < rows_.at(to) + c_.h.kern_dilated(); ++row) {
        T* const samples = &samples_[static_cast<std::size_t>((channel * rows_.size() + row) * width)];
        const int stored = rows_.source[static_cast<std::size_t>(row)];
        if (stored < 0) {
          std::fill_n(samples, width, T{});
          continue;
        }
        const auto* const line = map + std::int64_t{stored} * c_.w.inp;
        for (std::ptrdiff_t column = 0; column < width; ++column) {
          const int source = columns_.source[static_cast<std::size_t>(column)];
          samples[column] = source < 0 ? T{} : static_cast<T>(line[source]);
        }
      }
    }
  }

  void outputs(std::int64_t a, std::int64_t n, std::int64_t block, std::int64_t o, int count) {
    std::array<const T*, kOutputs> window{};
    for (int i = 0; i < count; ++i) {
      const auto y = static_cast<int>((o + i) / c_.w.out), x = static_cast<int>((o + i) % c_.w.out);
      window.at(static_cast<std::size_t>(i)) = samples_.data() + rows_.at(y) * columns_.size() + columns_.at(x);
    }
    std::array<Row, kOutputs> result;
    kResults<T>.at(static_cast<std::size_t>(count - 1))(&weights_[static_cast<std::size_t>(block * m_)], offset_.data(),
                                                        m_, window.data(), result.data());
    const bool gw = c_.kind == conv::Kind::GW;
    for (std::int64_t k = block * kLanes; k < std::min(c_.n_kern, (block + 1) * kLanes); ++k) {
      const std::int64_t image = gw ? k : n, channel = gw ? n : k;
      auto* const out = words_.out + image * c_.out.pitch_n + channel * c_.out_map() + o;
      for (int i = 0; i < count; ++i) {
        numbers_.put(out[i], result.at(static_cast<std::size_t>(i)).lane.at(static_cast<std::size_t>(k % kLanes)),
                     a == 0);
      }
    }
  }

  const conv::Convolution& c_;
  typename Numbers::Words words_;
  Numbers numbers_;
  Expanded rows_, columns_;
  std::int64_t blocks_;  // blocks of kLanes kernels
  std::int64_t m_;
  std::vector<Row> weights_;            // by block and product
  std::vector<std::ptrdiff_t> offset_;  // by product
  std::vector<T> samples_;              // of one image: (C, rows, columns)
};

template <class Numbers>
std::int64_t run_part(const conv::Convolution& c, const typename Numbers::Words& words, int part, int parts) {
  const std::int64_t all = c.n_inp * c.out_map();
  // Parts are whole groups of kOutputs, so that only the last part has a short group.
  const std::int64_t groups = ceil_div(all, kOutputs);
  const std::int64_t first = groups * part / parts * kOutputs, end = groups * (part + 1) / parts * kOutputs;
  return first < all && first < end ? Part<Numbers>(c, words).run(first, std::min(end, all)) : 0;
}

}  // namespace

Bytes direct_convolution_bytes(const conv::Convolution& c) {
  return Part<Floats>::bytes(c);
}
Bytes fixed_convolution_bytes(const conv::Convolution& c) {
  return Part<FixedPoints<std::int64_t>>::bytes(c);
}

void direct_convolution(const conv::Convolution& c, const TensorWords& words, int part, int parts) {
  const fp32::PeArithmetic arithmetic;
  run_part<Floats>(c, words, part, parts);
}

std::int64_t direct_convolution(const conv::Convolution& c, const FixedTensorWords& words, bool may_overflow, int part,
                                int parts) {
  const auto run = may_overflow ? run_part<FixedPoints<std::int64_t>> : run_part<FixedPoints<std::uint32_t>>;
  return run(c, words, part, parts);
}

bool may_overflow(const conv::Convolution& c, const FixedTensorWords& words) {
  std::int64_t largest = 0;
  for (std::int64_t a = 0; a < c.a; ++a) {
    for (std::int64_t n = 0; n < c.n_inp; ++n) {
      for (std::int64_t channel = 0; channel < c.c; ++channel) {
        const std::int16_t* const map = words.inp + a * c.inp.pitch_a + n * c.inp.pitch_n + channel * c.inp.pitch_c;
        for (std::int64_t i = 0; i < c.inp_map(); ++i) largest = std::max<std::int64_t>(largest, std::abs(map[i]));
      }
    }
  }
  const std::int64_t map = std::int64_t{c.h.kern} * c.w.kern;
  for (std::int64_t k = 0; k < c.n_kern; ++k) {
    std::int64_t sum = 0;  // largest contribution of the kernel's words to an output, in units of `largest`
    for (std::int64_t a = 0; a < c.a; ++a) {
      for (std::int64_t channel = 0; channel < c.c; ++channel) {
        const std::int64_t at =
            c.kern_transposed() ? (channel * c.n_kern + k) * map : a * c.kern.pitch_a + (k * c.c + channel) * map;
        for (std::int64_t tap = 0; tap < map; ++tap) sum += std::abs(words.kern[at + tap]);
      }
    }
    if (sum * largest > std::numeric_limits<std::int32_t>::max()) return true;
  }
  return false;
}

}  // namespace weft::fpgpt
