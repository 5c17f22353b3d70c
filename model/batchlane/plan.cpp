#include "model/batchlane/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace weft::batchlane {

namespace {

constexpr int kCoordinateBytes = 2;  // CSB-2

void require_layer(const conv::Layer& layer) {
  const auto refuse = [&](const char* what, int value, const char* allowed) {
    throw Error(
        fmt::format("layer '{}': {} {}; a batch-lane kernel needs {} (kernels/batchlane/CONTRACT.md, section 1)",
                    layer.name, what, value, allowed));
  };
  if (layer.transposed) refuse("transposed", 1, "convolutions that are not transposed");
  if (layer.groups != 1) refuse("groups", layer.groups, "groups 1");
  for (const conv::LayerAxis& axis : {layer.h, layer.w}) {
    if (axis.dilation != 1) refuse("dilation", axis.dilation, "dilation 1");
  }
}

// One axis of the pixels `first` to `first + count - 1` of a result that a tap reaches: all in F and GW, in GI those
// that lie on a sample of dY (PE-2).
std::int64_t reached(const conv::LayerAxis& axis, conv::Kind kind, int tap, int first, int count) {
  if (kind != conv::Kind::GI) return count;
  std::int64_t all = 0;
  for (int i = first; i < first + count; ++i) all += (i + axis.pad_begin - tap) % axis.stride == 0 ? 1 : 0;
  return all;
}

// Sets the products and cycles of a kernel on a tile.
void count_products(const Plan& plan, Tile& tile) {
  const conv::LayerAxis &h = plan.layer.h, &w = plan.layer.w;
  for (int down = 0; down < h.kernel; ++down) {
    const std::int64_t rows = reached(h, plan.kind, down, tile.first_row, tile.rows);
    for (int right = 0; right < w.kernel; ++right) {
      const std::int64_t pixels = rows * reached(w, plan.kind, right, 0, plan.out.w);
      tile.products += pixels;
      tile.cycles += ceil_div(pixels, plan.split);
    }
  }
}

// Returns the tiles with their rows and the channel rows they need (FR-1).
std::vector<Tile> tiles_of(const Plan& plan, int rows_of_tile) {
  const conv::LayerAxis& h = plan.layer.h;
  std::vector<Tile> tiles;
  for (int row = 0; row < plan.out.h; row += rows_of_tile) {
    Tile tile;
    tile.first_row = row;
    tile.rows = std::min(rows_of_tile, plan.out.h - row);
    const int last = row + tile.rows - 1;
    int first_in = row * h.stride - h.pad_begin, last_in = last * h.stride - h.pad_begin + h.kernel - 1;
    if (plan.kind == conv::Kind::GI) {
      first_in = std::max(0, row + h.pad_begin - h.kernel + 1 + h.stride - 1) / h.stride;
      last_in = (last + h.pad_begin) / h.stride;
    }
    tile.first_in_row = std::clamp(first_in, 0, plan.in.h - 1);
    tile.in_rows = std::max(1, std::min(last_in, plan.in.h - 1) - tile.first_in_row + 1);
    tiles.push_back(tile);
  }
  return tiles;
}

int gradient_outputs(const Plan& plan) {
  const Bytes each = plan.output_bytes();
  if (each > plan.alpha.bank_bytes()) {
    throw TooFewAccumulators(
        fmt::format("{} is too few for layer '{}', GW: a bank of accumulators holds {} bytes, and the "
                    "gradients of an output have {}; allowed: {} or more",
                    plan.alpha.tile_pixels, plan.layer.name, plan.alpha.bank_bytes(), each,
                    ceil_div(each, plan.alpha.bank_bytes() / plan.alpha.tile_pixels)));
  }
  const std::int64_t held = std::min<std::int64_t>(plan.alpha.block(), plan.alpha.bank_bytes() / each);
  // Whole multiples of the PEs if the bank holds that many, because otherwise balanced masks are not balanced.
  return static_cast<int>(!plan.alpha.dense() && held >= plan.alpha.pes ? held / plan.alpha.pes * plan.alpha.pes
                                                                        : held);
}

// DN-3: for each block and group its outputs; for each output the channels of the group, zeros for missing channels.
std::vector<std::int8_t> dense_weights(const Plan& plan, const std::vector<std::int8_t>& weights) {
  const bool gi = plan.kind == conv::Kind::GI;
  const int taps = plan.taps(), group = plan.alpha.group();
  std::vector<std::int8_t> packed(static_cast<std::size_t>(plan.csb_bytes()));
  auto at = packed.begin();
  for (int block = 0; block < plan.blocks; ++block) {
    for (int first = 0; first < plan.channels; first += group) {
      for (int output = 0; output < plan.outputs_of(block); ++output) {
        const int row = block * plan.block_outputs + output;
        for (int channel = first; channel < first + group; ++channel, at += taps) {
          if (channel >= plan.channels) continue;
          const std::int64_t kernel = gi ? std::int64_t{channel} * plan.layer.channels + row
                                         : std::int64_t{row} * plan.layer.channels + channel;
          std::copy_n(weights.begin() + kernel * taps, taps, at);
        }
      }
    }
  }
  return packed;
}

// DN-1, DN-2: one worker, one kernel per output and group.
void count_dense(Plan& plan) {
  std::uint32_t end = 0;
  for (int block = 0; block < plan.blocks; ++block) {
    const int outputs = plan.outputs_of(block);
    for (int group = 0; group < plan.streamed; ++group) {
      plan.kept.push_back(static_cast<std::uint16_t>(outputs));
      plan.strip_end.push_back(end += static_cast<std::uint32_t>(outputs));
    }
  }
}

// Counts the kept kernels of each block, channel and worker.
void count_kept(Plan& plan, const sparse::Mask& used) {
  plan.kept.assign(static_cast<std::size_t>(plan.blocks) * plan.streamed * plan.workers, 0);
  std::uint32_t end = 0;
  std::size_t strip = 0;
  for (int block = 0; block < plan.blocks; ++block) {
    const int first = block * plan.block_outputs, count = plan.outputs_of(block);
    for (int channel = 0; channel < plan.streamed; ++channel, ++strip) {
      for (int i = 0; i < count; ++i) {
        if (!used.kept(first + i, channel)) continue;
        ++plan.kept[strip * static_cast<std::size_t>(plan.workers) + static_cast<std::size_t>(i % plan.workers)];
        ++end;
      }
      plan.strip_end.push_back(end);
    }
  }
}

}  // namespace

