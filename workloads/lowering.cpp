#include "workloads/lowering.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "model/core/error.h"

namespace weft::workloads {

using conv::Axis;
using conv::Convolution;
using conv::Kind;
using conv::Layer;
using conv::LayerAxis;

namespace {

bool has_output(const LayerAxis& a) {
  const std::int64_t padded = std::int64_t{a.size} + a.pad_begin + a.pad_end;
  const std::int64_t extent = std::int64_t{a.dilation} * (std::int64_t{a.kernel} - 1) + 1;
  return a.size > 0 && a.kernel > 0 && a.stride > 0 && a.dilation > 0 && a.pad_begin >= 0 && a.pad_end >= 0 &&
         padded >= extent && padded <= std::numeric_limits<int>::max();  // so LayerAxis can compute in int
}

// Whether a tensor of these dimensions can be addressed in bytes, with room for alignment.
bool countable(std::initializer_list<std::int64_t> dims) {
  constexpr std::int64_t kMost = std::int64_t{1} << 58;
  std::int64_t words = 1;
  return std::all_of(dims.begin(), dims.end(),
                     [&](std::int64_t dim) { return !__builtin_mul_overflow(words, dim, &words) && words <= kMost; });
}

Axis forward_axis(const LayerAxis& l) {
  return {l.size, l.kernel, l.out(), l.stride, l.pad_begin, 1, l.dilation};
}

// INP = gradient of the OFM, dilated by the stride; the padding completes the window, the trailing zeros of F24 are
// those positions beyond the last sample that `out` = H still asks for.
Axis grad_ifm_axis(const LayerAxis& l) {
  return {l.out(), l.kernel, l.size, 1, l.kernel_extent() - 1 - l.pad_begin, l.stride, l.dilation};
}

// KERN = gradient of the OFM, dilated by the stride; the layer's dilation is the convolution's stride; OUT is cropped
// to kh.
Axis grad_weight_axis(const LayerAxis& l) {
  return {l.size, l.out(), l.kernel, l.dilation, l.pad_begin, 1, l.stride};
}

}  // namespace

void check(const Layer& layer) {
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
  const int c = layer.channels / layer.groups, ho = layer.h.out(), wo = layer.w.out();
  if (!countable({layer.batch, layer.channels, layer.h.size, layer.w.size}) ||
      !countable({layer.batch, layer.filters, ho, wo, c, layer.h.kernel, layer.w.kernel})) {
    throw Error(fmt::format("layer {}: its tensors or products are more than 2^58", layer.name));
  }
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
  c.kind = kind;
  c.useful_macs = layer.batch * filters * channels * weight_map * ofm_map;
  switch (kind) {
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
  check(layer);  // also where there is no group to lower
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
  switch (kind) {
    case Kind::F:
      return {ifm, weights, ofm};
    case Kind::GI:
      return {ofm, weights, ifm};
    case Kind::GW:
      return {ifm, ofm, weights};
  }
  return {};
}

}  // namespace weft::workloads
