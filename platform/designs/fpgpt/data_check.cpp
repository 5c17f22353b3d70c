#include <cmath>
#include <cstring>

#include "kernels/fp32.h"
#include "model/conv/loop_nest.h"
#include "platform/designs/fpgpt/design.h"

namespace weft::fpgpt {

namespace {

// The tensor of a port in its channel: words by their number in the lanes of the port.
template <bool kNarrow>
class Tensor {
 public:
  Tensor(const stream::Lanes& lanes, const memory::Store& channel) : lanes_(lanes), memory_(channel.at(0)) {}
  Word at(Words index) const {
    if constexpr (kNarrow) return lanes_.get(memory_, index);
    Word word;
    std::memcpy(&word, memory_ + index * static_cast<Words>(sizeof word), sizeof word);
    return word;
  }

 private:
  stream::Lanes lanes_;
  const std::byte* memory_;
};

// The convolution with its views counted in the lanes of their ports from address 0 on.
conv::Convolution in_lanes(const Alpha& alpha, conv::Convolution c) {
  const auto count = [&](Port port, conv::TensorView& view) {
    view.first = alpha.first_word(port, view);
    view.base = 0;
  };
  count(Port::Inp, c.inp);
  count(Port::Kern, c.kern);
  count(Port::Out, c.out);
  return c;
}

struct FloatCheck {
  static constexpr bool kNarrow = false;  // words of INP and KERN have fewer than 32 bits
  double sum = 0, magnitude = 0;
  void add(Word inp, Word kern) {
    const double product = static_cast<double>(from_bits(inp.bits)) * from_bits(kern.bits);
    sum += product;
    magnitude += std::fabs(product);
  }
  double error(Word out) const { return std::fabs(from_bits(out.bits) - sum); }
};

struct FixedCheck {
  static constexpr bool kNarrow = true;
  std::int64_t sum = 0;
  double magnitude = 0;
  void add(Word inp, Word kern) {
    const std::int64_t product =
        std::int64_t{static_cast<std::int32_t>(inp.bits)} * static_cast<std::int32_t>(kern.bits);
    sum += product;
    magnitude += std::fabs(static_cast<double>(product));
  }
  double error(Word out) const {
    return std::fabs(static_cast<double>(static_cast<std::int32_t>(out.bits)) - static_cast<std::int32_t>(sum));
  }
};

template <class Check>
design::DataCheck check(const Alpha& alpha, const conv::Convolution& c, const std::vector<memory::Store>& channels,
                        const std::array<int, kPorts>& channel_of_port) {
  const auto channel = [&](Port port) -> const memory::Store& {
    return channels[static_cast<std::size_t>(channel_of_port[static_cast<std::size_t>(port)])];
  };
  const Tensor<Check::kNarrow> inp(alpha.lanes(Port::Inp), channel(Port::Inp));
  const Tensor<Check::kNarrow> kern(alpha.lanes(Port::Kern), channel(Port::Kern));
  const Tensor<false> out(alpha.lanes(Port::Out), channel(Port::Out));
  const conv::Convolution counted = in_lanes(alpha, c);
  const conv::WordAddress at{counted};
  const auto word = [&](std::int64_t i) {
    const int x = static_cast<int>(i % c.w.out), y = static_cast<int>(i / c.w.out % c.h.out);
    return out.at(at.out(i / c.out_map() / c.n_kern, i / c.out_map() % c.n_kern, y, x));
  };
  const auto error = [&](std::int64_t i) {
    const int x = static_cast<int>(i % c.w.out), y = static_cast<int>(i / c.w.out % c.h.out);
    const std::int64_t k = i / c.out_map() % c.n_kern, n = i / c.out_map() / c.n_kern;
    Check sums;
    for (std::int64_t a = 0; a < c.a; ++a) {
      for (std::int64_t channel = 0; channel < c.c; ++channel) {
        for (int p = 0; p < c.h.kern; ++p) {
          for (int q = 0; q < c.w.kern; ++q) {
            const int row = c.h.sample(y, p * c.h.kern_dilation), column = c.w.sample(x, q * c.w.kern_dilation);
            if (row < 0 || column < 0) continue;
            sums.add(inp.at(at.inp(a, n, channel, row, column)), kern.at(at.kern(a, k, channel, p, q)));
          }
        }
      }
    }
    return sums.magnitude > 0 ? sums.error(word(i)) / sums.magnitude : 0;
  };
  return design::check_outputs(
      c.n_inp * c.n_kern * c.out_map(), 1024, [&](std::int64_t i) { return word(i).bits; }, error);
}

}  // namespace

design::DataCheck check_data(const Alpha& alpha, const conv::Convolution& c, const std::vector<memory::Store>& channels,
                             const std::array<int, kPorts>& channel_of_port) {
  const auto run = alpha.format.is_fixed() ? check<FixedCheck> : check<FloatCheck>;
  return run(alpha, c, channels, channel_of_port);
}

}  // namespace weft::fpgpt
