#include "workloads/onnx_graph.h"

#include <fmt/core.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>

#include "model/core/error.h"

namespace weft::workloads {

using onnx::NodeProto;
using onnx::TensorShapeProto;
using onnx::ValueInfoProto;

namespace {

// Far beyond any network. libonnx's SAME padding counts down from the size of an axis, so this also bounds its time.
constexpr std::int64_t kLargestSize = std::int64_t{1} << 24;
constexpr std::size_t kShapeData = 4096;  // bytes; an initializer that shape inference looks into is smaller

bool standard(const NodeProto& node) {
  return node.domain().empty() || node.domain() == "ai.onnx";
}

// Whether operand `slot` of the operator is a parameter of it rather than data flowing through.
bool is_weight_slot(const NodeProto& node, int slot) {
  if (!standard(node)) return false;
  const std::string& op = node.op_type();
  if (op == "Conv" || op == "ConvTranspose" || op == "Gemm" || op == "BatchNormalization" ||
      op == "InstanceNormalization" || op == "LayerNormalization" || op == "MatMul" || op == "PRelu") {
    return slot >= 1;
  }
  return false;
}

// Operators through which a weight may pass on its way to the one that uses it.
bool passes_weights(const NodeProto& node) {
  if (!standard(node)) return false;
  const std::string& op = node.op_type();
  return op == "Identity" || op == "Cast" || op == "Transpose" || op == "Reshape" || op == "Squeeze" ||
         op == "Unsqueeze" || op == "Flatten";
}

bool has_subgraph(const NodeProto& node) {
  return std::any_of(node.attribute().begin(), node.attribute().end(),
                     [](const auto& a) { return a.has_g() || a.graphs_size() > 0; });
}

bool contains_convolution(const google::protobuf::RepeatedPtrField<NodeProto>& nodes) {
  for (const NodeProto& node : nodes) {
    if (standard(node) && node.op_type() == "Conv") return true;
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g() && contains_convolution(attribute.g().node())) return true;
      for (const auto& graph : attribute.graphs()) {
        if (contains_convolution(graph.node())) return true;
      }
    }
  }
  return false;
}

TensorShapeProto* mutable_shape(ValueInfoProto& value) {
  if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return nullptr;
  return value.mutable_type()->mutable_tensor_type()->mutable_shape();
}

Shape to_shape(const TensorShapeProto& proto) {
  Shape shape;
  for (const auto& dim : proto.dim()) {
    shape.push_back(dim.has_dim_value() && dim.dim_value() >= 0 ? dim.dim_value() : kUnknownDim);
  }
  return shape;
}

// One line that a terminal can show, whatever bytes the file holds.
std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  constexpr std::size_t kLongest = 300;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

}  // namespace

OnnxGraph::OnnxGraph(const std::string& path) : path_(path) {
  const google::protobuf::LogSilencer no_log;  // what goes wrong is said once, in the exception
  parse();
  drop_data();
  check_names();
  check_attributes();
  find_constants();
  fix_dimensions();
  infer_shapes();
}

std::optional<Shape> OnnxGraph::shape(const std::string& tensor) const {
  const auto found = shapes_.find(tensor);
  if (found == shapes_.end()) return std::nullopt;
  return found->second;
}

bool OnnxGraph::is_constant(const NodeProto& node) const {
  return !has_subgraph(node) && std::all_of(node.input().begin(), node.input().end(), [&](const std::string& tensor) {
    return tensor.empty() || is_constant(tensor);
  });
}

std::string OnnxGraph::label(const NodeProto& node) {
  if (!node.name().empty()) return node.name();
  return node.output_size() > 0 ? node.output(0) : "(unnamed)";
}

void OnnxGraph::fail(const NodeProto& node, const std::string& message) const {
  fail(fmt::format("{} node {}", node.op_type(), label(node)), message);
}

void OnnxGraph::fail(const std::string& key, const std::string& message) const {
  throw InputError(path_, 0, printable(key), printable(message));
}

void OnnxGraph::parse() {
  std::error_code unreadable;  // then opening it says why
  if (std::filesystem::is_directory(path_, unreadable)) fail("", "is a directory, not an ONNX file");
  std::ifstream file(path_, std::ios::binary);
  if (!file) fail("", fmt::format("cannot be read: {}", std::strerror(errno)));
  google::protobuf::io::IstreamInputStream stream(&file);
  if (!model_.ParseFromZeroCopyStream(&stream)) {
    fail("", "is not an ONNX model, is cut short, or is larger than protobuf's 2 GB");
  }
  if (!model_.has_graph() || model_.graph().node_size() == 0) {
    fail("", "is not an ONNX model: it has no graph with at least one node");
  }
}

