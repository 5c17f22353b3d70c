#include "workloads/onnx/checks.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "model/core/error.h"

namespace weft::workloads {

using onnx::AttributeProto;
using onnx::NodeProto;

namespace {

const std::string& type_name(int type) {
  return AttributeProto::AttributeType_Name(static_cast<AttributeProto::AttributeType>(type));
}

// Types of the values in an attribute, independent of its declared type.
std::vector<int> held_types(const AttributeProto& attribute) {
  std::vector<int> types;
  const auto add = [&](bool held, int type) {
    if (held) types.push_back(type);
  };
  add(attribute.has_f(), AttributeProto::FLOAT);
  add(attribute.has_i(), AttributeProto::INT);
  add(attribute.has_s(), AttributeProto::STRING);
  add(attribute.has_t(), AttributeProto::TENSOR);
  add(attribute.has_g(), AttributeProto::GRAPH);
  add(attribute.has_sparse_tensor(), AttributeProto::SPARSE_TENSOR);
  add(attribute.has_tp(), AttributeProto::TYPE_PROTO);
  add(attribute.floats_size() > 0, AttributeProto::FLOATS);
  add(attribute.ints_size() > 0, AttributeProto::INTS);
  add(attribute.strings_size() > 0, AttributeProto::STRINGS);
  add(attribute.tensors_size() > 0, AttributeProto::TENSORS);
  add(attribute.graphs_size() > 0, AttributeProto::GRAPHS);
  add(attribute.sparse_tensors_size() > 0, AttributeProto::SPARSE_TENSORS);
  add(attribute.type_protos_size() > 0, AttributeProto::TYPE_PROTOS);
  return types;
}

void check_type(const AttributeProto& attribute, int wanted) {
  std::vector<int> types = held_types(attribute);
  // Old files do not declare the type.
  if (attribute.type() != AttributeProto::UNDEFINED) types.push_back(attribute.type());
  for (const int type : types) {
    if (type == wanted) continue;
    throw Error(fmt::format("its attribute {} is of type {}; {} is needed", attribute.name(), type_name(type),
                            type_name(wanted)));
  }
  if (attribute.has_ref_attr_name()) {
    throw Error(fmt::format(
        "its attribute {} refers to attribute {} of a function, but the node is in no function; give its value",
        attribute.name(), attribute.ref_attr_name()));
  }
}

// Attributes that libonnx ignores, too.
bool is_internal(const std::string& attribute) {
  return attribute.rfind("__", 0) == 0;
}

// True if each dimension of `from`, aligned at the last one, equals that of `to`, is 1, or either is unknown.
bool broadcasts(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    const std::int64_t a = from[from.size() - i], b = to[to.size() - i];
    if (a != 1 && a != b && a != kUnknownDim && b != kUnknownDim) return false;
  }
  return true;
}

// Parameter of an operator: its slot, and its name in messages.
struct Parameter {
  int slot;
  const char* name;
};

std::optional<Shape> shape_of(const NodeProto& node, int slot, const ShapeOf& shape) {
  if (slot >= node.input_size() || node.input(slot).empty()) return std::nullopt;
  return shape(node.input(slot));
}

void check_length(const NodeProto& node, Parameter parameter, std::int64_t wanted, const std::string& of,
                  const ShapeOf& shape) {
  const auto given = shape_of(node, parameter.slot, shape);
  if (!given || wanted == kUnknownDim) return;
  const bool fits = given->size() == 1 && (given->front() == wanted || given->front() == kUnknownDim);
  if (fits) return;
  throw Error(fmt::format("its {} {} is {}, but {} {} need a vector of {}", parameter.name, node.input(parameter.slot),
                          dims_text(*given), wanted, of, wanted));
}

void check_of_channels(const NodeProto& node, const std::vector<Parameter>& parameters, const ShapeOf& shape) {
  const auto input = shape_of(node, 0, shape);
  if (!input || input->size() < 2) return;
  for (const Parameter parameter : parameters) check_length(node, parameter, (*input)[1], "channels", shape);
}

void check_broadcast(const NodeProto& node, Parameter parameter, const Shape& to, const ShapeOf& shape) {
  const auto given = shape_of(node, parameter.slot, shape);
  if (!given || broadcasts(*given, to)) return;
  throw Error(fmt::format("its {} {} is {}, which cannot be broadcast to {}", parameter.name,
                          node.input(parameter.slot), dims_text(*given), dims_text(to)));
}

void check_gemm(const NodeProto& node, int opset, const ShapeOf& shape) {
  const auto a = shape_of(node, 0, shape), b = shape_of(node, 1, shape);
  if (!a || !b || a->size() != 2 || b->size() != 2) return;
  const std::size_t first = integer_or(node, "transA", 0) == 0 ? 0 : 1,
                    second = integer_or(node, "transB", 0) == 0 ? 0 : 1;
  const std::int64_t inner = (*a)[1 - first], features = (*b)[second];
  if (inner != features && inner != kUnknownDim && features != kUnknownDim) {
    throw Error(
        fmt::format("its input is {}, but its weights {} take {} features", dims_text(*a), dims_text(*b), features));
  }
  constexpr int kBroadcasts = 7;  // older opsets: given by an attribute
  if (opset >= kBroadcasts) check_broadcast(node, {2, "bias"}, {(*a)[first], (*b)[1 - second]}, shape);
}

// Number of a pool's windows along an axis.
std::int64_t pool_outputs(std::int64_t size, std::int64_t extent, std::int64_t stride, std::int64_t before,
                          std::int64_t behind, bool ceil_mode) {
  const std::int64_t free = size + before + behind - extent + (ceil_mode ? stride - 1 : 0);
  if (free < 0) {
    throw Error(fmt::format("its window covers {} samples, but with its padding the input has only {}", extent,
                            size + before + behind));
  }
  const std::int64_t outputs = free / stride + 1;
  return ceil_mode && (outputs - 1) * stride >= size + before ? outputs - 1 : outputs;
}

}  // namespace

