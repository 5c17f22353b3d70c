#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "model/core/error.h"
#include "workloads/onnx/checks.h"
#include "workloads/onnx/operators.h"

namespace weft::workloads {

using onnx::NodeProto;

namespace {

using Integers = std::vector<std::int64_t>;
constexpr const char *kAxis = "axis", *kPermutation = "perm";

// Collects the nodes that replace `whole`.
class Replacement {
 public:
  explicit Replacement(const NodeProto& whole) : label_(OnnxGraph::label(whole)) {}

  // Appends a node and returns the name of its first result.
  std::string add(const char* op, const std::vector<std::string>& operands, int results = 1) {
    NodeProto& node = nodes_.emplace_back();
    node.set_op_type(op);
    node.set_name(fmt::format("{}/{}_{}", label_, op, nodes_.size()));
    for (const std::string& operand : operands) node.add_input(operand);
    for (int i = 0; i < results; ++i) node.add_output(fmt::format("{} result {}", node.name(), i));
    return node.output(0);
  }
  // The same with an attribute of one integer.
  std::string add(const char* op, const std::vector<std::string>& operands, const char* name, std::int64_t value,
                  int results = 1) {
    std::string result = add(op, operands, results);
    attribute(name, onnx::AttributeProto::INT).set_i(value);
    return result;
  }
  std::string constant(const Integers& values) {
    std::string result = add("Constant", {});
    onnx::AttributeProto& list = attribute("value_ints", onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) list.add_ints(value);
    return result;
  }
  std::string constant(double value) {
    std::string result = add("Constant", {});
    attribute("value_float", onnx::AttributeProto::FLOAT).set_f(static_cast<float>(value));
    return result;
  }
  std::string reshape(const std::string& of, const Integers& shape) { return add("Reshape", {of, constant(shape)}); }
  std::string unsqueeze(const std::string& of, std::int64_t axis) {
    return add("Unsqueeze", {of, constant(Integers{axis})});
  }
  std::string transpose(const std::string& of, const Integers& permutation) {
    std::string result = add("Transpose", {of});
    onnx::AttributeProto& list = attribute(kPermutation, onnx::AttributeProto::INTS);
    for (const std::int64_t axis : permutation) list.add_ints(axis);
    return result;
  }
  std::string second() const { return nodes_.back().output(1); }

  // The last node computes `result`.
  void end(const std::string& result) { nodes_.back().set_output(0, result); }
  // Gives the value `of` the name of result `slot` of `whole`, if it has one.
  void pass(const std::string& of, const NodeProto& whole, int slot) {
    if (slot >= whole.output_size() || whole.output(slot).empty()) return;
    add("Identity", {of});
    end(whole.output(slot));
  }

  std::vector<NodeProto> take() { return std::move(nodes_); }

 private:
  onnx::AttributeProto& attribute(const char* name, onnx::AttributeProto::AttributeType type) {
    onnx::AttributeProto& added = *nodes_.back().add_attribute();
    added.set_name(name);
    added.set_type(type);
    return added;
  }

