#include "model/batchlane/buffers.h"

#include <algorithm>

namespace weft::batchlane {

namespace {

// Returns the sample of the streamed map of `size` that a pixel and a tap multiply on one axis, or -1 for none.
int sample_of(const conv::LayerAxis& axis, conv::Kind kind, int pixel, int tap, int size) {
  int sample = pixel * axis.stride - axis.pad_begin + tap;
  if (kind == conv::Kind::GI) {
    const int at = pixel + axis.pad_begin - tap;
    if (at < 0 || at % axis.stride != 0) return -1;
    sample = at / axis.stride;
  }
  return sample >= 0 && sample < size ? sample : -1;
}

}  // namespace

Buffers::Buffers(const Plan& plan) {
  if (!plan.with_data) return;
  const auto bytes = static_cast<std::size_t>(plan.channel_bytes());
  const std::size_t ahead = static_cast<std::size_t>(std::min<std::int64_t>(plan.alpha.ahead, plan.steps()));
  channels_.assign(ahead, Features(bytes * static_cast<std::size_t>(plan.alpha.group())));
  strips_.assign(static_cast<std::size_t>(plan.alpha.strips), {});
  if (plan.kind == conv::Kind::GW) {
    for (Features& each : gradients_) each.resize(static_cast<std::size_t>(plan.output_bytes() * plan.block_outputs));
  } else {
    const Tile& tile = plan.tiles.front();
    for (Sums& each : banks_) {
      each.resize(static_cast<std::size_t>(plan.block_outputs) * static_cast<std::size_t>(plan.pixels(tile)) *
                  static_cast<std::size_t>(plan.alpha.lanes));
    }
  }
}

void Buffers::clear(const Plan& plan, std::int64_t unit, int worker) {
  Sums& sums = bank(unit);
  const std::size_t size = sums.size() / static_cast<std::size_t>(plan.block_outputs);
  for (int output = worker; output < plan.block_outputs; output += plan.workers) {
    std::fill_n(sums.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(output) * size), size, 0);
  }
}

void Buffers::accumulate(const Plan& plan, std::int64_t step, int worker) {
  const std::vector<std::int8_t>& entries = strip(step);
  const auto kernel_bytes = static_cast<std::size_t>(plan.kernel_bytes);
  const std::size_t kernels = plan.kernels_of(step);
  if (plan.kind == conv::Kind::GW && sums(step).empty()) {
    sums(step).assign(kernels * static_cast<std::size_t>(plan.sums_of_kernel()), 0);
  }
  if (plan.alpha.dense()) return accumulate_dense(plan, step);
  for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
    const std::int8_t* const weights = entries.data() + kernel * kernel_bytes;
    // CSB-3: GI swaps row and column.
    const std::int8_t* const place = weights + plan.taps() + (plan.kind == conv::Kind::GI ? 1 : 0);
    const int output = static_cast<std::uint8_t>(*place);
    if (output % plan.workers != worker) continue;
    if (plan.kind == conv::Kind::GW) {
      accumulate_gradient(plan, step, output, channel(step).data(),
                          sums(step).data() + kernel * static_cast<std::size_t>(plan.taps()));
    } else {
      accumulate_outputs(plan, step, output, weights, channel(step).data());
    }
  }
}

// DN-2: multiplies every output of the block with every channel of the group.
void Buffers::accumulate_dense(const Plan& plan, std::int64_t step) {
  const std::int8_t* weights = strip(step).data();
  const int outputs = plan.outputs_of(plan.block_of(step));
  for (int output = 0; output < outputs; ++output, weights += plan.kernel_bytes) {
    for (int i = 0; i < plan.channels_of(step); ++i) {
      const std::int8_t* const x = channel(step).data() + i * plan.channel_bytes();
      if (plan.kind == conv::Kind::GW) {
        accumulate_gradient(plan, step, output, x,
                            sums(step).data() + std::ptrdiff_t{output} * plan.sums_of_kernel() + i * plan.taps());
      } else {
        accumulate_outputs(plan, step, output, weights + i * plan.taps(), x);
      }
    }
  }
}

// F: y(p) += x(p * stride + tap - pad) w(tap). GI: dx(p) += dy((p + pad - tap) / stride) w(tap), where it divides.
void Buffers::accumulate_outputs(const Plan& plan, std::int64_t step, int output, const std::int8_t* weights,
                                 const std::int8_t* x) {
  const Tile& tile = plan.tile_of(step);
  const conv::LayerAxis &h = plan.layer.h, &w = plan.layer.w;
  const int lanes = plan.alpha.lanes;
  std::int32_t* const sums =
      bank(plan.unit_of(step)).data() + std::ptrdiff_t{output} * plan.pixels(plan.tiles.front()) * lanes;
  for (int tap = 0; tap < plan.taps(); ++tap) {
    for (int pixel = 0; pixel < plan.pixels(tile); ++pixel) {
      const int row = sample_of(h, plan.kind, tile.first_row + pixel / plan.out.w, tap / w.kernel, plan.in.h);
      const int column = sample_of(w, plan.kind, pixel % plan.out.w, tap % w.kernel, plan.in.w);
      if (row < 0 || column < 0) continue;
      const std::int8_t* const in = x + (std::ptrdiff_t{row - tile.first_in_row} * plan.in.w + column) * lanes;
      std::int32_t* const out = sums + std::ptrdiff_t{pixel} * lanes;
      for (int lane = 0; lane < lanes; ++lane) out[lane] = add32(out[lane], weights[tap] * in[lane], overflows_);
    }
  }
}

// dW(tap) = sum over PEs and lanes of their partial sums of dY(p) x(p * stride + tap - pad) (ADD-2).
void Buffers::accumulate_gradient(const Plan& plan, std::int64_t step, int output, const std::int8_t* x,
                                  std::int32_t* out) {
  const conv::LayerAxis &h = plan.layer.h, &w = plan.layer.w;
  const int lanes = plan.alpha.lanes, pixels = plan.out.pixels();
  const auto share = static_cast<int>(ceil_div(pixels, plan.split));
  const std::int8_t* const dy =
      gradients(plan.block_of(step)).data() + std::ptrdiff_t{output} * static_cast<std::ptrdiff_t>(plan.output_bytes());
  for (int tap = 0; tap < plan.taps(); ++tap) {
    std::int32_t total = 0;
    for (int first = 0; first < pixels; first += share) {
      for (int lane = 0; lane < lanes; ++lane) {
        std::int32_t sum = 0;
        for (int pixel = first; pixel < std::min(pixels, first + share); ++pixel) {
          const int row = sample_of(h, plan.kind, pixel / plan.out.w, tap / w.kernel, plan.in.h);
          const int column = sample_of(w, plan.kind, pixel % plan.out.w, tap % w.kernel, plan.in.w);
          if (row < 0 || column < 0) continue;
          const std::ptrdiff_t in = (std::ptrdiff_t{row} * plan.in.w + column) * lanes + lane;
          sum = add32(sum, std::int32_t{dy[std::ptrdiff_t{pixel} * lanes + lane]} * x[in], overflows_);
        }
        total = add32(total, sum, overflows_);
      }
    }
    out[tap] = total;
  }
}

}  // namespace weft::batchlane
