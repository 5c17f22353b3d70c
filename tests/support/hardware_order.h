#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/fp32.h"
#include "model/conv/convolution.h"

namespace weft::test {

// Computes OUT of a convolution in the hardware's summation order (CONTRACT.md, "Numbers") from the definition: product
// m of an output, dilation zeros counted, is added to partial m mod 4; the result is (p0+p1)+(p2+p3); GW adds the
// results of A = 1, 2, ... to that of A = 0. Integer arithmetic, no FIFOs, no blocks. Tensors are whole memories,
// indexed by word.
inline void hardware_order(const conv::Convolution& c, const std::vector<float>& inp, const std::vector<float>& kern,
                           std::vector<float>& out) {
  using fp32::add;
  using fp32::multiply;
  const auto word = [](const std::vector<float>& memory, const conv::TensorView& view, std::int64_t index) {
    return bits(memory[static_cast<std::size_t>(view.base / 4 + view.first + index)]);
  };
  for (std::int64_t n = 0; n < c.n_inp; ++n) {
    for (std::int64_t k = 0; k < c.n_kern; ++k) {
      for (int oh = 0; oh < c.h.out; ++oh) {
        for (int ow = 0; ow < c.w.out; ++ow) {
          std::uint32_t total = 0;
          for (std::int64_t a = 0; a < c.a; ++a) {
            std::array<std::uint32_t, 4> partial{};
            std::int64_t m = 0;
            for (std::int64_t ch = 0; ch < c.c; ++ch) {
              for (int i = 0; i < c.h.kern_dilated(); ++i) {
                for (int j = 0; j < c.w.kern_dilated(); ++j, ++m) {
                  const int y = oh * c.h.stride - c.h.pad_begin + i, x = ow * c.w.stride - c.w.pad_begin + j;
                  std::uint32_t value = 0, weight = 0;
                  if (y >= 0 && x >= 0 && y % c.h.inp_dilation == 0 && x % c.w.inp_dilation == 0 &&
                      y / c.h.inp_dilation < c.h.inp && x / c.w.inp_dilation < c.w.inp) {
                    value = word(inp, c.inp,
                                 a * c.inp.pitch_a + n * c.inp.pitch_n + ch * c.inp.pitch_c +
                                     std::int64_t{y / c.h.inp_dilation} * c.w.inp + x / c.w.inp_dilation);
                  }
                  if (i % c.h.kern_dilation == 0 && j % c.w.kern_dilation == 0) {
                    const int ki = i / c.h.kern_dilation, kj = j / c.w.kern_dilation;
                    const std::int64_t map = std::int64_t{c.h.kern} * c.w.kern;
                    const std::int64_t at =
                        c.kind == conv::Kind::GI
                            ? (ch * c.n_kern + k) * map + (c.h.kern - 1 - ki) * std::int64_t{c.w.kern} +
                                  (c.w.kern - 1 - kj)
                            : a * c.kern.pitch_a + (k * c.c + ch) * map + ki * std::int64_t{c.w.kern} + kj;
                    weight = word(kern, c.kern, at);
                  }
                  partial[static_cast<std::size_t>(m % 4)] =
                      add(partial[static_cast<std::size_t>(m % 4)], multiply(value, weight));
                }
              }
            }
            const std::uint32_t result = add(add(partial[0], partial[1]), add(partial[2], partial[3]));
            total = a == 0 ? result : add(total, result);
          }
          const std::int64_t on = c.kind == conv::Kind::GW ? k : n, oc = c.kind == conv::Kind::GW ? n : k;
          out[static_cast<std::size_t>(c.out.base / 4 + c.out.first + on * c.out.pitch_n + oc * c.out.pitch_c +
                                       std::int64_t{oh} * c.w.out + ow)] = from_bits(total);
        }
      }
    }
  }
}

}  // namespace weft::test
