#include "workloads/onnx/recorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "model/core/error.h"
#include "workloads/onnx/checks.h"
#include "workloads/onnx/operators.h"

namespace weft::workloads {

using onnx::AttributeProto;
using onnx::NodeProto;

namespace {

Graph empty_graph(const std::string& name, const std::string& file, const ImportOptions& options) {
  Graph graph;
  graph.name = name;
  graph.file = file;
  graph.batch = options.batch;
  graph.word_bytes = options.word_bytes;
  return graph;
}

bool is_any(const NodeProto& node, std::initializer_list<const char*> ops) {
  return std::any_of(ops.begin(), ops.end(), [&](const char* op) { return is_standard(node, op); });
}

std::int64_t product(const std::vector<std::int64_t>& shape, std::size_t begin, std::size_t end) {
  std::int64_t result = 1;  // cannot overflow: the tensor's size was checked
  for (std::size_t i = begin; i < end; ++i) result *= shape[i];
  return result;
}

// Axis of an attribute, which may count from the last one; libonnx has checked its range.
std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  const auto last = static_cast<std::int64_t>(rank);
  return static_cast<std::size_t>(std::clamp<std::int64_t>(axis < 0 ? axis + last : axis, 0, last));
}

template <class E>
using Ops = std::initializer_list<std::pair<const char*, E>>;

constexpr Ops<Activation> kActivations{{"Relu", Activation::Relu},
                                       {"Clip", Activation::Clip},
                                       {"LeakyRelu", Activation::LeakyRelu},
                                       {"PRelu", Activation::PRelu},
                                       {"Elu", Activation::Elu},
                                       {"Sigmoid", Activation::Sigmoid},
                                       {"Tanh", Activation::Tanh},
                                       {"HardSigmoid", Activation::HardSigmoid},
                                       {"HardSwish", Activation::HardSwish},
                                       {"Gelu", Activation::Gelu},
                                       {"Mish", Activation::Mish},
                                       {"Swish", Activation::Swish},
                                       {"Softplus", Activation::Softplus},
                                       {"Erf", Activation::Erf},
                                       {"Exp", Activation::Exp},
                                       {"Log", Activation::Log},
                                       {"Sqrt", Activation::Sqrt},
                                       {"Abs", Activation::Abs},
                                       {"Neg", Activation::Negate},
                                       {"Reciprocal", Activation::Reciprocal}};
constexpr Ops<Arithmetic> kArithmetic{
    {"Add", Arithmetic::Add},    {"Sum", Arithmetic::Add}, {"Sub", Arithmetic::Subtract}, {"Mul", Arithmetic::Multiply},
    {"Div", Arithmetic::Divide}, {"Max", Arithmetic::Max}, {"Min", Arithmetic::Min},      {"Pow", Arithmetic::Power}};
constexpr Ops<ReduceKind> kReductions{{"ReduceMean", ReduceKind::Mean},
                                      {"ReduceSum", ReduceKind::Sum},
                                      {"ReduceMax", ReduceKind::Max},
                                      {"ReduceMin", ReduceKind::Min}};
constexpr Ops<CopyKind> kCopies{{"Transpose", CopyKind::Transpose},
                                {"DepthToSpace", CopyKind::Transpose},
                                {"SpaceToDepth", CopyKind::Transpose},
                                {"Pad", CopyKind::Pad},
                                {"Slice", CopyKind::Slice},
                                {"Gather", CopyKind::Slice},
                                {"Resize", CopyKind::Resize},
                                {"Upsample", CopyKind::Resize},
                                {"Expand", CopyKind::Expand},
                                {"Cast", CopyKind::Cast}};

// Looks up a standard operator in one of the tables.
template <class E>
std::optional<E> find_op(const Ops<E>& ops, const NodeProto& node) {
  for (const auto& [name, meaning] : ops) {
    if (is_standard(node, name)) return meaning;
  }
  return std::nullopt;
}

}  // namespace

OnnxRecorder::OnnxRecorder(const OnnxGraph& onnx, const std::string& name, const ImportOptions& options)
    : onnx_(onnx), options_(options), builder_(empty_graph(name, onnx.path(), options)) {}