std::string dims_text(const Shape& shape) {
  std::string text;
  for (const std::int64_t dim : shape) {
    if (!text.empty()) text += 'x';
    text += dim == kUnknownDim ? "?" : std::to_string(dim);
  }
  return text.empty() ? "scalar" : text;
}

void check_attributes(const NodeProto& node, const Signature& allowed) {
  std::unordered_set<std::string> given;
  for (const AttributeProto& attribute : node.attribute()) {
    const std::string& name = attribute.name();
    if (!given.insert(name).second) throw Error(fmt::format("has attribute {} twice; give it once", name));
    if (is_internal(name)) continue;
    const auto declared = allowed.attributes.find(name);
    if (declared != allowed.attributes.end()) {
      check_type(attribute, declared->second.type);
      continue;
    }
    std::vector<std::string> known;  // sorted
    for (const auto& [key, unused] : allowed.attributes) known.push_back(key);
    throw Error(fmt::format("has attribute {}, which {} of opset {} does not have; it has {}", name, node.op_type(),
                            allowed.since, known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
  }
  for (const auto& [name, attribute] : allowed.attributes) {
    if (attribute.required && given.count(name) == 0) throw Error(fmt::format("has no attribute {}; give it", name));
  }
}

void check_counts(const NodeProto& node, const Signature& allowed) {
  const auto check = [](const char* what, int count, int least, int most) {
    if (count >= least && count <= most) return;
    throw Error(fmt::format("has {} {}; {} allowed", count, what,
                            least == most                             ? fmt::format("{} are", least)
                            : most == std::numeric_limits<int>::max() ? fmt::format("{} or more are", least)
                                                                      : fmt::format("{} to {} are", least, most)));
  };
  check("operands", node.input_size(), allowed.min_inputs, allowed.max_inputs);
  check("results", node.output_size(), allowed.min_outputs, allowed.max_outputs);
}

void check_bias(const NodeProto& node, int slot, std::int64_t filters, const ShapeOf& shape) {
  check_length(node, {slot, "bias"}, filters, "filters", shape);
}

void check_parameters(const NodeProto& node, int opset, const ShapeOf& shape) {
  if (is_standard(node, "BatchNormalization")) {
    check_of_channels(node, {{1, "scale"}, {2, "shift"}, {3, "mean"}, {4, "variance"}}, shape);
  } else if (is_standard(node, "InstanceNormalization")) {
    check_of_channels(node, {{1, "scale"}, {2, "shift"}}, shape);
  } else if (is_standard(node, "LayerNormalization") || is_standard(node, "PRelu")) {
    constexpr int kBroadcasts = 7;  // older opsets: a slope per channel
    const auto input = shape_of(node, 0, shape);
    if (!input || opset < kBroadcasts) return;
    const bool prelu = node.op_type() == "PRelu";
    check_broadcast(node, {1, prelu ? "slope" : "scale"}, *input, shape);
    if (!prelu) check_broadcast(node, {2, "shift"}, *input, shape);
  } else if (is_standard(node, "Gemm")) {
    check_gemm(node, opset, shape);
  }
}

std::optional<Shape> pool_shape(const NodeProto& node, const Shape& input) {
  const bool pool = is_standard(node, "MaxPool") || is_standard(node, "AveragePool") || is_standard(node, "LpPool");
  if (!pool || input.size() < 3) return std::nullopt;
  const std::size_t rank = input.size() - 2;
  auto [kernel, strides, dilations, pads, ceil_mode] = window_of(node);
  if (strides.empty()) strides.assign(rank, 1);
  if (dilations.empty()) dilations.assign(rank, 1);
  if (pads.empty()) pads.assign(2 * rank, 0);
  if (kernel.size() != rank || strides.size() != rank || dilations.size() != rank || pads.size() != 2 * rank) {
    return std::nullopt;
  }
  const AttributeProto* attribute = find_attribute(node, "auto_pad");
  const std::string mode = attribute == nullptr || attribute->s().empty() ? "NOTSET" : attribute->s();
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER", padded = mode == "NOTSET";
  if (!same && !padded && mode != "VALID") {
    throw Error(fmt::format("auto_pad is {}; NOTSET, VALID, SAME_UPPER and SAME_LOWER are allowed", mode));
  }
  Shape shape{input[0], input[1]};
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t size = input[i + 2], extent = dilations[i] * (kernel[i] - 1) + 1;
    if (size == kUnknownDim) {
      shape.push_back(kUnknownDim);
    } else if (same) {
      shape.push_back((size + strides[i] - 1) / strides[i]);
    } else {
      shape.push_back(
          pool_outputs(size, extent, strides[i], padded ? pads[i] : 0, padded ? pads[i + rank] : 0, ceil_mode));
    }
  }
  return shape;
}

using onnx::AttributeProto;
using onnx::NodeProto;

bool is_standard(const NodeProto& node, const char* op) {
  return node.op_type() == op && (node.domain().empty() || node.domain() == "ai.onnx");
}

const AttributeProto* find_attribute(const NodeProto& node, const char* name) {
  const auto found = std::find_if(node.attribute().begin(), node.attribute().end(),
                                  [&](const AttributeProto& a) { return a.name() == name; });
  return found == node.attribute().end() ? nullptr : &*found;
}

std::int64_t integer_or(const NodeProto& node, const char* name, std::int64_t fallback) {
  const AttributeProto* attribute = find_attribute(node, name);
  return attribute == nullptr ? fallback : attribute->i();
}

double real_or(const NodeProto& node, const char* name, double fallback) {
  const AttributeProto* attribute = find_attribute(node, name);
  return attribute == nullptr ? fallback : static_cast<double>(attribute->f());
}

std::vector<std::int64_t> integers_of(const NodeProto& node, const char* name) {
  const AttributeProto* attribute = find_attribute(node, name);
  if (attribute == nullptr) return {};
  return {attribute->ints().begin(), attribute->ints().end()};
}

WindowAttributes window_of(const NodeProto& node) {
  return {integers_of(node, "kernel_shape"), integers_of(node, "strides"), integers_of(node, "dilations"),
          integers_of(node, "pads"), integer_or(node, "ceil_mode", 0) != 0};
}

WindowAttributes WindowAttributes::of_rank(std::size_t rank) const {
  WindowAttributes full = *this;
  const auto fill = [&](const char* name, std::vector<std::int64_t>& values, std::size_t count, std::int64_t missing) {
    if (values.empty()) values.assign(count, missing);
    if (values.size() == count) return;
    throw Error(fmt::format("{} has {} values, but a {}-D convolution takes {}", name, values.size(), rank, count));
  };
  if (!full.kernel.empty()) fill("kernel_shape", full.kernel, rank, 1);
  fill("strides", full.strides, rank, 1);
  fill("dilations", full.dilations, rank, 1);
  fill("pads", full.pads, 2 * rank, 0);
  return full;
}

SamePads same_pads(std::int64_t size, std::int64_t stride, std::int64_t extent, bool upper) {
  const std::int64_t out = (size + stride - 1) / stride;
  const std::int64_t zeros = std::max<std::int64_t>((out - 1) * stride + extent - size, 0);
  const std::int64_t begin = upper ? zeros / 2 : zeros - zeros / 2;  // an odd zero goes to one side
  return {begin, zeros - begin};
}

}  // namespace weft::workloads