void OnnxGraph::drop_data() {
  const auto drop = [](onnx::TensorProto& tensor) {
    if (tensor.raw_data().size() > kShapeData) tensor.clear_raw_data();
    if (tensor.float_data_size() * sizeof(float) > kShapeData) tensor.clear_float_data();
    if (tensor.double_data_size() * sizeof(double) > kShapeData) tensor.clear_double_data();
  };
  for (auto& tensor : *model_.mutable_graph()->mutable_initializer()) drop(tensor);
  for (auto& node : *model_.mutable_graph()->mutable_node()) {
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) drop(*attribute.mutable_t());
    }
  }
}

void OnnxGraph::check_names() const {
  const auto& graph = model_.graph();
  std::unordered_set<std::string> known;
  for (const auto& value : graph.input()) known.insert(value.name());
  for (const auto& value : graph.value_info()) known.insert(value.name());
  for (const auto& tensor : graph.initializer()) known.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) known.insert(tensor.values().name());
  std::unordered_set<std::string> computed;
  for (const NodeProto& node : graph.node()) {
    for (const std::string& tensor : node.output()) {
      if (!tensor.empty() && !computed.insert(tensor).second) {
        fail(node, fmt::format("computes {}, which another node computes too", tensor));
      }
    }
  }
  for (const NodeProto& node : graph.node()) {
    for (const std::string& tensor : node.input()) {
      if (!tensor.empty() && known.count(tensor) == 0 && computed.count(tensor) == 0) {
        fail(node, fmt::format("needs {}, which is neither an initializer, nor a graph input, nor computed by a node",
                               tensor));
      }
    }
  }
}

void OnnxGraph::check_attributes() const {
  for (const auto& function : model_.functions()) {
    if (contains_convolution(function.node())) {
      fail("function " + function.name(), "contains a convolution; only those of the main graph are supported");
    }
  }
  for (const NodeProto& node : model_.graph().node()) {
    for (const auto& attribute : node.attribute()) {
      const bool nested = (attribute.has_g() && contains_convolution(attribute.g().node())) ||
                          std::any_of(attribute.graphs().begin(), attribute.graphs().end(),
                                      [](const auto& g) { return contains_convolution(g.node()); });
      if (nested) {
        fail(node, fmt::format("its {} contains a convolution; only those of the main graph are supported",
                               attribute.name()));
      }
      if (!standard(node)) continue;
      const std::string& name = attribute.name();
      // Pad, too, has pads: there they may be negative.
      const bool pads = name == "pads" && node.op_type() != "Pad";
      if (!pads && name != "strides" && name != "kernel_shape" && name != "dilations") continue;
      const std::int64_t least = pads ? 0 : 1;
      for (const std::int64_t value : attribute.ints()) {
        if (value < least || value > kLargestSize) {
          fail(node, fmt::format("{} holds {}, but {} to {} are allowed", name, value, least, kLargestSize));
        }
      }
    }
  }
}

void OnnxGraph::find_constants() {
  const auto& graph = model_.graph();
  for (const auto& tensor : graph.initializer()) constants_.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) constants_.insert(tensor.values().name());

  // From the back: a tensor is a weight if every use is one. ONNX lists nodes in topological order.
  std::unordered_set<std::string> used, used_as_data;
  for (const auto& value : graph.output()) used_as_data.insert(value.name());
  for (auto node = graph.node().rbegin(); node != graph.node().rend(); ++node) {
    const bool passes = passes_weights(*node) &&
                        std::all_of(node->output().begin(), node->output().end(), [&](const std::string& tensor) {
                          return used.count(tensor) != 0 && used_as_data.count(tensor) == 0;
                        });
    for (int slot = 0; slot < node->input_size(); ++slot) {
      used.insert(node->input(slot));
      if (!passes && !is_weight_slot(*node, slot)) used_as_data.insert(node->input(slot));
    }
  }
  std::unordered_set<std::string> computed, declared_inputs;
  for (const NodeProto& node : graph.node()) computed.insert(node.output().begin(), node.output().end());
  for (const auto& value : graph.input()) {
    declared_inputs.insert(value.name());
    if (constants_.count(value.name()) != 0) continue;  // before IR version 4 every initializer is an input as well
    const bool weight = used.count(value.name()) != 0 && used_as_data.count(value.name()) == 0;
    (weight ? constants_ : inputs_).insert(value.name());
  }
  // Stripped weights of which only the shape is left.
  for (const auto& value : graph.value_info()) {
    if (computed.count(value.name()) == 0 && declared_inputs.count(value.name()) == 0) constants_.insert(value.name());
  }
  for (const NodeProto& node : graph.node()) {
    if (is_constant(node)) constants_.insert(node.output().begin(), node.output().end());
  }
}

