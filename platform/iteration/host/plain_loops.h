#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "workloads/graph/graph.h"

// Operators without a oneDNN primitive, as straightforward loops. They run in parallel with OpenMP.
namespace weft::host::plain {

using Index = std::int64_t;

inline float activation(const workloads::ActivationOp& a, float x) {
  using workloads::Activation;
  const auto alpha = static_cast<float>(a.alpha), beta = static_cast<float>(a.beta);
  switch (a.function) {
    case Activation::Erf:
      return std::erf(x);
    case Activation::HardSigmoid:
      return std::max(0.0F, std::min(1.0F, alpha * x + beta));
    case Activation::Reciprocal:
      return 1.0F / x;
    default:
      return x;
  }
}

// `saved`: the input if saves_input(function), else the output.
inline float activation_gradient(const workloads::ActivationOp& a, float g, float saved) {
  using workloads::Activation;
  constexpr float kTwoOverRootPi = 1.1283791670955126F;
  switch (a.function) {
    case Activation::Erf:
      return g * kTwoOverRootPi * std::exp(-saved * saved);
    case Activation::HardSigmoid:
      return saved > 0.0F && saved < 1.0F ? g * static_cast<float>(a.alpha) : 0.0F;
    case Activation::Reciprocal:
      return -g * saved * saved;
    case Activation::Negate:
      return -g;
    default:
      return g;
  }
}

template <class Function>
void map(const float* x, float* y, Index n, Function function) {
#pragma omp parallel for
  for (Index i = 0; i < n; ++i) y[i] = function(x[i]);
}

template <class Function>
void map2(const float* a, const float* b, float* y, Index n, Function function) {
#pragma omp parallel for
  for (Index i = 0; i < n; ++i) y[i] = function(a[i], b[i]);
}

// PRelu with one slope for each channel of (images, channels, spatial).
inline void prelu(const float* x, const float* slope, float* y, Index images, Index channels, Index spatial) {
#pragma omp parallel for collapse(2)
  for (Index n = 0; n < images; ++n) {
    for (Index c = 0; c < channels; ++c) {
      const Index at = (n * channels + c) * spatial;
      for (Index i = at; i < at + spatial; ++i) y[i] = x[i] > 0 ? x[i] : slope[c] * x[i];
    }
  }
}

inline void prelu_gradient(const float* g, const float* x, const float* slope, float* gx, float* gslope, Index images,
                           Index channels, Index spatial) {
#pragma omp parallel for
  for (Index c = 0; c < channels; ++c) {
    float sum = 0;
    for (Index n = 0; n < images; ++n) {
      const Index at = (n * channels + c) * spatial;
      for (Index i = at; i < at + spatial; ++i) {
        gx[i] = x[i] > 0 ? g[i] : slope[c] * g[i];
        if (x[i] <= 0) sum += g[i] * x[i];
      }
    }
    gslope[c] = sum;
  }
}

// Keeps an element if a hash of its index and `seed` reaches `ratio` of the range; the same for any number of threads.
inline void dropout(const float* x, float* y, unsigned char* mask, Index n, double ratio, std::uint32_t seed) {
  const auto dropped = static_cast<std::uint32_t>(std::min(ratio * 4294967296.0, 4294967295.0));
  const auto scale = static_cast<float>(1.0 / (1.0 - ratio));
#pragma omp parallel for
  for (Index i = 0; i < n; ++i) {
    std::uint32_t h = static_cast<std::uint32_t>(i) * 2654435761U + seed;
    h ^= h >> 16;
    h *= 0x7FEB352DU;
    h ^= h >> 15;
    h *= 0x846CA68BU;
    h ^= h >> 16;
    mask[i] = h >= dropped ? 1 : 0;
    y[i] = mask[i] != 0 ? x[i] * scale : 0.0F;
  }
}

inline void dropout_gradient(const float* g, const unsigned char* mask, float* gx, Index n, double ratio) {
  const auto scale = static_cast<float>(1.0 / (1.0 - ratio));
#pragma omp parallel for
  for (Index i = 0; i < n; ++i) gx[i] = mask[i] != 0 ? g[i] * scale : 0.0F;
}

// Softmax cross-entropy, mean over the rows, of the input that `reads` names. For logits, `saved` receives their
// log-softmax.
inline float cross_entropy(const float* x, const std::int64_t* labels, float* saved, Index rows, Index classes,
                           workloads::LossInput reads) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (Index r = 0; r < rows; ++r) {
    const float* const row = x + r * classes;
    const Index label = labels[r];
    if (reads == workloads::LossInput::LogProbabilities) {
      sum -= row[label];
    } else if (reads == workloads::LossInput::Probabilities) {
      sum -= std::log(row[label]);
    } else {
      const float most = *std::max_element(row, row + classes);
      float all = 0;
      for (Index c = 0; c < classes; ++c) all += std::exp(row[c] - most);
      const float log = most + std::log(all);
      for (Index c = 0; c < classes; ++c) saved[r * classes + c] = row[c] - log;
      sum -= row[label] - log;
    }
  }
  return static_cast<float>(sum / static_cast<double>(rows));
}

