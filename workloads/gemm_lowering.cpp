#include "workloads/gemm_lowering.h"

#include "model/conv/stored_pairs.h"
#include "workloads/lowering.h"

namespace weft::workloads {

namespace {

// Pairs of an output and a weight of an axis that meet a stored sample.
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
  switch (kind) {
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
  // Each kind pairs the same samples, weights and outputs.
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