void OnnxGraph::fix_dimensions() {
  auto& graph = *model_.mutable_graph();
  for (const auto& tensor : graph.initializer()) {
    for (const std::int64_t dim : tensor.dims()) {
      if (dim < 0 || dim > std::numeric_limits<int>::max()) {
        fail("initializer " + tensor.name(),
             fmt::format("has a dimension of {}, but 0 to {} are allowed", dim, std::numeric_limits<int>::max()));
      }
    }
  }
  // The file's batch: that of the first image-like input, else of the first input. A dynamic one is as good as 1.
  const ValueInfoProto* first = nullptr;
  for (const auto& value : graph.input()) {
    if (!is_input(value.name()) || value.type().tensor_type().shape().dim_size() == 0) continue;
    if (value.type().tensor_type().shape().dim_size() == 4) {
      first = &value;
      break;
    }
    if (first == nullptr) first = &value;
  }
  if (first != nullptr) {
    const auto& dim = first->type().tensor_type().shape().dim(0);
    if (dim.has_dim_value() && dim.dim_value() > 0) batch_ = dim.dim_value();
  }
  for (ValueInfoProto& value : *graph.mutable_input()) {
    TensorShapeProto* shape = mutable_shape(value);
    if (shape == nullptr) continue;
    for (int i = 0; i < shape->dim_size(); ++i) {
      auto& dim = *shape->mutable_dim(i);
      if (is_input(value.name()) && i == 0 && (!dim.has_dim_value() || dim.dim_value() == -1)) {
        dim.set_dim_value(batch_);
      }
      if (!dim.has_dim_value()) continue;
      if (dim.dim_value() == -1) {
        dim.clear_dim_value();
      } else if (dim.dim_value() < 1 || dim.dim_value() > kLargestSize) {
        fail("graph input " + value.name(), fmt::format("dimension {} is {}, but 1 to {} or a dynamic one are allowed",
                                                        i, dim.dim_value(), kLargestSize));
      }
    }
  }
  // What is declared for other tensors is a hint: only a dimension that says something is kept.
  for (auto* values : {graph.mutable_value_info(), graph.mutable_output()}) {
    for (ValueInfoProto& value : *values) {
      TensorShapeProto* shape = mutable_shape(value);
      if (shape == nullptr) continue;
      for (auto& dim : *shape->mutable_dim()) {
        if (dim.has_dim_value() && (dim.dim_value() < 1 || dim.dim_value() > kLargestSize)) dim.clear_dim_value();
      }
    }
  }
}

void OnnxGraph::forget_declared_shapes() {
  auto& graph = *model_.mutable_graph();
  std::unordered_set<std::string> computed;
  for (const NodeProto& node : graph.node()) computed.insert(node.output().begin(), node.output().end());
  for (auto* values : {graph.mutable_value_info(), graph.mutable_output()}) {
    for (ValueInfoProto& value : *values) {
      if (computed.count(value.name()) != 0 && mutable_shape(value) != nullptr) {
        value.mutable_type()->mutable_tensor_type()->clear_shape();
      }
    }
  }
}

void OnnxGraph::infer_shapes() {
  // Inference needs the opset of the standard operators and, from IR version 4 on, accepts initializers that are no
  // inputs. A file that does not say is taken as recent.
  const auto is_standard = [](const auto& opset) { return opset.domain().empty() || opset.domain() == "ai.onnx"; };
  if (std::none_of(model_.opset_import().begin(), model_.opset_import().end(), is_standard)) {
    model_.add_opset_import()->set_version(13);
  }
  model_.set_ir_version(std::max<std::int64_t>(model_.ir_version(), 4));

  const auto attempt = [&](bool propagate_data) {
    onnx::ShapeInferenceOptions options{false, 0, propagate_data};
    std::unordered_map<std::string, TensorShapeProto> shape_data;
    onnx::ModelProto inferred = model_;
    onnx::shape_inference::InferShapes(inferred, onnx::OpSchemaRegistry::Instance(), options, &shape_data);
    model_ = std::move(inferred);
  };
  // Data propagation follows Shape-Gather-Concat-Reshape chains, but gives up on files that plain inference can read.
  try {
    attempt(true);
  } catch (const std::exception&) {
    forget_declared_shapes();
    try {
      attempt(true);
    } catch (const std::exception&) {
      try {
        attempt(false);
      } catch (const std::exception& error) {
        fail("", fmt::format("its shapes cannot be inferred: {}", error.what()));
      }
    }
  }
  for (const auto* values : {&model_.graph().input(), &model_.graph().value_info(), &model_.graph().output()}) {
    for (const ValueInfoProto& value : *values) {
      if (value.type().has_tensor_type() && value.type().tensor_type().has_shape()) {
        shapes_[value.name()] = to_shape(value.type().tensor_type().shape());
      }
    }
  }
  for (const auto& tensor : model_.graph().initializer()) {
    shapes_[tensor.name()] = Shape(tensor.dims().begin(), tensor.dims().end());
  }
  for (const auto& tensor : model_.graph().sparse_initializer()) {
    shapes_[tensor.values().name()] = Shape(tensor.dims().begin(), tensor.dims().end());
  }
}

}  // namespace weft::workloads
