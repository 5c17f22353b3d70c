#include "workloads/onnx/operators.h"

#include <fmt/core.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "model/core/error.h"
#include "workloads/onnx/checks.h"

namespace weft::workloads {

using onnx::AttributeProto;
using onnx::NodeProto;

namespace {

using Integers = std::vector<std::int64_t>;

std::int64_t rank_of(const Shape& shape) {
  return static_cast<std::int64_t>(shape.size());
}

std::size_t axis_in(std::int64_t axis, const Shape& shape) {
  if (axis < -rank_of(shape) || axis >= rank_of(shape)) {
    throw Error(fmt::format("its axes hold {}, but its input is {}", axis, dims_text(shape)));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + rank_of(shape) : axis);
}

// All axes, unless operand `slot` gives them; nothing if they are computed.
std::optional<std::vector<std::size_t>> axes_of(const Operands& operands, int slot, const Shape& shape) {
  std::vector<std::size_t> axes;
  if (!operands.has(slot)) {
    for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(i);
    return axes;
  }
  const auto given = operands.integers(slot);
  if (!given) return std::nullopt;
  for (const std::int64_t axis : *given) axes.push_back(axis_in(axis, shape));
  return axes;
}

std::string text_or(const NodeProto& node, const char* name, const char* fallback) {
  const AttributeProto* attribute = find_attribute(node, name);
  return attribute == nullptr || attribute->s().empty() ? fallback : attribute->s();
}

Shapes same_as_first(const Operands& operands) {
  return {operands.shape(0)};
}

Shapes reduced(const Operands& operands) {
  const auto data = operands.shape(0);
  if (!data) return {};
  const bool none = !operands.has(1) || (operands.integers(1) && operands.integers(1)->empty());
  if (none && integer_or(operands.node, "noop_with_empty_axes", 0) != 0) return {data};
  const auto axes = none ? axes_of(operands, operands.node.input_size(), *data) : axes_of(operands, 1, *data);
  const bool keeps = integer_or(operands.node, "keepdims", 1) != 0;
  if (!axes) return {keeps ? std::optional(Shape(data->size(), kUnknownDim)) : std::nullopt};
  Shape shape;
  for (std::size_t i = 0; i < data->size(); ++i) {
    const bool gone = std::find(axes->begin(), axes->end(), i) != axes->end();
    if (!gone) shape.push_back((*data)[i]);
    if (gone && keeps) shape.push_back(1);
  }
  return {shape};
}

Shapes split(const Operands& operands) {
  const auto data = operands.shape(0);
  if (!data) return {};
  const std::size_t axis = axis_in(integer_or(operands.node, "axis", 0), *data);
  const std::int64_t count = integer_or(operands.node, "num_outputs", 0), size = (*data)[axis];
  const int results = operands.node.output_size();
  if (operands.has(1) && count != 0) throw Error("has num_outputs and the sizes of its parts; only one is allowed");
  if (find_attribute(operands.node, "num_outputs") != nullptr && count != results) {
    throw Error(fmt::format("num_outputs is {}, but it has {} results", count, results));
  }
  Shapes shapes;
  Integers parts(static_cast<std::size_t>(results), kUnknownDim);
  if (operands.has(1)) {
    const auto given = operands.integers(1);
    if (given && static_cast<int>(given->size()) != results) {
      throw Error(fmt::format("gives the sizes of {} parts, but it has {} results", given->size(), results));
    }
    if (given) parts = *given;
    std::int64_t all = 0;
    for (const std::int64_t part : parts) {
      if (given && (part < 0 || __builtin_add_overflow(all, part, &all))) throw Error("has a part of negative size");
    }
    if (given && size != kUnknownDim && all != size) {
      throw Error(fmt::format("has parts of {} together, but its input is {}", all, dims_text(*data)));
    }
  } else if (size != kUnknownDim) {
    const std::int64_t each = (size + results - 1) / results;
    for (int i = 0; i < results; ++i) {
      parts[static_cast<std::size_t>(i)] = std::clamp<std::int64_t>(size - each * i, 0, each);
    }
    if (each > 0 && parts.back() == 0) {
      throw Error(
          fmt::format("has {} results, but its input {} has no sample for the last", results, dims_text(*data)));
    }
  }
  for (const std::int64_t part : parts) {
    shapes.emplace_back(*data);
    (*shapes.back())[axis] = part;
  }
  return shapes;
}

Shapes padded(const Operands& operands) {
  const auto data = operands.shape(0);
  if (!data) return {};
  const auto axes = axes_of(operands, 3, *data);
  const auto pads = operands.integers(1);
  if (!axes || !pads) return {Shape(data->size(), kUnknownDim)};
  if (pads->size() != 2 * axes->size()) {
    throw Error(
        fmt::format("its pads hold {} values, but {} axes take {}", pads->size(), axes->size(), 2 * axes->size()));
  }
  Shape shape = *data;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    std::int64_t& dim = shape[(*axes)[i]];
    if (dim == kUnknownDim) continue;
    const bool beyond = __builtin_add_overflow(dim, (*pads)[i], &dim) ||
                        __builtin_add_overflow(dim, (*pads)[i + axes->size()], &dim) || dim < 0 || dim > kLargestDim;
    if (beyond) throw Error(fmt::format("its pads leave no valid size of axis {}", (*axes)[i]));
  }
  return {shape};
}

// Without axes, all dimensions of 1 go. libonnx 1.12 infers nothing then.
Shapes squeezed(const Operands& operands) {
  const auto data = operands.shape(0);
  if (!data) return {};
  const Integers axes = integers_of(operands.node, "axes");
  std::vector<bool> gone(data->size());
  for (std::size_t i = 0; i < data->size() && axes.empty(); ++i) {
    if ((*data)[i] == kUnknownDim) return {};
    gone[i] = (*data)[i] == 1;
  }
  Shape shape;
  for (const std::int64_t axis : axes) gone[axis_in(axis, *data)] = true;
  for (std::size_t i = 0; i < data->size(); ++i) {
    if (!gone[i]) shape.push_back((*data)[i]);
    if (gone[i] && (*data)[i] > 1) {
      throw Error(fmt::format("drops axis {} of {}, but its size must be 1", i, dims_text(*data)));
    }
  }
  return {shape};
}

// A new axis whose size is the value of an operand. libonnx 1.12 does not read that value.
Shapes one_hot(const Operands& operands) {
  const auto indices = operands.shape(0);
  if (!indices) return {};
  const auto depth = operands.integers(1);
  const auto real = operands.reals(1);
  Shape shape = *indices;
  shape.push_back(kUnknownDim);
  if (depth) shape.back() = depth->front();
  if (real && !real->empty() && std::abs(real->front()) < 1e9) shape.back() = static_cast<std::int64_t>(real->front());
  const std::size_t axis = axis_in(integer_or(operands.node, "axis", -1), shape);
  std::rotate(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end() - 1, shape.end());
  return {shape};
}

// Sizes of Resize: given, or scaled and rounded down.
Shapes resized(const Operands& operands) {
  const auto data = operands.shape(0);
  if (!data) return {};
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : integers_of(operands.node, "axes")) axes.push_back(axis_in(axis, *data));
  if (axes.empty()) axes = *axes_of(operands, operands.node.input_size(), *data);
  Shape shape = *data;
  for (const std::size_t axis : axes) shape[axis] = kUnknownDim;
  const auto check = [&](std::size_t given) {
    if (given == axes.size()) return;
    throw Error(fmt::format("gives {} sizes or scales, but has {} axes", given, axes.size()));
  };
  const auto scaled = [&](std::size_t axis, double scale, double added) {
    // In FP32, as the scales are: 10 * 0.7 is 7, although FP32's 0.7 is less.
    const auto product = static_cast<double>(static_cast<float>((*data)[axis]) * static_cast<float>(scale));
    const double size = std::floor(product + added);
    if (!(size >= 0 && size <= static_cast<double>(kLargestDim))) {
      throw Error(fmt::format("scales axis {} by {}; sizes of 0 to {} are allowed", axis, scale, kLargestDim));
    }
    return static_cast<std::int64_t>(size);
  };
  if (const auto scales = operands.reals(2); scales && !scales->empty()) {
    check(scales->size());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if ((*data)[axes[i]] != kUnknownDim) shape[axes[i]] = scaled(axes[i], (*scales)[i], 0);
    }
    return {shape};
  }
  const auto sizes = operands.integers(3);
  if (!sizes) return {shape};
  check(sizes->size());
  const std::string policy = text_or(operands.node, "keep_aspect_ratio_policy", "stretch");
  std::optional<double> scale;  // of all axes
  for (std::size_t i = 0; i < axes.size() && policy != "stretch"; ++i) {
    const std::int64_t before = (*data)[axes[i]];
    if (before < 1) return {shape};
    const double each = static_cast<double>((*sizes)[i]) / static_cast<double>(before);
    if (!scale || (policy == "not_larger" ? each < *scale : each > *scale)) scale = each;
  }
  for (std::size_t i = 0; i < axes.size(); ++i) shape[axes[i]] = scale ? scaled(axes[i], *scale, 0.5) : (*sizes)[i];
  return {shape};
}

