#pragma once

#include <fmt/core.h>

#include <cstdint>

#include "model/conv/convolution.h"
#include "model/core/error.h"

namespace weft::conv {

// Number of pairs of one of the first `outputs` outputs and a sample of KERN that meet a stored sample of INP.
std::int64_t stored_pairs(const Axis& axis, std::int64_t outputs);

// The words of one memory port, starting at byte address 0.
template <typename T>
struct WordSpan {
  T* data = nullptr;
  Words size = 0;

  T& operator[](Words index) const {
    if (index < 0 || index >= size) throw Error(fmt::format("word {} lies outside a memory of {}", index, size));
    return data[index];
  }
};

// Word addresses of the tensors of a convolution, counted from byte address 0. Words have 32 bits, or bases are 0.
struct WordAddress {
  const Convolution& c;

  static constexpr int kWordBytes = 4;
  static Words start(const TensorView& view) { return view.base / kWordBytes + view.first; }

  // Sample (y, x) of channel `channel` of INP.
  Words inp(std::int64_t a, std::int64_t n, std::int64_t channel, int y, int x) const {
    return start(c.inp) + a * c.inp.pitch_a + n * c.inp.pitch_n + channel * c.inp.pitch_c + Words{y} * c.w.inp + x;
  }
  // Position (i, j) of channel `channel` of kernel `n`, as seen by the window: GI reads the stored kernels transposed,
  // with maps rotated by 180 degrees.
  Words kern(std::int64_t a, std::int64_t n, std::int64_t channel, int i, int j) const {
    if (c.kern_transposed()) {
      return start(c.kern) + channel * c.kern.pitch_n + n * c.kern.pitch_c + Words{c.h.kern - 1 - i} * c.w.kern +
             (c.w.kern - 1 - j);
    }
    return start(c.kern) + a * c.kern.pitch_a + n * c.kern.pitch_n + channel * c.kern.pitch_c + Words{i} * c.w.kern + j;
  }
  // Output (y, x) of INP's `n_inp` and KERN's `n_kern`.
  Words out(std::int64_t n_inp, std::int64_t n_kern, int y, int x) const {
    const bool gw = c.kind == Kind::GW;
    return start(c.out) + (gw ? n_kern : n_inp) * c.out.pitch_n + (gw ? n_inp : n_kern) * c.out.pitch_c +
           Words{y} * c.w.out + x;
  }
};

// Summation of the products of one output. add() is called for every product of Convolution::m() in order, including
// the zeros of padding and dilation; end_of_a() after the products of each A; value() once, at the end.
struct FloatSum {
  float sum = 0;
  void add(float inp, float kern) { sum += inp * kern; }
  void end_of_a() {}
  float value() const { return sum; }
};

struct DoubleSum {
  double sum = 0;
  void add(float inp, float kern) { sum += static_cast<double>(inp) * kern; }
  void end_of_a() {}
  float value() const { return static_cast<float>(sum); }
};

// Definition of a Convolution: computes OUT from INP and KERN sample by sample, without shortcuts. Reference for every
// model and every kernel in data mode. Throws Error if a view leaves its memory.
template <typename Sum, typename T = float>
void run_loop_nest(const Convolution& c, WordSpan<const T> inp, WordSpan<const T> kern, WordSpan<T> out) {
  const WordAddress at{c};
  const int rows = c.h.kern_dilated(), cols = c.w.kern_dilated();
  for (std::int64_t n_inp = 0; n_inp < c.n_inp; ++n_inp) {
    for (std::int64_t n_kern = 0; n_kern < c.n_kern; ++n_kern) {
      for (int y = 0; y < c.h.out; ++y) {
        for (int x = 0; x < c.w.out; ++x) {
          Sum sum;
          for (std::int64_t a = 0; a < c.a; ++a) {
            for (std::int64_t channel = 0; channel < c.c; ++channel) {
              for (int i = 0; i < rows; ++i) {
                for (int j = 0; j < cols; ++j) {
                  const int row = c.h.sample(y, i), col = c.w.sample(x, j);
                  const bool inp_zero = row < 0 || col < 0;
                  const bool kern_zero = i % c.h.kern_dilation != 0 || j % c.w.kern_dilation != 0;
                  sum.add(inp_zero ? T{} : inp[at.inp(a, n_inp, channel, row, col)],
                          kern_zero ? T{}
                                    : kern[at.kern(a, n_kern, channel, i / c.h.kern_dilation, j / c.w.kern_dilation)]);
                }
              }
            }
            sum.end_of_a();
          }
          out[at.out(n_inp, n_kern, y, x)] = sum.value();
        }
      }
    }
  }
}

extern template void run_loop_nest<FloatSum>(const Convolution&, WordSpan<const float>, WordSpan<const float>,
                                             WordSpan<float>);
extern template void run_loop_nest<DoubleSum>(const Convolution&, WordSpan<const float>, WordSpan<const float>,
                                              WordSpan<float>);

}  // namespace weft::conv