Graph OnnxRecorder::take() {
  for (const auto& value : onnx_.outputs()) {
    const auto found = tensors_.find(value.name());
    if (found != tensors_.end()) builder_.graph().outputs.push_back(found->second);
  }
  return builder_.take();
}

// Runs `add`; converts overflows into errors of the node.
template <class Add>
void OnnxRecorder::guarded(const NodeProto& node, Add add) {
  try {
    add();
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    onnx_.fail(node, error.what());
  }
}

void OnnxRecorder::constant(const NodeProto& node) {
  const auto is_fixed = [&](const std::string& tensor) {
    return tensor.empty() || fixed_.count(tensor) != 0 || !onnx_.is_real(tensor);
  };
  const bool quantises = is_any(node, {"QuantizeLinear", "DequantizeLinear"});
  if (!quantises && std::all_of(node.input().begin(), node.input().end(), is_fixed)) {
    fixed_.insert(node.output().begin(), node.output().end());
  } else if (quantises || is_any(node, {"Cast", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten"})) {
    if (node.output_size() == 0) return;
    const auto before = parameters_.find(node.input(0));
    parameters_[node.output(0)] = before == parameters_.end() ? node.input(0) : before->second;
  }
}

std::optional<std::vector<std::int64_t>> OnnxRecorder::batched(const std::string& tensor) const {
  auto shape = onnx_.shape(tensor);
  if (!shape) return std::nullopt;
  Shape& dims = *shape;
  if (dims.empty()) return dims;
  if (dims[0] == kUnknownDim) dims[0] = onnx_.batch();  // an unknown first dimension is the batch
  if (std::any_of(dims.begin(), dims.end(), [](std::int64_t dim) { return dim < 1; })) return std::nullopt;
  // If the first dimension is not a multiple of the batch, the first dimension equal to the batch scales with it.
  auto images = dims.begin();
  if (*images % onnx_.batch() != 0) images = std::find(dims.begin(), dims.end(), onnx_.batch());
  if (images == dims.end()) return dims;
  if (__builtin_mul_overflow(*images / onnx_.batch(), options_.batch, &*images)) {
    throw Error(fmt::format("tensor {} takes more than 2^60 bytes at batch {}", tensor, options_.batch));
  }
  return dims;
}

TensorId OnnxRecorder::data(const std::string& name) {
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) return found->second;
  const auto shape = batched(name);
  const TensorId id = shape ? builder_.tensor(name, TensorKind::Input, *shape)  //
                            : builder_.unsized(name, TensorKind::Input);
  builder_.graph().inputs.push_back(id);
  return tensors_[name] = id;
}

TensorId OnnxRecorder::weight(const std::string& name, const std::vector<std::int64_t>& shape) {
  const auto root = parameters_.find(name);
  const std::string& parameter = root == parameters_.end() ? name : root->second;
  const auto found = weights_.find(parameter);
  if (found != weights_.end()) return found->second;
  return weights_[parameter] = builder_.tensor(parameter, TensorKind::Weight, shape);
}

std::optional<TensorId> OnnxRecorder::operand(const std::string& name) {
  if (name.empty() || shape_values_.count(name) != 0) return std::nullopt;
  if (!onnx_.is_constant(name)) return data(name);
  if (!onnx_.is_real(name)) return std::nullopt;
  const auto shape = onnx_.shape(name);
  if (!shape || std::any_of(shape->begin(), shape->end(), [](std::int64_t dim) { return dim < 1; })) {
    return std::nullopt;
  }
  const bool one = std::all_of(shape->begin(), shape->end(), [](std::int64_t dim) { return dim == 1; });
  if (!one && fixed_.count(name) == 0) return weight(name, *shape);
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) return found->second;
  return tensors_[name] = builder_.tensor(name, TensorKind::Constant, *shape);
}

std::vector<TensorId> OnnxRecorder::operands(const NodeProto& node) {
  std::vector<TensorId> all;
  for (const std::string& name : node.input()) {
    if (const auto id = operand(name)) all.push_back(*id);
  }
  return all;
}