// Grid [N][...][dimensions] of positions in maps [N][C][...].
Shapes sampled(const Operands& operands) {
  const auto data = operands.shape(0), grid = operands.shape(1);
  if (!data || !grid) return {};
  if (data->size() < 3 || grid->size() != data->size()) {
    throw Error(fmt::format("its input is {} and its grid {}; equal ranks of at least 3 are needed", dims_text(*data),
                            dims_text(*grid)));
  }
  Shape shape{(*data)[0], (*data)[1]};
  shape.insert(shape.end(), grid->begin() + 1, grid->end() - 1);
  return {shape};
}

// Output of a convolution with weights in operand 1.
Shapes deformed(const Operands& operands) {
  const auto data = operands.shape(0), weights = operands.shape(1);
  if (!data || !weights) return {};
  if (data->size() < 3 || weights->size() != data->size()) {
    throw Error(fmt::format("its input is {} and its weights {}; equal ranks of at least 3 are needed",
                            dims_text(*data), dims_text(*weights)));
  }
  const std::size_t rank = data->size() - 2;
  auto [kernel, strides, dilations, pads, ceil_mode] = window_of(operands.node);
  if (strides.empty()) strides.assign(rank, 1);
  if (dilations.empty()) dilations.assign(rank, 1);
  if (pads.empty()) pads.assign(2 * rank, 0);
  if (strides.size() != rank || dilations.size() != rank || pads.size() != 2 * rank) {
    throw Error("its attributes do not fit the rank of its input");
  }
  Shape shape{(*data)[0], (*weights)[0]};
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t size = (*data)[i + 2], taps = (*weights)[i + 2];
    if (size == kUnknownDim || taps == kUnknownDim) {
      shape.push_back(kUnknownDim);
      continue;
    }
    const std::int64_t free = size + pads[i] + pads[i + rank] - dilations[i] * (taps - 1) - 1;
    if (free < 0) throw Error(fmt::format("its window exceeds its padded input {}", dims_text(*data)));
    shape.push_back(free / strides[i] + 1);
  }
  return {shape};
}

