#include "platform/fpgpt/data_check.h"

#include <algorithm>
#include <cmath>

#include "kernels/fp32.h"
#include "model/conv/loop_nest.h"
#include "model/core/fnv1a.h"

namespace weft::fpgpt {

design::DataCheck check_data(const conv::Convolution& c, const std::vector<memory::Store>& channels,
                             const std::array<int, kPorts>& channel_of_port) {
  const auto store = [&](Port port) -> const memory::Store& {
    return channels[static_cast<std::size_t>(channel_of_port[static_cast<std::size_t>(port)])];
  };
  const conv::WordAddress at{c};
  const float* const inp = store(Port::Inp).words(0);
  const float* const kern = store(Port::Kern).words(0);
  const float* const out = store(Port::Out).words(0);
  design::DataCheck check;
  Fnv1a64 digest;
  const std::int64_t outputs = c.n_inp * c.n_kern * c.out_map(), step = std::max<std::int64_t>(1, outputs / 1024);
  for (std::int64_t i = 0; i < outputs; ++i) {
    const int x = static_cast<int>(i % c.w.out), y = static_cast<int>(i / c.w.out % c.h.out);
    const std::int64_t k = i / c.out_map() % c.n_kern, n = i / c.out_map() / c.n_kern;
    const float value = out[at.out(n, k, y, x)];
    digest.add(bits(value));
    if (i % step != 0) continue;
    double sum = 0, magnitude = 0;
    for (std::int64_t a = 0; a < c.a; ++a) {
      for (std::int64_t channel = 0; channel < c.c; ++channel) {
        for (int p = 0; p < c.h.kern; ++p) {
          for (int q = 0; q < c.w.kern; ++q) {
            const int row = c.h.sample(y, p * c.h.kern_dilation), column = c.w.sample(x, q * c.w.kern_dilation);
            if (row < 0 || column < 0) continue;
            const double product =
                static_cast<double>(inp[at.inp(a, n, channel, row, column)]) * kern[at.kern(a, k, channel, p, q)];
            sum += product;
            magnitude += std::fabs(product);
          }
        }
      }
    }
    if (magnitude > 0) check.largest_error = std::max(check.largest_error, std::fabs(value - sum) / magnitude);
  }
  check.digest = digest.value();
  return check;
}

}  // namespace weft::fpgpt