  std::string label_;
  std::vector<NodeProto> nodes_;
};

const Integers kSwapHeads{0, 2, 1, 3};  // [N][tokens][heads][words] and [N][heads][tokens][words]

bool is_known(const std::optional<Shape>& shape) {
  return shape && std::find(shape->begin(), shape->end(), kUnknownDim) == shape->end();
}

// softmax(scale * Q * K^T + mask) * V for each head, with the products as matrices [N][heads][...][...].
Parts parts_of_attention(const NodeProto& node, const Operands& operands, bool real_mask) {
  constexpr int kMask = 3, kPastKeys = 4, kPastValues = 5, kLengths = 6;
  const Shapes shapes = attention(operands);
  if (shapes.size() < 4 || !std::all_of(shapes.begin(), shapes.end(), is_known) || operands.has(kLengths)) return {};
  const Shape &keys = *shapes[1], &scores = *shapes[3];
  const std::int64_t heads = scores[1], of_keys = keys[1], width = keys[3];
  if (of_keys < 1 || heads % of_keys != 0) {
    throw Error(fmt::format("has {} heads of queries and {} of keys; a multiple is needed", heads, of_keys));
  }
  Replacement parts(node);
  const bool flat = operands.shape(0)->size() == 3;  // the heads are in the last dimension
  const auto with_heads = [&](int slot, std::int64_t count) {
    const std::string& tensor = node.input(slot);
    return flat ? parts.transpose(parts.reshape(tensor, {0, 0, count, -1}), kSwapHeads) : tensor;
  };
  const std::string q = with_heads(0, heads);
  std::string k = with_heads(1, of_keys), v = with_heads(2, of_keys);
  if (operands.has(kPastKeys)) k = parts.add("Concat", {node.input(kPastKeys), k}, kAxis, 2);
  if (operands.has(kPastValues)) v = parts.add("Concat", {node.input(kPastValues), v}, kAxis, 2);
  parts.pass(k, node, 1);
  parts.pass(v, node, 2);
  if (heads != of_keys) {  // several heads of queries share one of keys
    for (std::string* each : {&k, &v}) {
      const std::string copies =
          parts.add("Expand", {parts.unsqueeze(*each, 2), parts.constant(Integers{1, 1, heads / of_keys, 1, 1})});
      *each = parts.reshape(copies, {0, heads, keys[2], -1});
    }
  }
  const double scale = real_or(node, "scale", 1 / std::sqrt(static_cast<double>(width)));
  const std::string factor = parts.constant(std::sqrt(scale));
  const std::string scaled = parts.add("Mul", {q, factor});
  std::string p = parts.add("MatMul", {scaled, parts.add("Mul", {parts.transpose(k, {0, 1, 3, 2}), factor})});
  parts.pass(p, node, 3);
  if (operands.has(kMask)) {
    const std::string& mask = node.input(kMask);
    p = parts.add("Add", {p, real_mask ? mask : parts.add("Cast", {mask}, "to", onnx::TensorProto::FLOAT)});
  }
  if (integer_or(node, "is_causal", 0) != 0) {
    p = parts.add("Add", {p, parts.add("ConstantOfShape", {parts.constant(Integers{scores[2], scores[3]})})});
  }
  if (const double cap = real_or(node, "softcap", 0); cap != 0) {
    const std::string bound = parts.constant(cap);
    p = parts.add("Mul", {parts.add("Tanh", {parts.add("Div", {p, bound})}), bound});
  }
  const std::string y = parts.add("MatMul", {parts.add("Softmax", {p}, kAxis, -1), v});
  if (flat) parts.reshape(parts.transpose(y, kSwapHeads), {0, 0, -1});
  parts.end(node.output(0));
  return {parts.take(), {}};
}

// Turns pairs of words of each head by angles whose cosines and sines are given: x1 cos - x2 sin, x1 sin + x2 cos.
Parts parts_of_rotation(const NodeProto& node, const Operands& operands) {
  constexpr int kPositions = 3;
  const auto x = operands.shape(0);
  if (!is_known(x) || !is_known(operands.shape(1)) || x->size() < 3 || x->size() > 4) return {};
  const bool flat = x->size() == 3;
  const std::int64_t heads = flat ? integer_or(node, "num_heads", 0) : (*x)[1];
  if (heads < 1 || (flat && x->back() % heads != 0)) {
    throw Error(fmt::format("has {} heads, but its input is {}; num_heads must divide its last dimension", heads,
                            dims_text(*x)));
  }
  const std::int64_t width = flat ? x->back() / heads : x->back();
  const std::int64_t given = integer_or(node, "rotary_embedding_dim", 0), turned = given == 0 ? width : given;
  if (turned < 2 || turned > width || turned % 2 != 0) {
    throw Error(
        fmt::format("turns {} words of each head of {}; an even number up to {} is allowed", turned, width, width));
  }
  Replacement parts(node);
  const auto angles = [&](int slot) {
    const std::string& table = node.input(slot);
    return parts.unsqueeze(operands.has(kPositions) ? parts.add("Gather", {table, node.input(kPositions)}) : table, 2);
  };
  const std::string cosines = angles(1), sines = angles(2);
  std::string all = flat ? parts.reshape(node.input(0), {0, 0, heads, -1}) : parts.transpose(node.input(0), kSwapHeads);
  std::string rest;
  if (turned < width) {
    const std::string sizes = parts.constant(Integers{turned, width - turned});
    all = parts.add("Split", {all, sizes}, kAxis, -1, 2);
    rest = parts.second();
  }
  std::string first, second;
  const bool interleaved = integer_or(node, "interleaved", 0) != 0;
  if (interleaved) {
    const auto every_other = [&](std::int64_t from) {
      const std::string start = parts.constant(Integers{from}), end = parts.constant(Integers{turned});
      const std::string axis = parts.constant(Integers{3}), step = parts.constant(Integers{2});
      return parts.add("Slice", {all, start, end, axis, step});
    };
    first = every_other(0);
    second = every_other(1);
  } else {
    const std::string sizes = parts.constant(Integers{turned / 2, turned / 2});
    first = parts.add("Split", {all, sizes}, kAxis, -1, 2);
    second = parts.second();
  }
  const auto times = [&](const std::string& half, const std::string& table) { return parts.add("Mul", {half, table}); };
  const std::string of_first = times(first, cosines), less = times(second, sines);
  std::string left = parts.add("Sub", {of_first, less});
  const std::string of_second = times(first, sines), more = times(second, cosines);
  std::string right = parts.add("Add", {of_second, more});
  if (interleaved) {
    left = parts.unsqueeze(left, 4);
    right = parts.unsqueeze(right, 4);
  }
  std::string y = parts.add("Concat", {left, right}, kAxis, -1);
  if (interleaved) y = parts.reshape(y, {0, 0, 0, -1});
  if (!rest.empty()) y = parts.add("Concat", {y, rest}, kAxis, -1);
  flat ? parts.reshape(y, {0, 0, -1}) : parts.transpose(y, kSwapHeads);
  parts.end(node.output(0));
  return {parts.take(), {node.input(1), node.input(2)}};
}

}  // namespace

Shapes attention(const Operands& operands) {
  const auto q = operands.shape(0), k = operands.shape(1), v = operands.shape(2);
  if (!q || !k || !v) return {};
  const auto fail = [&] {
    return Error(fmt::format("its queries, keys and values are {}, {} and {}; matrices of equal batches are needed",
                             dims_text(*q), dims_text(*k), dims_text(*v)));
  };
  if (q->size() != k->size() || q->size() != v->size() || q->size() < 3 || q->size() > 4) throw fail();
  const auto heads = [&](const Shape& shape, const char* name) {
    return shape.size() == 4 ? shape[1] : integer_or(operands.node, name, 0);
  };
  const std::int64_t of_q = heads(*q, "q_num_heads"), of_kv = heads(*k, "kv_num_heads");
  if (q->size() == 3 && (of_q < 1 || of_kv < 1)) throw Error("has no q_num_heads or kv_num_heads; give both");
  const auto head = [&](const Shape& shape, std::int64_t count) {
    if (shape.size() == 4 || shape.back() == kUnknownDim) return shape.back();
    if (shape.back() % count != 0) throw fail();
    return shape.back() / count;
  };
  const std::int64_t width = head(*k, of_kv), width_v = head(*v, of_kv), rows = (*q)[q->size() - 2];
  const auto sum = [](std::int64_t a, std::int64_t b) {
    return a == kUnknownDim || b == kUnknownDim ? kUnknownDim : a + b;
  };
  const auto past = operands.shape(4);
  const std::int64_t before = !operands.has(4) ? 0 : past && past->size() == 4 ? (*past)[2] : kUnknownDim;
  const std::int64_t all = sum((*k)[k->size() - 2], before);
  const Shape y = q->size() == 4 ? Shape{(*q)[0], of_q, rows, width_v}
                                 : Shape{(*q)[0], rows, width_v == kUnknownDim ? kUnknownDim : of_q * width_v};
  return {y, Shape{(*q)[0], of_kv, all, width}, Shape{(*q)[0], of_kv, all, width_v}, Shape{(*q)[0], of_q, rows, all}};
}

Parts parts_of(const NodeProto& node, const Operands& operands, bool real_mask) {
  if (is_standard(node, "Attention")) return parts_of_attention(node, operands, real_mask);
  if (is_standard(node, "RotaryEmbedding")) return parts_of_rotation(node, operands);
  return {};
}

}  // namespace weft::workloads