// `saved`: the input of the loss; for logits their log-softmax; unused for log-probabilities.
inline void cross_entropy_gradient(const std::int64_t* labels, const float* saved, float* g, Index rows, Index classes,
                                   workloads::LossInput reads) {
  const float scale = 1.0F / static_cast<float>(rows);
#pragma omp parallel for
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < classes; ++c) {
      const Index at = r * classes + c;
      const bool hit = labels[r] == c;
      if (reads == workloads::LossInput::Logits) {
        g[at] = scale * (std::exp(saved[at]) - (hit ? 1.0F : 0.0F));
      } else if (reads == workloads::LossInput::Probabilities) {
        g[at] = hit ? -scale / saved[at] : 0.0F;
      } else {
        g[at] = hit ? -scale : 0.0F;
      }
    }
  }
}

// v = momentum * v + (g + weight_decay * w); w = w - rate * v. `v` may be null without momentum.
inline void sgd(float* w, const float* g, float* v, Index n, const workloads::SgdOp& op, float rate) {
  const auto momentum = static_cast<float>(op.momentum), decay = static_cast<float>(op.weight_decay);
#pragma omp parallel for
  for (Index i = 0; i < n; ++i) {
    float step = g[i] + decay * w[i];
    if (v != nullptr) step = v[i] = momentum * v[i] + step;
    w[i] -= rate * step;
  }
}

// Writes each element of `x`, times `scale`, `repeat` times to `y`: backward of a sum or mean over the last axis.
inline void spread(const float* x, float* y, Index n, Index repeat, float scale) {
#pragma omp parallel for
  for (Index i = 0; i < n; ++i) std::fill(y + i * repeat, y + (i + 1) * repeat, x[i] * scale);
}

// Backward of a maximum or minimum over the last axis: the gradient goes to all elements equal to the extreme.
inline void spread_to_equal(const float* g, const float* x, const float* extreme, float* gx, Index n, Index repeat) {
#pragma omp parallel for
  for (Index i = 0; i < n; ++i) {
    for (Index k = i * repeat; k < (i + 1) * repeat; ++k) gx[k] = x[k] == extreme[i] ? g[i] : 0.0F;
  }
}

// Copies the elements of a slice (`to` of `from`) or of an enlargement (repeated elements), whatever their order.
inline void copy(const float* x, float* y, Index from, Index to) {
#pragma omp parallel for
  for (Index i = 0; i < to; ++i) y[i] = x[i < from ? i : i % from];
}

// Backward of a repetition: sums the elements that share an output.
inline void fold(const float* x, float* y, Index from, Index to) {
  const Index share = std::max<Index>(from / std::max<Index>(to, 1), 1);
#pragma omp parallel for
  for (Index i = 0; i < to; ++i) {
    float sum = 0;
    for (Index k = i * share; k < std::min((i + 1) * share, from); ++k) sum += x[k];
    y[i] = sum;
  }
}

// Index of element `i` of a tensor of `shape` in one of shape `other`, which repeats along axes of 1 or missing axes.
inline Index repeated(Index i, const std::vector<Index>& shape, const std::vector<Index>& other) {
  Index at = 0, stride = 1;
  for (std::size_t back = 1; back <= shape.size(); ++back) {
    const Index size = shape[shape.size() - back], index = i % size;
    i /= size;
    if (back > other.size()) break;
    const Index own = other[other.size() - back];
    if (own != 1) at += index * stride;
    stride *= own;
  }
  return at;
}

