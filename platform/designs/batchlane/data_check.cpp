#include <cstdlib>
#include <cstring>

#include "platform/designs/batchlane/design.h"

namespace weft::batchlane {

namespace {

struct Sum {
  std::int64_t value = 0, magnitude = 0;
  void add(std::int64_t product) {
    value += product;
    magnitude += std::abs(product);
  }
};

class Reference {
 public:
  Reference(const Plan& plan, const sparse::Mask& mask, const Contents& contents)
      : plan_(plan), mask_(mask), contents_(contents) {}

  // F: of x and the weights; GI: of dY and the weights, an input pixel from the output pixels that it went to.
  Sum output(int channel, int pixel, int lane) const {
    const conv::LayerAxis &h = plan_.layer.h, &w = plan_.layer.w;
    const bool gi = plan_.kind == conv::Kind::GI;
    Sum sum;
    for (int other = 0; other < plan_.channels; ++other) {
      const int o = gi ? other : channel, c = gi ? channel : other;
      if (!mask_.kept(o, c)) continue;
      const std::int64_t first = (std::int64_t{o} * plan_.layer.channels + c) * plan_.taps();  // of its weights
      for (int tap = 0; tap < plan_.taps(); ++tap) {
        const int down = tap / w.kernel - h.pad_begin, right = tap % w.kernel - w.pad_begin;
        const int row = pixel / w.size + (gi ? -down : down), column = pixel % w.size + (gi ? -right : right);
        if (row < 0 || row >= h.size || column < 0 || column >= w.size) continue;
        const std::int8_t weight = contents_.weights[static_cast<std::size_t>(first + tap)];
        sum.add(std::int64_t{weight} * streamed(other, row * w.size + column, lane));
      }
    }
    return sum;
  }
  Sum gradient(int o, int c, int tap) const {
    const conv::LayerAxis &h = plan_.layer.h, &w = plan_.layer.w;
    Sum sum;
    for (int pixel = 0; pixel < h.size * w.size; ++pixel) {
      const int row = pixel / w.size + tap / w.kernel - h.pad_begin;
      const int column = pixel % w.size + tap % w.kernel - w.pad_begin;
      if (row < 0 || row >= h.size || column < 0 || column >= w.size) continue;
      for (int lane = 0; lane < plan_.alpha.lanes; ++lane) {
        sum.add(std::int64_t{contents_.gradients[index(o, pixel, lane)]} * streamed(c, row * w.size + column, lane));
      }
    }
    return sum;
  }

  // Word i of a dense GW: for each block and group its outputs, of each the group's channels (DN-5).
  Sum dense_gradient(std::int64_t i) const {
    const int group = plan_.alpha.group(), taps = plan_.taps();
    const auto of_group = static_cast<int>(i / taps % group);
    std::int64_t kernel = i / plan_.sums_of_kernel();
    const std::int64_t of_block = std::int64_t{plan_.block_outputs} * plan_.streamed;  // kernels
    const auto block = static_cast<int>(kernel / of_block);
    kernel %= of_block;
    const int outputs = plan_.outputs_of(block);
    const int channel = static_cast<int>(kernel / outputs) * group + of_group;
    if (channel >= plan_.channels) return {};
    return gradient(block * plan_.block_outputs + static_cast<int>(kernel % outputs), channel,
                    static_cast<int>(i % taps));
  }

 private:
  std::size_t index(int channel, int pixel, int lane) const {
    return static_cast<std::size_t>(channel) * static_cast<std::size_t>(plan_.channel_bytes()) +
           static_cast<std::size_t>(pixel * plan_.alpha.lanes + lane);
  }
  std::int8_t streamed(int channel, int pixel, int lane) const {
    return contents_.streamed[index(channel, pixel, lane)];
  }

  const Plan& plan_;
  const sparse::Mask& mask_;
  const Contents& contents_;
};

}  // namespace

design::DataCheck check_data(const Plan& plan, const sparse::Mask& mask, const Contents& contents,
                             const std::byte* results) {
  const Reference reference(plan, mask, contents);
  const bool gw = plan.kind == conv::Kind::GW;
  const std::int64_t in_output = plan.channel_bytes();  // a word for each byte of a map
  const auto word = [&](std::int64_t i) {
    std::int32_t value = 0;
    std::memcpy(&value, results + 4 * i, 4);
    return value;
  };
  std::size_t block = 0;  // of the output that was looked at last: the kernel of a gradient follows from CSB's order
  const auto sum_of = [&](std::int64_t i) {
    if (gw && plan.alpha.dense()) return reference.dense_gradient(i);
    if (gw) {
      const auto kernel = static_cast<std::size_t>(i / plan.taps());
      while (kernel >= plan.csb.begin[block + 1]) ++block;
      const auto columns = static_cast<std::size_t>(plan.csb.block_columns());
      const int o = static_cast<int>(block / columns) * plan.csb.block + plan.csb.row[kernel];
      const int c = static_cast<int>(block % columns) * plan.csb.block + plan.csb.column[kernel];
      return reference.gradient(o, c, static_cast<int>(i % plan.taps()));
    }
    const auto within = static_cast<int>(i % in_output);
    return reference.output(static_cast<int>(i / in_output), within / plan.alpha.lanes, within % plan.alpha.lanes);
  };
  const auto error = [&](std::int64_t i) {
    const Sum sum = sum_of(i);
    const std::int64_t error = std::abs(word(i) - static_cast<std::int32_t>(sum.value));
    return sum.magnitude == 0 ? 0 : static_cast<double>(error) / static_cast<double>(sum.magnitude);
  };
  return design::check_outputs(
      plan.result_bytes() / 4, 256, [&](std::int64_t i) { return static_cast<std::uint32_t>(word(i)); }, error);
}

}  // namespace weft::batchlane