TensorId OnnxRecorder::output(const NodeProto& node, int slot) {
  if (slot >= node.output_size() || node.output(slot).empty()) {
    return builder_.unsized(OnnxGraph::label(node) + " output", TensorKind::Activation);
  }
  const std::string& name = node.output(slot);
  const auto shape = batched(name);
  return tensors_[name] = shape ? builder_.tensor(name, TensorKind::Activation, *shape)
                                : builder_.unsized(name, TensorKind::Activation);
}

std::vector<TensorId> OnnxRecorder::outputs(const NodeProto& node) {
  std::vector<TensorId> all;
  for (int slot = 0; slot < node.output_size(); ++slot) {
    if (!node.output(slot).empty()) all.push_back(output(node, slot));
  }
  return all;
}

std::string OnnxRecorder::unsized(const NodeProto& node) const {
  const auto message = [&](const std::string& name) {
    return fmt::format("the shape of {} is not known{}", name, onnx_.problem(name));
  };
  for (const std::string& name : node.input()) {
    const auto found = tensors_.find(name);
    if (found != tensors_.end() && shape_values_.count(name) == 0 && tensor(found->second).elements == 0) {
      return message(name);
    }
    if (found == tensors_.end() && onnx_.is_input(name) && !batched(name)) return message(name);
  }
  for (const std::string& name : node.output()) {
    if (!name.empty() && !batched(name)) return message(name);
  }
  return node.input_size() == 0 || node.output_size() == 0 ? "it has no operand or no result" : "";
}

bool OnnxRecorder::computes_shapes(const NodeProto& node) const {
  if (is_any(node, {"Shape", "Size"})) return true;
  bool any = false;
  for (const std::string& name : node.input()) {
    if (name.empty() || onnx_.is_constant(name)) continue;
    if (shape_values_.count(name) == 0) return false;
    any = true;
  }
  return any;
}

void OnnxRecorder::convolution(const NodeProto& node, const conv::Layer& layer, std::size_t index) {
  guarded(node, [&] {
    ConvolutionOp what;
    what.index = index;
    what.layer = layer;
    add_convolution(node, what);
  });
}

void OnnxRecorder::fully_connected(const NodeProto& node, const FullyConnected& fc, std::size_t index,
                                   const conv::Layer* lowered) {
  guarded(node, [&] {
    if (lowered) {
      ConvolutionOp what;
      what.index = index;
      what.layer = *lowered;
      what.fully_connected = true;
      return add_convolution(node, what);
    }
    FullyConnectedOp what;
    what.index = index;
    what.rows = fc.rows * options_.batch;
    what.in_features = fc.in_features;
    what.out_features = fc.out_features;
    add_fully_connected(node, fc.name, what);
  });
}

void OnnxRecorder::host(const NodeProto& node) {
  guarded(node, [&] { add_host(node); });
}

void OnnxRecorder::matrix_product(const NodeProto& node, const conv::Layer& layer, std::size_t index) {
  guarded(node, [&] {
    ConvolutionOp what;
    what.index = index;
    what.layer = layer;
    what.fully_connected = true;
    const auto a = operand(node.input(0)), b = operand(node.input(1));
    if (!a || !b) return add_unknown(node, "it has no operands of known size");
    builder_.add(operator_of(layer.name, what, {*a, *b}, {output(node)}));
  });
}

TensorId OnnxRecorder::add_copy(const std::string& name, const std::string& result, const CopyOp& what, TensorId from,
                                const std::vector<std::int64_t>& shape) {
  const TensorId to = builder_.tensor(result, TensorKind::Activation, shape);
  builder_.add(operator_of(name, what, {from}, {to}));
  return to;
}

