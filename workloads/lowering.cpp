#include "workloads/lowering.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "model/conv/loop_nest.h"
#include "model/core/error.h"

namespace weft::workloads {

using conv::Axis;
using conv::Convolution;
using conv::Kind;
using conv::Layer;
using conv::LayerAxis;

namespace {

// Limits that keep bytes of tensors, addresses and sums of a result's row in 64 bits.
constexpr int kTensorBits = 40, kMacBits = 58, kGroupBits = 20;  // each group is a separate convolution
constexpr std::int64_t kMostTensorWords = std::int64_t{1} << kTensorBits, kMostMacs = std::int64_t{1} << kMacBits;

bool has_output(const LayerAxis& a) {
  const std::int64_t padded = std::int64_t{a.size} + a.pad_begin + a.pad_end;
  const std::int64_t extent = std::int64_t{a.dilation} * (std::int64_t{a.kernel} - 1) + 1;
  return a.size > 0 && a.kernel > 0 && a.stride > 0 && a.dilation > 0 && a.pad_begin >= 0 && a.pad_end >= 0 &&
         padded >= extent && padded <= std::numeric_limits<int>::max();  // LayerAxis can compute in int
}

bool exceeds(std::int64_t most, std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  return std::any_of(factors.begin(), factors.end(), [&](std::int64_t factor) {
    return __builtin_mul_overflow(product, factor, &product) || product > most;
  });
}

Axis forward_axis(const LayerAxis& l) {
  return {l.size, l.kernel, l.out(), l.stride, l.pad_begin, 1, l.dilation};
}

// INP = gradient of the OFM, dilated by the stride. Padding completes the window; the trailing zeros of F24 are the
// positions beyond the last sample that `out` = H requires.
Axis grad_ifm_axis(const LayerAxis& l) {
  return {l.out(), l.kernel, l.size, 1, l.kernel_extent() - 1 - l.pad_begin, l.stride, l.dilation};
}

// KERN = gradient of the OFM, dilated by the stride; the layer's dilation becomes the convolution's stride; OUT is
// cropped to kh.
Axis grad_weight_axis(const LayerAxis& l) {
  return {l.size, l.out(), l.kernel, l.dilation, l.pad_begin, 1, l.stride};
}

}  // namespace

void check(const Layer& layer) {
  for (const auto& [name, axis] : {std::pair("high", layer.h), std::pair("wide", layer.w)}) {
    const std::int64_t padded = std::int64_t{axis.size} + axis.pad_begin + axis.pad_end;
    const std::int64_t extent = std::int64_t{axis.dilation} * (std::int64_t{axis.kernel} - 1) + 1;
    const bool counts =
        axis.size > 0 && axis.kernel > 0 && axis.dilation > 0 && axis.pad_begin >= 0 && axis.pad_end >= 0;
    if (counts && extent > padded) {
      throw Error(fmt::format("layer {}: its kernel is {} {}, which exceeds the {} of its padded input{}", layer.name,
                              extent, name, padded, axis.dilation > 1 ? ": its dilation counts" : ""));
    }
  }
  if (layer.batch < 1 || layer.channels < 1 || layer.filters < 1 || layer.groups < 1 || !has_output(layer.h) ||
      !has_output(layer.w)) {
    throw Error(
        fmt::format("layer {}: its dimensions leave no output (every size must be at least 1, the padding at "
                    "least 0 and the padded input at least as large as the dilated kernel)",
                    layer.name));
  }
  if (layer.channels % layer.groups != 0 || layer.filters % layer.groups != 0) {
    throw Error(fmt::format("layer {}: {} groups do not divide {} channels and {} filters", layer.name, layer.groups,
                            layer.channels, layer.filters));
  }
  const std::string much = too_much(layer);
  if (!much.empty()) throw Error(much);
}

std::string too_much(const Layer& layer) {
  const std::int64_t n = layer.batch, c = layer.channels, d = layer.filters, per_group = layer.channels / layer.groups;
  const std::int64_t ho = layer.h.out(), wo = layer.w.out(), kh = layer.h.kernel, kw = layer.w.kernel;
  const auto text = [&](const char* has, int bits, const char* unit) {
    return fmt::format(
        "layer {}: its {} more than 2^{} {}, the most that are allowed: give smaller sizes or a smaller "
        "batch",
        layer.name, has, bits, unit);
  };
  if (layer.groups > 1 << kGroupBits) return text("channels have", kGroupBits, "groups");
  if (exceeds(kMostTensorWords, {n, c, layer.h.size, layer.w.size})) return text("input has", kTensorBits, "words");
  if (exceeds(kMostTensorWords, {n, d, ho, wo})) return text("output has", kTensorBits, "words");
  if (exceeds(kMostTensorWords, {d, per_group, kh, kw})) return text("weights have", kTensorBits, "words");
  // Window positions of an output in all its channels, including zeros: a window never exceeds the padded map.
  const std::int64_t h = std::int64_t{layer.h.size} + layer.h.pad_begin + layer.h.pad_end;
  const std::int64_t w = std::int64_t{layer.w.size} + layer.w.pad_begin + layer.w.pad_end;
  if (exceeds(kMostMacs, {std::max(per_group, d / layer.groups), h, w})) {
    return text("padded maps have", kMacBits, "words");
  }
  if (exceeds(kMostMacs, {n, d, ho, wo, per_group, kh, kw})) {
    return text("convolution has", kMacBits, "multiply-accumulates");
  }
  return {};
}

Convolution lower(const Layer& layer, Kind kind, int group) {
  check(layer);
  if (group < 0 || group >= layer.groups) {
    throw Error(fmt::format("layer {}: there is no group {}; it has 0 to {}", layer.name, group, layer.groups - 1));
  }
  const std::int64_t channels = layer.channels / layer.groups, filters = layer.filters / layer.groups;
  const Words ifm_map = Words{layer.h.size} * layer.w.size;
  const Words ofm_map = Words{layer.h.out()} * layer.w.out();
  const Words weight_map = Words{layer.h.kernel} * layer.w.kernel;

  using conv::TensorView;
  const TensorView ifm{0, 0, layer.channels * ifm_map, ifm_map, group * channels * ifm_map};
  const TensorView ofm{0, 0, layer.filters * ofm_map, ofm_map, group * filters * ofm_map};
  const TensorView weights{0, 0, channels * weight_map, weight_map, group * filters * channels * weight_map};

  Convolution c;
  c.kind = conv::computed_as(layer, kind);
  c.useful_macs = layer.batch * filters * channels * weight_map * ofm_map;
  switch (c.kind) {
    case Kind::F:
      c.n_inp = layer.batch;
      c.n_kern = filters;
      c.c = channels;
      c.h = forward_axis(layer.h);
      c.w = forward_axis(layer.w);
      c.inp = ifm;
      c.kern = weights;
      c.out = ofm;
      break;
    case Kind::GI:
      c.n_inp = layer.batch;
      c.n_kern = channels;
      c.c = filters;
      c.h = grad_ifm_axis(layer.h);
      c.w = grad_ifm_axis(layer.w);
      c.inp = ofm;
      c.kern = weights;
      c.out = ifm;
      break;
    case Kind::GW:
      c.a = layer.batch;
      c.n_inp = channels;
      c.n_kern = filters;
      c.c = 1;
      c.h = grad_weight_axis(layer.h);
      c.w = grad_weight_axis(layer.w);
      c.inp = {0, ifm.pitch_n, ifm.pitch_c, ifm.pitch_c, ifm.first};
      c.kern = {0, ofm.pitch_n, ofm.pitch_c, ofm.pitch_c, ofm.first};
      c.out = weights;
      break;
  }
  return c;
}

std::vector<Convolution> lower_groups(const Layer& layer, Kind kind) {
  check(layer);  // even if there is no group
  std::vector<Convolution> all;
  all.reserve(static_cast<std::size_t>(layer.groups));
  for (int group = 0; group < layer.groups; ++group) all.push_back(lower(layer, kind, group));
  return all;
}

TensorWords tensor_words(const Layer& layer, Kind kind) {
  check(layer);
  const Words ifm = Words{layer.batch} * layer.channels * layer.h.size * layer.w.size;
  const Words ofm = Words{layer.batch} * layer.filters * layer.h.out() * layer.w.out();
  const Words weights = Words{layer.filters} * (layer.channels / layer.groups) * layer.h.kernel * layer.w.kernel;
  switch (conv::computed_as(layer, kind)) {
    case Kind::F:
      return {ifm, weights, ofm};
    case Kind::GI:
      return {ofm, weights, ifm};
    case Kind::GW:
      return {ifm, ofm, weights};
  }
  return {};
}

namespace {

// Number of (output, weight) pairs of an axis that use a stored sample.
std::int64_t stored_pairs(const conv::LayerAxis& axis) {
  return conv::stored_pairs({axis.size, axis.kernel, axis.out(), axis.stride, axis.pad_begin, 1, axis.dilation},
                            axis.out());
}

}  // namespace

conv::Gemm lower_gemm(const conv::Layer& layer, conv::Kind kind) {
  check(layer);
  const std::int64_t filters = layer.filters / layer.groups, channels = layer.channels / layer.groups;
  const std::int64_t window = channels * layer.h.kernel * layer.w.kernel;
  const std::int64_t outputs = std::int64_t{layer.h.out()} * layer.w.out();
  conv::Gemm gemm;
  switch (conv::computed_as(layer, kind)) {
    case conv::Kind::F:
      gemm = {filters, window, outputs};
      break;
    case conv::Kind::GI:
      gemm = {window, filters, outputs};
      break;
    case conv::Kind::GW:
      gemm = {filters, outputs, window};
      break;
  }
  // All kinds pair the same samples, weights and outputs.
  gemm.zeros = gemm.macs() - filters * channels * stored_pairs(layer.h) * stored_pairs(layer.w);
  return gemm;
}

bool is_matrix(const conv::Layer& layer) {
  const auto same = [](const conv::LayerAxis& axis) {
    return axis.kernel == 1 && axis.stride == 1 && axis.pad_begin == 0 && axis.pad_end == 0;
  };
  return same(layer.h) && same(layer.w);
}

}  // namespace weft::workloads