void require_countable(const conv::Layer& layer) {
  constexpr std::int64_t kMostSide = 1 << 16, kMostKernels = (std::int64_t{1} << 32) - 1, kMostTaps = 1 << 20;
  const auto require = [&](const char* what, std::int64_t value, std::int64_t most) {
    if (value <= most) return;
    throw Error(fmt::format("layer '{}': {} {}; a batch-lane kernel is modelled with at most {}", layer.name, what,
                            value, most));
  };
  require("channels", layer.channels, kMostSide);
  require("filters", layer.filters, kMostSide);
  require("kernels", std::int64_t{layer.filters} * layer.channels, kMostKernels);
  require("h", layer.h.size, kMostSide);
  require("w", layer.w.size, kMostSide);
  require("weights of a kernel", std::int64_t{layer.h.kernel} * layer.w.kernel, kMostTaps);
}

Plan make_plan(const Alpha& alpha, const conv::Layer& layer, conv::Kind kind, const sparse::Mask& mask,
               const std::vector<std::int8_t>& weights, const Bases& bases, bool with_data) {
  require_countable(layer);
  require_layer(layer);
  if (alpha.dense() && mask.kept() != std::int64_t{layer.filters} * layer.channels) {
    throw Error(
        fmt::format("layer '{}': sparsity: kernel.across channels computes every weight; allowed: density 1, or "
                    "kernel.across outputs",
                    layer.name));
  }
  Plan plan;
  plan.alpha = alpha;
  plan.layer = layer;
  plan.kind = kind;
  plan.bases = bases;
  plan.with_data = with_data;
  const bool gw = kind == conv::Kind::GW, gi = kind == conv::Kind::GI;
  const MapSize x{layer.h.size, layer.w.size}, y{layer.h.out(), layer.w.out()};
  plan.in = gi ? y : x;
  plan.out = gi ? x : y;
  plan.channels = gi ? layer.filters : layer.channels;
  plan.streamed = static_cast<int>(ceil_div(plan.channels, alpha.group()));
  plan.outputs = gi ? layer.channels : layer.filters;
  plan.split = !alpha.dense() && (gw || alpha.split_pixels) ? alpha.split : 1;
  plan.worker_pes = alpha.dense() ? alpha.pes : plan.split;
  plan.workers = alpha.pes / plan.worker_pes;
  plan.kernel_bytes = alpha.dense() ? Bytes{plan.taps()} * alpha.pes : plan.taps() + kCoordinateBytes;
  if (gw) {
    plan.block_outputs = gradient_outputs(plan);
    plan.tiles.push_back({0, plan.out.h, 0, plan.in.h, 0, 0});
  } else {
    plan.block_outputs = plan.workers * alpha.outputs_per_pe;
    const int rows = std::min(plan.out.h, alpha.tile_pixels / plan.out.w);
    if (rows == 0) {
      throw TooFewAccumulators(
          fmt::format("{} is too few for layer '{}': the accumulators of an output hold less than a row; "
                      "allowed: {} or more",
                      alpha.tile_pixels, layer.name, plan.out.w));
    }
    plan.tiles = tiles_of(plan, rows);
  }
  for (Tile& tile : plan.tiles) count_products(plan, tile);
  plan.blocks = static_cast<int>(ceil_div(plan.outputs, plan.block_outputs));
  if (alpha.dense()) {
    count_dense(plan);
    if (with_data) plan.weights = dense_weights(plan, weights);
    return plan;
  }
  // GI: the host sets the order of blocks and kernels; the coordinates are swapped when they are read (CSB-3).
  const sparse::Mask used = gi ? mask.transposed() : mask;
  if (with_data) {
    plan.csb = sparse::encode(mask, weights, plan.taps(), plan.block_outputs);
    if (gi) plan.csb = sparse::transpose(plan.csb);
  }
  count_kept(plan, used);
  return plan;
}