void OnnxRecorder::add_convolution(const NodeProto& node, const ConvolutionOp& what) {
  const conv::Layer& layer = what.layer;
  const ConvolutionSlots slots = what.fully_connected || convolution_slots(node).weights == 0
                                     ? ConvolutionSlots{1, node.input_size() > 2 ? 2 : 0}
                                     : convolution_slots(node);
  const auto ifm = operand(node.input(0));
  TensorId inp = ifm ? *ifm : builder_.unsized(node.input(0), TensorKind::Constant);
  const std::string& name = node.output(0);
  const TensorId weights =
      weight(node.input(slots.weights), {layer.filters, layer.channels / layer.groups, layer.h.kernel, layer.w.kernel});
  const bool bias = slots.bias > 0 && slots.bias < node.input_size() && !node.input(slots.bias).empty();
  const bool transposed = layer.transposed;
  const std::int64_t filters = transposed ? layer.channels : layer.filters;
  const std::int64_t height = transposed ? layer.h.size : layer.h.out(),
                     width = transposed ? layer.w.size : layer.w.out();
  const std::vector<std::int64_t> maps{layer.batch, filters, height, width};
  const auto known = batched(name);
  const bool deep =
      !what.fully_connected && known && known->size() == 5;  // each depth of the result is an image of the layer
  if (deep) {
    inp = add_copy(layer.name + " taps", name + " taps", {CopyKind::Resize}, inp,
                   {layer.batch, layer.channels, layer.h.size, layer.w.size});
  }
  // Vectors and maps of one dimension keep their shape for their readers.
  const std::vector<std::int64_t> shape = known && !deep ? *known : maps;
  const std::string result = deep ? name + " of each depth" : name;
  TensorId ofm = builder_.tensor(bias ? result + " before bias" : result, TensorKind::Activation, shape);
  builder_.add(operator_of(layer.name, what, {inp, weights}, {ofm}));
  tensors_[name] = ofm;
  if (bias) {
    add_bias(layer.name, node.input(slots.bias), ofm, result, {layer.batch, filters, height * width});
    ofm = tensors_[result];
  }
  if (deep) {
    tensors_[name] = add_copy(layer.name + " order", name, {CopyKind::Transpose}, ofm, *known);
  }
}

void OnnxRecorder::add_bias(const std::string& name, const std::string& bias, TensorId raw, const std::string& output,
                            const BiasOp& what) {
  const TensorId weights = weight(bias, {what.channels});
  const TensorId sum = builder_.view(raw, output);
  Operator op = operator_of(name, what, {raw, weights}, {sum});
  op.overwrites = {raw};
  builder_.add(std::move(op));
  tensors_[output] = sum;
}

void OnnxRecorder::add_fully_connected(const NodeProto& node, const std::string& layer, const FullyConnectedOp& given) {
  FullyConnectedOp what = given;
  const auto vectors = operand(node.input(0));
  std::vector<TensorId> inputs{vectors ? *vectors : builder_.unsized(node.input(0), TensorKind::Constant)};
  inputs.push_back(weight(node.input(1), *onnx_.shape(node.input(1))));
  const bool third = node.input_size() > 2 && !node.input(2).empty();
  what.bias = third && onnx_.is_constant(node.input(2));
  if (what.bias) inputs.push_back(weight(node.input(2), {what.out_features}));
  const auto known = batched(node.output(0));
  const std::vector<std::int64_t> shape = known ? *known : std::vector<std::int64_t>{what.rows, what.out_features};
  const std::string& name = node.output(0);
  const bool adds = third && !what.bias;  // a computed matrix
  const TensorId product = builder_.tensor(adds ? name + " before addition" : name, TensorKind::Activation, shape);
  builder_.add(operator_of(layer, what, inputs, {product}));
  tensors_[name] = product;
  if (!adds) return;
  const TensorId sum = builder_.like(product, name, TensorKind::Activation);
  builder_.add(operator_of(layer, ArithmeticOp{Arithmetic::Add}, {product, data(node.input(2))}, {sum}));
  tensors_[name] = sum;
}