// Y and the reciprocal deviations.
Shapes normalised(const Operands& operands) {
  const auto data = operands.shape(0);
  if (!data || data->empty()) return {};
  const std::size_t axis = axis_in(integer_or(operands.node, "axis", -1), *data);
  Shape statistics = *data;
  for (std::size_t i = axis; i < statistics.size(); ++i) statistics[i] = 1;
  return {data, statistics};
}

Shapes cropped(const Operands& operands) {
  const auto data = operands.shape(0);
  if (!data) return {};
  Shape shape = *data;
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : integers_of(operands.node, "axes")) axes.push_back(axis_in(axis, *data));
  if (axes.empty()) axes = *axes_of(operands, operands.node.input_size(), *data);
  const auto sizes = operands.integers(1);
  if (sizes && sizes->size() != axes.size()) {
    throw Error(fmt::format("gives {} sizes, but {} axes take as many", sizes->size(), axes.size()));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) shape[axes[i]] = sizes ? (*sizes)[i] : kUnknownDim;
  return {shape};
}

// Blocks [N][C * block][positions] become maps [N][C][...].
Shapes maps_of_blocks(const Operands& operands) {
  const auto data = operands.shape(0);
  const auto image = operands.integers(1), block = operands.integers(2);
  if (!data || data->size() != 3 || !image || !block) return {};
  std::int64_t taps = 1;
  for (const std::int64_t size : *block) {
    if (size < 1 || __builtin_mul_overflow(taps, size, &taps)) throw Error("has a block of invalid size");
  }
  Shape shape{(*data)[0], (*data)[1] == kUnknownDim ? kUnknownDim : (*data)[1] / taps};
  shape.insert(shape.end(), image->begin(), image->end());
  return {shape};
}

