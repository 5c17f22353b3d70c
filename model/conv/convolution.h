#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "model/core/units.h"

namespace weft::conv {

// C = A * B: R by P times P by C.
struct Gemm {
  std::int64_t r = 1, p = 1, c = 1;
  // Number of products that multiply a padding zero of the convolution, or whose sum falls into the padding.
  std::int64_t zeros = 0;

  std::int64_t macs() const { return r * p * c; }
};

// One spatial axis of a layer as its network defines it.
struct LayerAxis {
  int size = 1;    // H or W of the IFM
  int kernel = 1;  // kh or kw, undilated
  int stride = 1;
  int pad_begin = 0;
  int pad_end = 0;
  int dilation = 1;

  int kernel_extent() const { return dilation * (kernel - 1) + 1; }
  int out() const { return (size + pad_begin + pad_end - kernel_extent()) / stride + 1; }
};

// A convolution layer: IFM (N, C, H, W), weights (D, C/groups, kh, kw), OFM (N, D, Ho, Wo). A transposed convolution is
// described by the convolution that it transposes: it reads (N, D, Ho, Wo) and writes (N, C, H, W).
struct Layer {
  std::string name;
  int batch = 1;
  int channels = 1;  // C of the IFM, all groups
  int filters = 1;   // D, all groups
  int groups = 1;
  LayerAxis h, w;

  bool from_graph_input = false;  // the gradient of its input is not needed for training
  bool transposed = false;
};

// Returns "64x56x56 128x3 s2": channels, height and width of the input; filters and kernel size (3 is 3x3); strides,
// dilations and groups that are not 1; "transposed" if it is.
std::string shape_text(const Layer& layer);

// The three convolutions of training a layer (the thesis, Table 5.2): forward, IFM gradient, weight gradient.
enum class Kind : std::uint8_t { F, GI, GW };

const char* to_string(Kind kind);  // "F", "GI", "GW"

// The convolution of Layer's geometry that computes `kind`: in a transposed layer, F and GI swap.
inline Kind computed_as(const Layer& layer, Kind kind) {
  if (!layer.transposed || kind == Kind::GW) return kind;
  return kind == Kind::F ? Kind::GI : Kind::F;
}

// One spatial axis of one convolution. At window position i (0 <= i < kern), output o reads the dilated coordinate
//   y = o * stride - pad_begin + i * kern_dilation
// of INP. y touches a stored sample iff 0 <= y <= (inp - 1) * inp_dilation and y mod inp_dilation = 0; that sample is
// y / inp_dilation. Everything else is a zero. pad_begin may be negative (crop). `out` outputs are computed.
struct Axis {
  int inp = 1;   // stored samples of INP
  int kern = 1;  // stored samples of KERN
  int out = 1;   // outputs, after cropping
  int stride = 1;
  int pad_begin = 0;
  int inp_dilation = 1;
  int kern_dilation = 1;

  int kern_dilated() const { return kern_dilation * (kern - 1) + 1; }  // window positions, zeros included
  // Returns the stored sample of INP that output `o` reads at position `p` (0 <= p < kern_dilated()) of the
  // dilated window, or -1 if there is none. Positions between KERN's samples are included: the window covers them.
  int sample(int o, int p) const {
    const int y = o * stride - pad_begin + p;
    if (y < 0 || y > (inp - 1) * inp_dilation || y % inp_dilation != 0) return -1;
    return y / inp_dilation;
  }

  template <class Self>
  static auto all(const Self& self) {
    return std::tie(self.inp, self.kern, self.out, self.stride, self.pad_begin, self.inp_dilation, self.kern_dilation);
  }
  friend bool operator==(const Axis& a, const Axis& b);
};

// Layout of a tensor in the memory of its port: packed rows and maps; the pitches let groups and cropped views need no
// copy. The first word is `first` words after `base`, which is the byte address of a 32-bit word or, for narrower
// words, of a beat (PCK-2).
struct TensorView {
  Address base = 0;
  Words pitch_a = 0;  // between consecutive A
  Words pitch_n = 0;
  Words pitch_c = 0;
  Words first = 0;

  template <class Self>
  static auto all(const Self& self) {
    return std::tie(self.base, self.pitch_a, self.pitch_n, self.pitch_c, self.first);
  }
  friend bool operator==(const TensorView& a, const TensorView& b);
};

// beta: the run-time parameters of one convolution (the thesis, Eq. 5.5 and Table 5.3). Loops, outermost first:
// A, N_INP, Y-groups of N_KERN, X-sets of H_OUT*W_OUT, then M = C * kern_dilated(h) * kern_dilated(w) products.
//   F, GI: A = 1, OUT is (N_INP, N_KERN, H_OUT, W_OUT);   GW: C = 1, OUT is (N_KERN, N_INP, H_OUT, W_OUT), summed over
//   A.
struct Convolution {
  Kind kind = Kind::F;
  std::int64_t a = 1;
  std::int64_t n_inp = 1;
  std::int64_t n_kern = 1;
  std::int64_t c = 1;  // C_INP = C_KERN
  Axis h, w;

  // INP is (A, N_INP, C, H, W). KERN is read as dense ranges: F/GI the whole (N_KERN, C, H, W) tensor once, GW one
  // (N_KERN, 1, H, W) range per A (view.pitch_a apart). OUT's pitch_a is unused; its maps are dense.
  TensorView inp, kern, out;

  // GI: KERN is stored as (C, N_KERN, H, W) and its maps are rotated by 180 degrees; both happen on the fly.
  bool kern_transposed() const { return kind == Kind::GI; }

  std::int64_t m() const { return c * h.kern_dilated() * w.kern_dilated(); }   // products per output, zeros included
  std::int64_t out_map() const { return std::int64_t{h.out} * w.out; }         // words of one OUT map
  std::int64_t kern_map() const { return c * h.kern * std::int64_t{w.kern}; }  // words of one 3-D KERN tensor
  std::int64_t inp_map() const { return std::int64_t{h.inp} * w.inp; }         // words of one INP map
  std::int64_t n_out() const { return kind == Kind::GW ? n_kern : n_inp; }
  std::int64_t c_out() const { return kind == Kind::GW ? n_inp : n_kern; }
  Words kern_words() const { return n_kern * kern_map(); }  // of one A
  Words out_words() const { return n_out() * c_out() * out_map(); }
  // Multiply-accumulates of the layer's mathematics: stored KERN samples times outputs, padding included, dilation
  // zeros of INP (GI) and KERN (GW) excluded. Equal for F, GI and GW of one layer (the caller sets it in lowering).
  std::int64_t useful_macs = 0;

  template <class Self>
  static auto all(const Self& self) {
    return std::tie(self.kind, self.a, self.n_inp, self.n_kern, self.c, self.h, self.w, self.inp, self.kern, self.out,
                    self.useful_macs);
  }
  friend bool operator==(const Convolution& a, const Convolution& b);
};

}  // namespace weft::conv