void OnnxRecorder::add_host(const NodeProto& node) {
  if (computes_shapes(node)) return add_shape_arithmetic(node);
  // Numbers are those of the host; QuantizeLinear and DequantizeLinear only say how a kernel has them.
  if (is_any(node, {"Flatten", "Reshape", "Squeeze", "Unsqueeze", "Identity", "QuantizeLinear", "DequantizeLinear"})) {
    return add_view(node);
  }
  const std::string problem = unsized(node);
  if (!problem.empty()) return add_unknown(node, problem);
  if (const auto function = find_op(kActivations, node)) return add_activation(node, *function);
  if (const auto function = find_op(kArithmetic, node)) return add_of_all(node, ArithmeticOp{*function});
  if (const auto kind = find_op(kReductions, node)) return add_reduce(node, *kind);
  if (const auto kind = find_op(kCopies, node)) {
    CopyOp what{*kind};
    if (what.kind == CopyKind::Transpose) what.permutation = integers_of(node, "perm");
    const AttributeProto* mode = find_attribute(node, "mode");
    if (what.kind == CopyKind::Resize && mode != nullptr && !mode->s().empty() && mode->s() != "nearest") {
      const std::int64_t each = mode->s() == "linear" ? 2 : mode->s() == "cubic" ? 4 : 0;  // taps along an axis
      if (each == 0)
        return add_unknown(node, fmt::format("only nearest, linear and cubic are known, not {}", mode->s()));
      const auto before = batched(node.input(0)), after = batched(node.output(0));
      for (std::size_t i = 0; before && after && i < before->size() && i < after->size(); ++i) {
        if ((*before)[i] != (*after)[i]) what.taps *= each;
      }
    }
    return add_of_first(node, what);
  }
  if (is_any(node, {"MaxPool", "GlobalMaxPool"})) return add_pool(node, PoolKind::Max);
  if (is_any(node, {"AveragePool", "GlobalAveragePool"})) return add_pool(node, PoolKind::Average);
  if (is_standard(node, "BatchNormalization")) return add_batch_norm(node);
  if (is_standard(node, "LRN")) return add_lrn(node);
  if (is_any(node, {"LayerNormalization", "GroupNormalization", "InstanceNormalization", "RMSNormalization"})) {
    return add_row_norm(node);
  }
  if (is_any(node, {"Softmax", "LogSoftmax"})) return add_softmax(node);
  if (is_standard(node, "Dropout")) return add_dropout(node);
  if (is_any(node, {"MatMul", "Gemm"})) return add_product(node);
  const std::size_t rank = batched(node.output(0))->size();
  if (is_standard(node, "Concat")) {
    return add_of_all(node, ConcatOp{axis_of(integer_or(node, "axis", 1), rank)});
  }
  if (is_standard(node, "Split")) return add_of_first(node, SplitOp{axis_of(integer_or(node, "axis", 0), rank)});
  add_unknown(node, "the operator is not known");
}

void OnnxRecorder::add_of_first(const NodeProto& node, const Attributes& what) {
  const auto input = operand(node.input(0));
  if (!input) return add_unknown(node, "it has no operand of known size");
  builder_.add(operator_of(OnnxGraph::label(node), what, {*input}, outputs(node)));
}

void OnnxRecorder::add_of_all(const NodeProto& node, const Attributes& what) {
  const std::vector<TensorId> inputs = operands(node);
  if (inputs.empty()) return add_unknown(node, "it has no operand of known size");
  builder_.add(operator_of(OnnxGraph::label(node), what, inputs, {output(node)}));
}

void OnnxRecorder::add_unknown(const NodeProto& node, const std::string& problem) {
  const std::vector<TensorId> inputs = operands(node);
  Operator op = operator_of(OnnxGraph::label(node), UnknownOp{node.op_type()}, inputs, outputs(node));
  op.problem = problem;
  builder_.add(std::move(op));
}

void OnnxRecorder::add_view(const NodeProto& node) {
  const auto input = operand(node.input_size() > 0 ? node.input(0) : "");
  if (!input || node.output_size() == 0) return add_unknown(node, "it has no operand or no result");
  const std::string& name = node.output(0);
  const auto shape = batched(name);
  const TensorId result = shape ? builder_.view(*input, name, *shape) : builder_.view(*input, name);
  builder_.graph().tensors[result].kind = TensorKind::Activation;
  tensors_[name] = result;
  builder_.add(operator_of(OnnxGraph::label(node), ViewOp{}, {*input}, {result}));
}