Shapes grid_of_sizes(const Operands& operands) {
  const auto sizes = operands.integers(1);
  if (!sizes || sizes->size() < 4 || sizes->size() > 5) return {};
  Shape shape{sizes->front()};
  shape.insert(shape.end(), sizes->begin() + 2, sizes->end());
  shape.push_back(static_cast<std::int64_t>(sizes->size()) - 2);
  return {shape};
}

Shapes broadcast(const Operands& operands) {
  const auto a = operands.shape(0), b = operands.shape(1);
  if (!a || !b) return {};
  Shape shape(std::max(a->size(), b->size()));
  for (std::size_t i = 1; i <= shape.size(); ++i) {
    const std::int64_t x = i > a->size() ? 1 : (*a)[a->size() - i], y = i > b->size() ? 1 : (*b)[b->size() - i];
    if (x != y && x > 1 && y > 1) {
      throw Error(fmt::format("its operands are {} and {}, which cannot be broadcast", dims_text(*a), dims_text(*b)));
    }
    shape[shape.size() - i] = x == 1 ? y : x;
  }
  return {shape};
}

// Terms of an equation without blanks: of each operand, and of the result if the equation gives it.
struct Equation {
  std::vector<std::string> terms;
  std::optional<std::string> result;
};

Equation equation_of(const NodeProto& node) {
  std::string text = text_or(node, "equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  Equation equation;
  if (const auto arrow = text.find("->"); arrow != std::string::npos) {
    equation.result = text.substr(arrow + 2);
    text.resize(arrow);
  }
  std::istringstream terms(text + ",");
  for (std::string term; std::getline(terms, term, ',');) equation.terms.push_back(term);
  return equation;
}

// Without an ellipsis: a letter names a dimension.
Shapes einsum(const Operands& operands) {
  Equation equation = equation_of(operands.node);
  if (static_cast<int>(equation.terms.size()) != operands.node.input_size()) {
    throw Error(fmt::format("its equation has {} terms, but it has {} operands", equation.terms.size(),
                            operands.node.input_size()));
  }
  std::map<char, std::int64_t> sizes;
  std::map<char, int> uses;
  for (int slot = 0; slot < operands.node.input_size(); ++slot) {
    const std::string& term = equation.terms[static_cast<std::size_t>(slot)];
    const auto shape = operands.shape(slot);
    if (!shape || term.find('.') != std::string::npos) return {};
    if (term.size() != shape->size()) {
      throw Error(
          fmt::format("its equation has {} for {}, which is {}", term, operands.node.input(slot), dims_text(*shape)));
    }
    for (std::size_t i = 0; i < term.size(); ++i) {
      std::int64_t& size = sizes.emplace(term[i], (*shape)[i]).first->second;
      if (size <= 1) size = (*shape)[i];  // unknown, or broadcast
      ++uses[term[i]];
      if ((*shape)[i] > 1 && size != (*shape)[i]) {
        throw Error(fmt::format("its equation has {} for sizes of {} and {}", term[i], size, (*shape)[i]));
      }
    }
  }
  if (!equation.result) {  // the letters used once, in alphabetical order
    equation.result.emplace();
    for (const auto& [letter, count] : uses) {
      if (count == 1) equation.result->push_back(letter);
    }
  }
  Shape shape;
  for (const char letter : *equation.result) {
    const auto size = sizes.find(letter);
    if (size == sizes.end()) {
      if (letter == '.') return {};
      throw Error(fmt::format("its equation has {} in the result alone", letter));
    }
    shape.push_back(size->second);
  }
  return {shape};
}

constexpr int kMany = std::numeric_limits<int>::max();
constexpr int kF = AttributeProto::FLOAT, kI = AttributeProto::INT, kS = AttributeProto::STRING,
              kIs = AttributeProto::INTS;

using Entries = std::map<std::string, std::vector<TabledOperator>>;  // by operator, oldest first

Entries entries() {
  Entries all;
  using Attributes = std::map<std::string, Signature::Attribute>;
  // A new operator, or one whose new version has other operands.
  const auto add = [&](const char* op, int since, Attributes attributes, int min_inputs, int max_inputs, ShapeRule rule,
                       int max_outputs = 1) {
    all[op].push_back({{since, std::move(attributes), min_inputs, max_inputs, 1, max_outputs}, false, rule});
  };
  // A version that has more attributes.
  const auto extend = [&](const char* op, int since, Attributes attributes, ShapeRule rule = nullptr) {
    all[op].push_back({{since, std::move(attributes), 0, 0, 0, 0}, true, rule});
  };
  const Attributes none, keeps{{"keepdims", {kI}}, {"noop_with_empty_axes", {kI}}};
  for (const char* op : {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
                         "ReduceMin", "ReduceProd", "ReduceSumSquare"}) {
    add(op, 18, keeps, 1, 2, reduced);
  }
  add("ReduceSum", 13, keeps, 1, 2, reduced);
  extend("Split", 18, {{"num_outputs", {kI}}}, split);
  add("Pad", 18, {{"mode", {kS}}}, 2, 4, padded);
  extend("Squeeze", 1, none, squeezed);
  extend("Squeeze", 13, none);
  extend("OneHot", 9, none, one_hot);
  extend("Resize", 11, none, resized);  // libonnx 1.17 refuses scales and sizes together, 1.12 does not
  extend("Resize", 18, {{"antialias", {kI}}, {"axes", {kIs}}, {"keep_aspect_ratio_policy", {kS}}}, resized);
  extend("AveragePool", 19, {{"dilations", {kIs}}});
  extend("LpPool", 18, {{"ceil_mode", {kI}}, {"dilations", {kIs}}});
  extend("Cast", 19, {{"saturate", {kI}}});
  extend("Cast", 24, {{"round_mode", {kS}}, {"saturate", {kI}}});
  add("CastLike", 15, none, 2, 2, same_as_first);
  add("CastLike", 19, {{"saturate", {kI}}}, 2, 2, same_as_first);
  add("CastLike", 24, {{"round_mode", {kS}}, {"saturate", {kI}}}, 2, 2, same_as_first);
  const Attributes axis{{"axis", {kI}}};
  add("QuantizeLinear", 10, axis, 2, 3, same_as_first);
  add("QuantizeLinear", 19, {{"axis", {kI}}, {"saturate", {kI}}}, 2, 3, same_as_first);
  add("QuantizeLinear", 21, {{"axis", {kI}}, {"block_size", {kI}}, {"output_dtype", {kI}}, {"saturate", {kI}}}, 2, 3,
      same_as_first);
  add("QuantizeLinear", 23,
      {{"axis", {kI}}, {"block_size", {kI}}, {"output_dtype", {kI}}, {"precision", {kI}}, {"saturate", {kI}}}, 2, 3,
      same_as_first);
  add("DequantizeLinear", 10, axis, 2, 3, same_as_first);
  add("DequantizeLinear", 21, {{"axis", {kI}}, {"block_size", {kI}}}, 2, 3, same_as_first);
  add("DequantizeLinear", 23, {{"axis", {kI}}, {"block_size", {kI}}, {"output_dtype", {kI}}}, 2, 3, same_as_first);
  add("HardSwish", 14, none, 1, 1, same_as_first);
  add("Mish", 18, none, 1, 1, same_as_first);
  add("Gelu", 20, {{"approximate", {kS}}}, 1, 1, same_as_first);
  add("Swish", 24, {{"alpha", {kF}}}, 1, 1, same_as_first);
  add("BitwiseNot", 18, none, 1, 1, same_as_first);
  for (const char* op : {"LessOrEqual", "GreaterOrEqual"}) extend(op, 12, none, broadcast);
  for (const char* op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}) add(op, 18, none, 2, 2, broadcast);
  add("GroupNormalization", 18, {{"epsilon", {kF}}, {"num_groups", {kI, true}}}, 3, 3, same_as_first);
  add("GroupNormalization", 21, {{"epsilon", {kF}}, {"num_groups", {kI, true}}, {"stash_type", {kI}}}, 3, 3,
      same_as_first);
  add("RMSNormalization", 23, {{"axis", {kI}}, {"epsilon", {kF}}, {"stash_type", {kI}}}, 2, 2, normalised);
  const Attributes heads{
      {"is_causal", {kI}}, {"kv_num_heads", {kI}},          {"q_num_heads", {kI}},      {"scale", {kF}},
      {"softcap", {kF}},   {"qk_matmul_output_mode", {kI}}, {"softmax_precision", {kI}}};
  add("Attention", 23, heads, 3, 6, attention, 4);
  add("Attention", 24, heads, 3, 7, attention, 4);
  add("RotaryEmbedding", 23, {{"interleaved", {kI}}, {"num_heads", {kI}}, {"rotary_embedding_dim", {kI}}}, 3, 4,
      same_as_first);
  add("TensorScatter", 24, {{"axis", {kI}}, {"mode", {kS}}}, 2, 3, same_as_first);
  for (const char* op : {"ScatterND", "ScatterElements"}) extend(op, 11, none, same_as_first);
  extend("Trilu", 14, none, same_as_first);
  extend("GridSample", 16, none, sampled);
  add("DeformConv", 19,
      {{"dilations", {kIs}},
       {"group", {kI}},
       {"kernel_shape", {kIs}},
       {"offset_group", {kI}},
       {"pads", {kIs}},
       {"strides", {kIs}}},
      3, 5, deformed);
  add("Einsum", 12, {{"equation", {kS, true}}}, 1, kMany, einsum);
  add("CenterCropPad", 18, {{"axes", {kIs}}}, 2, 2, cropped);
  add("Col2Im", 18, {{"dilations", {kIs}}, {"pads", {kIs}}, {"strides", {kIs}}}, 3, 3, maps_of_blocks);
  add("AffineGrid", 20, {{"align_corners", {kI}}}, 2, 2, grid_of_sizes);
  add("DFT", 20, {{"inverse", {kI}}, {"onesided", {kI}}}, 1, 3, nullptr);
  add("ImageDecoder", 20, {{"pixel_format", {kS}}}, 1, 1, nullptr);
  add("RegexFullMatch", 20, {{"pattern", {kS}}}, 1, 1, same_as_first);
  add("StringConcat", 20, none, 2, 2, broadcast);
  add("StringSplit", 20, {{"delimiter", {kS}}, {"maxsplit", {kI}}}, 1, 1, nullptr, 2);
  return all;
}

}  // namespace

