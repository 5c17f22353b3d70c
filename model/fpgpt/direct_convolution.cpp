#include "model/fpgpt/direct_convolution.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/fp32.h"

namespace weft::fpgpt {

namespace {

// So many kernels side by side in a register, and so many outputs at a time: four partial sums of each fill the
// registers. The sums are those of any other choice.
#if defined(__AVX512F__)
constexpr int kLanes = 16, kOutputs = 6;
#elif defined(__AVX__)
constexpr int kLanes = 8, kOutputs = 3;
#else
constexpr int kLanes = 4, kOutputs = 3;
#endif
constexpr int kPartials = 4;  // NUM-2

using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

// One word of each of kLanes kernels.
struct alignas(Lanes) Row {
  std::array<float, kLanes> lane{};

  Lanes load() const {
    Lanes lanes;
    std::memcpy(&lanes, lane.data(), sizeof lanes);
    return lanes;
  }
  void store(Lanes lanes) { std::memcpy(lane.data(), &lanes, sizeof lanes); }
};

// One axis of INP as windows see it, with its zeros stored: position i of the window of output o is sample
// o * step + i. Windows that do not touch stand side by side.
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
  std::vector<int> source;  // the stored sample, or -1: a zero
};

// Results of kOutputs windows for kLanes kernels: NUM-2, NUM-3. `window`: the first sample of each; `offset`: from
// there to the sample of product m; `weights`: of product m. Each product and each sum is rounded: this file is
// compiled without contraction.
template <int kWindows>
void results(const Row* weights, const std::ptrdiff_t* offset, std::int64_t m_count, const float* const* window,
             Row* result) {
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

using Results = void (*)(const Row*, const std::ptrdiff_t*, std::int64_t, const float* const*, Row*);

template <int... kLess>
constexpr std::array<Results, sizeof...(kLess)> all_results(std::integer_sequence<int, kLess...>) {
  return {results<kLess + 1>...};
}
// By the number of windows, less one.
constexpr std::array<Results, kOutputs> kResults = all_results(std::make_integer_sequence<int, kOutputs>{});

class Part {
 public:
  Part(const conv::Convolution& c, const TensorWords& words)
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
    return rows * Bytes{sizeof(Row)} + c.m() * Bytes{sizeof(std::ptrdiff_t)} + samples * Bytes{sizeof(float)};
  }

  // The outputs from `first` to before `end` of every kernel, counted over the maps of all images of INP.
  void run(std::int64_t first, std::int64_t end) {
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
  }

 private:
  // Product by product, the kernels of a block side by side (KERN-9); what is no stored weight stays +0.
  void arrange_weights(std::int64_t a) {
    const std::int64_t map = std::int64_t{c_.h.kern} * c_.w.kern;
    for (std::int64_t k = 0; k < c_.n_kern; ++k) {
      Row* const block = &weights_[static_cast<std::size_t>(k / kLanes * m_)];
      const auto lane = static_cast<std::size_t>(k % kLanes);
      for (std::int64_t channel = 0; channel < c_.c; ++channel) {
        const float* const stored =
            words_.kern +
            (c_.kern_transposed() ? (channel * c_.n_kern + k) * map : a * c_.kern.pitch_a + (k * c_.c + channel) * map);
        for (std::int64_t tap = 0; tap < map; ++tap) {
          const std::int64_t i = tap / c_.w.kern * c_.h.kern_dilation, j = tap % c_.w.kern * c_.w.kern_dilation;
          block[(channel * c_.h.kern_dilated() + i) * c_.w.kern_dilated() + j].lane[lane] =
              stored[c_.kern_transposed() ? map - 1 - tap : tap];
        }
      }
    }
  }

  // The image that the windows of rows `from` to `to` of OUT see.
  void expand(std::int64_t a, std::int64_t n, int from, int to) {
    const std::ptrdiff_t width = columns_.size();
    for (std::int64_t channel = 0; channel < c_.c; ++channel) {
      const float* const map = words_.inp + a * c_.inp.pitch_a + n * c_.inp.pitch_n + channel * c_.inp.pitch_c;
      for (std::ptrdiff_t row = rows_.at(from); row < rows_.at(to) + c_.h.kern_dilated(); ++row) {
        float* const samples = &samples_[static_cast<std::size_t>((channel * rows_.size() + row) * width)];
        const int stored = rows_.source[static_cast<std::size_t>(row)];
        if (stored < 0) {
          std::fill_n(samples, width, 0.0F);
          continue;
        }
        const float* const line = map + std::int64_t{stored} * c_.w.inp;
        for (std::ptrdiff_t column = 0; column < width; ++column) {
          const int source = columns_.source[static_cast<std::size_t>(column)];
          samples[column] = source < 0 ? 0.0F : line[source];
        }
      }
    }
  }

  void outputs(std::int64_t a, std::int64_t n, std::int64_t block, std::int64_t o, int count) {
    std::array<const float*, kOutputs> window{};
    for (int i = 0; i < count; ++i) {
      const auto y = static_cast<int>((o + i) / c_.w.out), x = static_cast<int>((o + i) % c_.w.out);
      window.at(static_cast<std::size_t>(i)) = samples_.data() + rows_.at(y) * columns_.size() + columns_.at(x);
    }
    std::array<Row, kOutputs> result;
    kResults.at(static_cast<std::size_t>(count - 1))(&weights_[static_cast<std::size_t>(block * m_)], offset_.data(),
                                                     m_, window.data(), result.data());
    const bool gw = c_.kind == conv::Kind::GW;
    for (std::int64_t k = block * kLanes; k < std::min(c_.n_kern, (block + 1) * kLanes); ++k) {
      const std::int64_t image = gw ? k : n, channel = gw ? n : k;
      float* const out = words_.out + image * c_.out.pitch_n + channel * c_.out_map() + o;
      for (int i = 0; i < count; ++i) {
        const float value = result.at(static_cast<std::size_t>(i)).lane.at(static_cast<std::size_t>(k % kLanes));
        out[i] = fp32::canonical(a == 0 ? value : out[i] + value);  // NUM-4
      }
    }
  }

  const conv::Convolution& c_;
  TensorWords words_;
  Expanded rows_, columns_;
  std::int64_t blocks_;  // of kLanes kernels
  std::int64_t m_;
  std::vector<Row> weights_;            // by block and product
  std::vector<std::ptrdiff_t> offset_;  // by product
  std::vector<float> samples_;          // of one image: (C, rows, columns)
};

}  // namespace

Bytes direct_convolution_bytes(const conv::Convolution& c) {
  return Part::bytes(c);
}

void direct_convolution(const conv::Convolution& c, const TensorWords& words, int part, int parts) {
  const fp32::PeArithmetic arithmetic;
  const std::int64_t all = c.n_inp * c.out_map();
  // Whole groups of kOutputs, so that only the last part has a short one.
  const std::int64_t groups = ceil_div(all, kOutputs);
  const std::int64_t first = groups * part / parts * kOutputs, end = groups * (part + 1) / parts * kOutputs;
  if (first < all && first < end) Part(c, words).run(first, std::min(end, all));
}

}  // namespace weft::fpgpt