// Integer operators on shapes, which exporters write for values that frameworks know statically. They take no time.
void OnnxRecorder::add_shape_arithmetic(const NodeProto& node) {
  std::vector<TensorId> inputs;
  for (const std::string& name : node.input()) {
    if (!name.empty() && !onnx_.is_constant(name)) inputs.push_back(data(name));
  }
  std::vector<TensorId> results;
  for (const std::string& name : node.output()) {
    if (name.empty()) continue;
    shape_values_.insert(name);
    results.push_back(tensors_[name] = builder_.unsized(name, TensorKind::Constant));
  }
  builder_.add(operator_of(OnnxGraph::label(node), ViewOp{}, inputs, results));
}

void OnnxRecorder::add_activation(const NodeProto& node, Activation function) {
  ActivationOp what;
  what.function = function;
  const auto input = operand(node.input(0));
  if (!input) return add_unknown(node, "it has no operand of known size");
  std::vector<TensorId> inputs{*input};
  if (function == Activation::Clip) {
    what.alpha = real_or(node, "min", -std::numeric_limits<double>::infinity());
    what.beta = real_or(node, "max", std::numeric_limits<double>::infinity());
    for (int slot = 1; slot < std::min(node.input_size(), 3); ++slot) {
      if (node.input(slot).empty()) continue;
      if (!onnx_.is_constant(node.input(slot))) return add_unknown(node, "its bounds are computed");
      if (const auto bound = onnx_.real(node.input(slot))) (slot == 1 ? what.alpha : what.beta) = *bound;
    }
  } else if (function == Activation::PRelu) {
    const auto slope = operand(node.input_size() > 1 ? node.input(1) : "");
    if (!slope) return add_unknown(node, "it has no slope of known size");
    inputs.push_back(*slope);
  } else if (function == Activation::LeakyRelu) {
    what.alpha = real_or(node, "alpha", 0.01);
  } else if (function == Activation::HardSigmoid) {
    what.alpha = real_or(node, "alpha", 0.2);
    what.beta = real_or(node, "beta", 0.5);
  } else if (function == Activation::Elu || function == Activation::Swish) {
    what.alpha = real_or(node, "alpha", 1);
  }
  builder_.add(operator_of(OnnxGraph::label(node), what, inputs, {output(node)}));
}

void OnnxRecorder::add_pool(const NodeProto& node, PoolKind kind) {
  const auto input = operand(node.input(0));
  const auto out = batched(node.output(0));
  if (!input || tensor(*input).shape.size() < 3 || out->size() != tensor(*input).shape.size()) {
    return add_unknown(node, "its operand is no batch of maps");
  }
  const std::vector<std::int64_t> in = tensor(*input).shape;
  PoolOp what;
  what.kind = kind;
  what.global = is_any(node, {"GlobalMaxPool", "GlobalAveragePool"});
  what.images = in[0];
  what.channels = in[1];
  what.count_include_pad = integer_or(node, "count_include_pad", 0) != 0;
  const std::size_t rank = in.size() - 2;
  const auto [kernel, strides, dilations, pads, ceil_mode] = window_of(node);
  what.ceil_mode = ceil_mode;
  const auto fits = [&](const std::vector<std::int64_t>& values, std::size_t count) {
    return values.empty() || values.size() == count;
  };
  if (!what.global &&
      (kernel.size() != rank || !fits(strides, rank) || !fits(dilations, rank) || !fits(pads, 2 * rank))) {
    return add_unknown(node, "its attributes do not fit the rank of its operand");
  }
  const AttributeProto* mode = find_attribute(node, "auto_pad");
  const bool upper = mode != nullptr && mode->s() == "SAME_UPPER";
  const bool same = upper || (mode != nullptr && mode->s() == "SAME_LOWER");
  for (std::size_t i = 0; i < rank; ++i) {
    PoolAxis axis;
    axis.size = in[i + 2];
    axis.out = (*out)[i + 2];
    axis.kernel = what.global ? axis.size : kernel[i];
    if (!strides.empty()) axis.stride = strides[i];
    if (!dilations.empty()) axis.dilation = dilations[i];
    if (same) {
      const SamePads zeros = same_pads(axis.size, axis.stride, axis.dilation * (axis.kernel - 1) + 1, upper);
      axis.pad_begin = zeros.begin;
      axis.pad_end = zeros.end;
    } else if (!pads.empty()) {
      axis.pad_begin = pads[i];
      axis.pad_end = pads[i + rank];
    }
    what.axes.push_back(axis);
  }
  std::vector<TensorId> results{output(node)};
  if (kind == PoolKind::Max) {
    const std::string name = node.output_size() > 1 ? node.output(1) : "";
    results.push_back(builder_.tensor(name.empty() ? OnnxGraph::label(node) + " indices" : name, TensorKind::Mask, *out,
                                      kIndexBytes));
    if (!name.empty()) tensors_[name] = results.back();
  }
  builder_.add(operator_of(OnnxGraph::label(node), what, {*input}, results));
}