const TabledOperator* tabled_operator(const std::string& op, int opset) {
  static const Entries all = entries();
  const auto found = all.find(op);
  if (found == all.end()) return nullptr;
  const TabledOperator* newest = nullptr;
  for (const TabledOperator& each : found->second) {
    if (each.signature.since <= opset) newest = &each;
  }
  return newest;
}

std::optional<Signature> signature_of(const std::string& op, int opset) {
  const TabledOperator* tabled = tabled_operator(op, opset);
  if (tabled != nullptr && !tabled->extends) return tabled->signature;
  const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(op, std::min(opset, kLibraryOpset), "");
  if (schema == nullptr) return std::nullopt;
  Signature signature{schema->SinceVersion(), {}, schema->min_input(), schema->max_input(), schema->min_output(),
                      schema->max_output()};
  for (const auto& [name, attribute] : schema->attributes()) {
    signature.attributes[name] = {static_cast<int>(attribute.type), attribute.required};
  }
  if (tabled != nullptr) {
    signature.since = std::max(signature.since, tabled->signature.since);
    for (const auto& each : tabled->signature.attributes) signature.attributes.insert(each);
  }
  return signature;
}

ElementRule element_rule(const NodeProto& node) {
  const std::string& op = node.op_type();
  const auto given = [&](int slot) { return slot < node.input_size() && !node.input(slot).empty(); };
  if (op == "CastLike") return {1, 0};
  if (op == "OneHot") return {2, 0};
  if (op == "LessOrEqual" || op == "GreaterOrEqual") return {0, onnx::TensorProto::BOOL};
  if (op == "QuantizeLinear" && given(2)) return {2, 0};
  const auto stated = static_cast<int>(integer_or(node, "output_dtype", 0));
  if (op == "QuantizeLinear") return {0, stated != 0 ? stated : static_cast<int>(onnx::TensorProto::UINT8)};
  if (op == "DequantizeLinear") return {1, stated};
  return {};
}