// Normalises each row. `statistics`: the means, if centred, and the reciprocal deviations.
inline void normalise(const float* x, const float* scale, const float* shift, float* y, float* statistics,
                      const workloads::RowNormOp& r) {
  float* const deviations = r.centred ? statistics + r.rows : statistics;
#pragma omp parallel for
  for (Index row = 0; row < r.rows; ++row) {
    const Index begin = row * r.size;
    float mean = 0, square = 0;
    if (r.centred) {
      for (Index i = begin; i < begin + r.size; ++i) mean += x[i];
      mean /= static_cast<float>(r.size);
      statistics[row] = mean;
    }
    for (Index i = begin; i < begin + r.size; ++i) square += (x[i] - mean) * (x[i] - mean);
    const float factor = 1 / std::sqrt(square / static_cast<float>(r.size) + static_cast<float>(r.epsilon));
    deviations[row] = factor;
    for (Index i = begin; i < begin + r.size; ++i) {
      const Index parameter = i / r.inner % r.channels;
      y[i] = (x[i] - mean) * factor * scale[parameter] + (shift == nullptr ? 0.0F : shift[parameter]);
    }
  }
}

// Gradients of normalise(); each is left out if null.
inline void normalise_gradient(const float* g, const float* x, const float* scale, const float* statistics, float* of_x,
                               float* of_scale, float* of_shift, const workloads::RowNormOp& r) {
  const float* const deviations = r.centred ? statistics + r.rows : statistics;
  if (of_scale != nullptr) std::fill(of_scale, of_scale + r.channels, 0.0F);
  if (of_shift != nullptr) std::fill(of_shift, of_shift + r.channels, 0.0F);
  for (Index row = 0; row < r.rows; ++row) {
    const Index begin = row * r.size;
    const float mean = r.centred ? statistics[row] : 0.0F, factor = deviations[row];
    float sum = 0, product = 0;  // of the gradients of the normalised samples, and with the samples
    for (Index i = begin; i < begin + r.size; ++i) {
      const Index parameter = i / r.inner % r.channels;
      const float sample = (x[i] - mean) * factor;
      if (of_scale != nullptr) of_scale[parameter] += g[i] * sample;
      if (of_shift != nullptr) of_shift[parameter] += g[i];
      sum += g[i] * scale[parameter];
      product += g[i] * scale[parameter] * sample;
    }
    if (of_x == nullptr) continue;
    const float each = r.centred ? sum / static_cast<float>(r.size) : 0.0F;
    const float with = product / static_cast<float>(r.size);
    for (Index i = begin; i < begin + r.size; ++i) {
      of_x[i] = factor * (g[i] * scale[i / r.inner % r.channels] - each - (x[i] - mean) * factor * with);
    }
  }
}

// Sums of `taps` weighted elements.
inline void weigh(const float* x, float* y, Index from, Index to, Index taps) {
  const float weight = 1 / static_cast<float>(taps);
#pragma omp parallel for
  for (Index i = 0; i < to; ++i) {
    float sum = 0;
    for (Index tap = 0; tap < taps; ++tap) sum += weight * x[(i + tap) % from];
    y[i] = sum;
  }
}

// Gradient of operand `of` (0 or 1) of a function of two operands.
inline float arithmetic_gradient(workloads::Arithmetic function, int of, float g, float a, float b) {
  using workloads::Arithmetic;
  switch (function) {
    case Arithmetic::Add:
      return g;
    case Arithmetic::Subtract:
      return of == 0 ? g : -g;
    case Arithmetic::Multiply:
      return g * (of == 0 ? b : a);
    case Arithmetic::Divide:
      return of == 0 ? g / b : -g * a / (b * b);
    case Arithmetic::Max:
      return (a >= b) == (of == 0) ? g : 0.0F;
    case Arithmetic::Min:
      return (a <= b) == (of == 0) ? g : 0.0F;
    case Arithmetic::Power:
      return of == 0 ? g * b * std::pow(a, b - 1) : g * std::pow(a, b) * std::log(a);
  }
  return g;
}

}  // namespace weft::host::plain