void OnnxRecorder::add_batch_norm(const NodeProto& node) {
  const auto input = operand(node.input(0));
  if (!input || tensor(*input).shape.size() < 2) return add_unknown(node, "its operand is no batch of maps");
  if (node.input_size() < 5 || !onnx_.is_constant(node.input(1)) || !onnx_.is_constant(node.input(2))) {
    return add_unknown(node, "its scale and shift are no parameters");
  }
  const std::vector<std::int64_t> in = tensor(*input).shape;
  BatchNormOp what;
  what.images = in[0];
  what.channels = in[1];
  what.spatial = product(in, 2, in.size());
  what.epsilon = real_or(node, "epsilon", 1e-5);
  what.momentum = 1 - real_or(node, "momentum", 0.9);  // ONNX gives the weight of the old value
  const TensorId scale = weight(node.input(1), {what.channels}), shift = weight(node.input(2), {what.channels});
  const TensorId result = output(node);
  builder_.batch_norm(OnnxGraph::label(node), what, *input, scale, shift, result);
}

void OnnxRecorder::add_lrn(const NodeProto& node) {
  const auto input = operand(node.input(0));
  if (!input || tensor(*input).shape.size() < 2) return add_unknown(node, "its operand is no batch of maps");
  const std::vector<std::int64_t> in = tensor(*input).shape;
  LrnOp what;
  what.images = in[0];
  what.channels = in[1];
  what.spatial = product(in, 2, in.size());
  what.size = integer_or(node, "size", 1);
  what.alpha = real_or(node, "alpha", 1e-4);
  what.beta = real_or(node, "beta", 0.75);
  what.k = real_or(node, "bias", 1);
  if (what.size < 1 || what.size > what.channels * 2) {
    return add_unknown(
        node, fmt::format("its size is {}, but 1 to twice its {} channels are known", what.size, what.channels));
  }
  const TensorId result = output(node);
  const TensorId scale = builder_.like(*input, OnnxGraph::label(node) + " scale", TensorKind::Statistic);
  builder_.add(operator_of(OnnxGraph::label(node), what, {*input}, {result, scale}));
}

void OnnxRecorder::add_row_norm(const NodeProto& node) {
  const auto input = operand(node.input(0)), scale = operand(node.input(1));
  if (!input || !scale || tensor(*input).shape.size() < 2) return add_unknown(node, "its operands are of unknown size");
  const std::vector<std::int64_t> in = tensor(*input).shape;
  RowNormOp what;
  what.epsilon = real_or(node, "epsilon", 1e-5);
  what.centred = !is_standard(node, "RMSNormalization");
  what.channels = tensor(*scale).elements;
  if (is_any(node, {"LayerNormalization", "RMSNormalization"})) {
    const std::size_t axis = axis_of(integer_or(node, "axis", -1), in.size());
    what.size = product(in, axis, in.size());
    if (what.channels != what.size) return add_unknown(node, "its scale is not of the size that it normalises");
  } else {
    const std::int64_t groups = is_standard(node, "GroupNormalization") ? integer_or(node, "num_groups", 1) : in[1];
    const std::int64_t maps = product(in, 1, in.size());
    if (groups < 1 || in[1] % groups != 0 || (what.channels != in[1] && what.channels != groups)) {
      return add_unknown(node, fmt::format("its {} groups or its scale do not fit its {} channels", groups, in[1]));
    }
    what.size = maps / groups;
    what.inner = maps / what.channels;
  }
  what.rows = tensor(*input).elements / what.size;
  std::vector<TensorId> inputs{*input, *scale};
  if (node.input_size() > 2) {
    const auto shift = operand(node.input(2));
    if (shift) inputs.push_back(*shift);
  }
  const TensorId result = output(node);
  const TensorId statistics =
      builder_.tensor(OnnxGraph::label(node) + " statistics", TensorKind::Statistic, {what.centred ? 2 : 1, what.rows});
  builder_.add(operator_of(OnnxGraph::label(node), what, inputs, {result, statistics}));
}

