#include "model/conv/convolution.h"

#include <fmt/core.h>

namespace weft::conv {

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::F:
      return "F";
    case Kind::GI:
      return "GI";
    case Kind::GW:
      return "GW";
  }
  return "?";
}

std::string shape_text(const Layer& layer) {
  const auto pair = [](int h, int w) { return h == w ? fmt::format("{}", h) : fmt::format("{}x{}", h, w); };
  std::string text = layer.transposed ? fmt::format("{}x{}x{} {}x{} transposed", layer.filters, layer.h.out(),
                                                    layer.w.out(), layer.channels, pair(layer.h.kernel, layer.w.kernel))
                                      : fmt::format("{}x{}x{} {}x{}", layer.channels, layer.h.size, layer.w.size,
                                                    layer.filters, pair(layer.h.kernel, layer.w.kernel));
  if (layer.h.stride > 1 || layer.w.stride > 1) text += " s" + pair(layer.h.stride, layer.w.stride);
  if (layer.h.dilation > 1 || layer.w.dilation > 1) text += " d" + pair(layer.h.dilation, layer.w.dilation);
  if (layer.groups > 1) text += fmt::format(" g{}", layer.groups);
  return text;
}

bool operator==(const Axis& a, const Axis& b) {
  return Axis::all(a) == Axis::all(b);
}

bool operator==(const TensorView& a, const TensorView& b) {
  return TensorView::all(a) == TensorView::all(b);
}

bool operator==(const Convolution& a, const Convolution& b) {
  return Convolution::all(a) == Convolution::all(b);
}

}  // namespace weft::conv