ConvolutionSlots convolution_slots(const NodeProto& node) {
  if (is_standard(node, "Conv") || is_standard(node, "ConvTranspose")) return {1, 2};
  if (is_standard(node, "ConvInteger")) return {1, 0};
  if (is_standard(node, "QLinearConv")) return {3, 8};
  return {};
}

std::vector<TransposedAxis> transposed_axes(const NodeProto& node, const Integers& sizes, const Integers& extents) {
  const std::size_t rank = sizes.size();
  const WindowAttributes window = window_of(node).of_rank(rank);
  const Integers &strides = window.strides, &pads = window.pads;
  Integers added = integers_of(node, "output_padding");
  if (added.empty()) added.assign(rank, 0);
  if (added.size() != rank) {
    throw Error(fmt::format("output_padding has {} values, but a {}-D convolution takes {}", added.size(), rank, rank));
  }
  Integers wanted = integers_of(node, "output_shape");
  if (wanted.size() == rank + 2)
    wanted.erase(wanted.begin(), wanted.begin() + 2);  // some exporters give all dimensions
  const std::string mode = text_or(node, "auto_pad", "NOTSET");
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (!same && mode != "NOTSET" && mode != "VALID") {
    throw Error(fmt::format("auto_pad is {}; NOTSET, VALID, SAME_UPPER and SAME_LOWER are allowed", mode));
  }
  if (!wanted.empty() && wanted.size() != rank) {
    throw Error(fmt::format("output_shape has {} values, but a {}-D convolution takes {}", wanted.size(), rank, rank));
  }
  std::vector<TransposedAxis> axes(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    if (added[i] < 0) throw Error(fmt::format("output_padding holds {}; allowed: 0 or more", added[i]));
    const std::int64_t whole = strides[i] * (sizes[i] - 1) + added[i] + extents[i];  // with no zero left out
    TransposedAxis& axis = axes[i];
    if (wanted.empty() && !same) {
      axis.pad_begin = mode == "VALID" ? 0 : pads[i];
      axis.pad_end = mode == "VALID" ? 0 : pads[i + rank];
      axis.out = whole - axis.pad_begin - axis.pad_end;
    } else {
      axis.out = wanted.empty() ? sizes[i] * strides[i] : wanted[i];
      const std::int64_t zeros = whole - axis.out, half = zeros / 2;
      // The standard: SAME_UPPER leaves the odd one out at the end, every other mode at the beginning.
      axis.pad_begin = mode == "SAME_UPPER" ? half : zeros - half;
      axis.pad_end = zeros - axis.pad_begin;
    }
    if (axis.out < 1 || axis.out > kLargestDim) {
      throw Error(fmt::format("its result has {} samples along an axis; 1 to {} are allowed", axis.out, kLargestDim));
    }
  }
  return axes;
}

std::optional<EinsumProduct> einsum_product(const NodeProto& node) {
  if (!is_standard(node, "Einsum") || node.input_size() != 2) return std::nullopt;
  const Equation equation = equation_of(node);
  if (equation.terms.size() != 2 || !equation.result || equation.terms[1].size() != 2) return std::nullopt;
  const std::string& data = equation.terms[0];
  for (const bool outputs_first : {true, false}) {
    const char summed = equation.terms[1][outputs_first ? 1 : 0], output = equation.terms[1][outputs_first ? 0 : 1];
    const auto axis = data.find(summed);
    if (axis == std::string::npos || data.find(output) != std::string::npos) continue;
    std::string result = data;
    result[axis] = output;
    if (result == *equation.result) return EinsumProduct{axis, outputs_first};
  }
  return std::nullopt;
}

}  // namespace weft::workloads