void OnnxRecorder::add_softmax(const NodeProto& node) {
  const auto input = operand(node.input(0));
  if (!input || tensor(*input).shape.empty()) return add_unknown(node, "its operand is no vector");
  const std::vector<std::int64_t> in = tensor(*input).shape;
  constexpr int kAxisAlone = 13;  // older opsets: softmax over all dimensions from the axis on
  const bool alone = onnx_.opset() >= kAxisAlone;
  const std::size_t axis = axis_of(integer_or(node, "axis", alone ? -1 : 1), in.size());
  SoftmaxOp what;
  what.log = node.op_type() == "LogSoftmax";
  what.outer = product(in, 0, axis);
  what.classes = product(in, axis, alone ? std::min(axis + 1, in.size()) : in.size());
  what.inner = alone ? product(in, std::min(axis + 1, in.size()), in.size()) : 1;
  builder_.add(operator_of(OnnxGraph::label(node), what, {*input}, {output(node)}));
}

void OnnxRecorder::add_product(const NodeProto& node) {
  const std::vector<TensorId> inputs = operands(node);
  if (inputs.size() != 2 || node.input_size() != 2) return add_unknown(node, "it is no product of two operands");
  const std::vector<std::int64_t> a = tensor(inputs[0]).shape, b = tensor(inputs[1]).shape;
  const std::vector<std::int64_t> out = *batched(node.output(0));
  const std::size_t rank = out.size();
  if (rank < 2 || a.size() != rank || b.size() != rank || product(a, 0, rank - 2) != product(out, 0, rank - 2) ||
      product(b, 0, rank - 2) != product(out, 0, rank - 2)) {
    return add_unknown(node, "its operands are no equally many matrices");
  }
  MatrixProductOp what;
  what.batch = product(out, 0, rank - 2);
  what.m = out[rank - 2];
  what.n = out[rank - 1];
  what.k = product(a, rank - 2, rank) / what.m;
  builder_.add(operator_of(OnnxGraph::label(node), what, inputs, {output(node)}));
}

void OnnxRecorder::add_reduce(const NodeProto& node, ReduceKind kind) {
  const auto input = operand(node.input(0));
  const TensorId result = output(node);
  if (!input || tensor(*input).elements % tensor(result).elements != 0) {
    return add_unknown(node, "its result does not divide its operand");
  }
  const ReduceOp what{kind, tensor(result).elements, tensor(*input).elements / tensor(result).elements};
  builder_.add(operator_of(OnnxGraph::label(node), what, {*input}, {result}));
}

void OnnxRecorder::add_dropout(const NodeProto& node) {
  const auto input = operand(node.input(0));
  if (!input) return add_unknown(node, "it has no operand of known size");
  DropoutOp what;
  what.ratio = real_or(node, "ratio", what.ratio);
  if (node.input_size() > 1) {
    if (const auto ratio = onnx_.real(node.input(1))) what.ratio = *ratio;
  }
  const TensorId result = output(node);
  const TensorId mask = builder_.dropout(OnnxGraph::label(node), what, *input, result);
  if (node.output_size() > 1 && !node.output(1).empty()) tensors_[node.output(1)] = mask;
}

}  // namespace weft::workloads