void lay_csb(const Plan& plan, std::byte* at) {
  if (plan.alpha.dense()) {
    std::memcpy(at, plan.weights.data(), plan.weights.size());
    return;
  }
  const bool gi = plan.kind == conv::Kind::GI;
  const auto taps = static_cast<std::size_t>(plan.taps());
  for (std::size_t i = 0; i < plan.csb.entries(); ++i) {
    std::memcpy(at, plan.csb.values.data() + i * taps, taps);
    // GI: coordinates of the layer's matrix, not of the transposed one.
    at[taps] = static_cast<std::byte>(gi ? plan.csb.column[i] : plan.csb.row[i]);
    at[taps + 1] = static_cast<std::byte>(gi ? plan.csb.row[i] : plan.csb.column[i]);
    at += plan.kernel_bytes;
  }
}

stream::Transfer Plan::channel_transfer(std::int64_t step, int of_group) const {
  const Tile& tile = tile_of(step);
  const std::int64_t channel = std::int64_t{channel_of(step)} * alpha.group() + of_group;
  const Bytes row = Bytes{in.w} * alpha.lanes;
  return {bases.features + channel * channel_bytes() + tile.first_in_row * row, tile.in_rows * row};
}

stream::Transfer Plan::gradient_transfer(int output) const {
  return {bases.gradients + output * output_bytes(), output_bytes()};
}

stream::Transfer Plan::csb_transfer(std::int64_t unit) const {
  const auto first = static_cast<std::size_t>(unit / units_per_block() * streamed);
  const Address begin = bases.csb + kernel_bytes * strip_begin_of(first);
  return {begin, strip_end_address(first + static_cast<std::size_t>(streamed) - 1) - begin};
}

stream::Transfer Plan::result_transfer(std::int64_t unit, int output) const {
  const Tile& tile = tiles[static_cast<std::size_t>(unit % units_per_block())];
  const Bytes row = Bytes{4} * out.w * alpha.lanes;
  return {bases.results + output * 4 * output_bytes() + tile.first_row * row, tile.rows * row};
}

stream::Transfer Plan::sum_transfer(std::int64_t step) const {
  const Bytes kernel = Bytes{4} * sums_of_kernel();
  return {bases.results + kernel * strip_begin_of(strip(step)), kernel * kernels_of(step)};
}

Cycles Plan::adder_cycles() const {
  Cycles stages = 0;
  while (std::int64_t{1} << stages < std::int64_t{split} * alpha.lanes) ++stages;
  return taps() + stages;
}

}  // namespace weft::batchlane
