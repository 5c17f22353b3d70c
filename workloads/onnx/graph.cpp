#include "workloads/onnx/graph.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/defs/schema.h>
#include <onnx/defs/tensor_proto_util.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "model/core/error.h"
#include "model/core/text.h"
#include "workloads/onnx/checks.h"
#include "workloads/onnx/expand.h"
#include "workloads/onnx/inference.h"
#include "workloads/onnx/operators.h"

namespace weft::workloads {

using onnx::NodeProto;
using onnx::ValueInfoProto;

namespace {

// Larger than any network needs. It also bounds libonnx's time for SAME padding, which counts down from an axis' size.
constexpr std::int64_t kLargestSize = std::int64_t{1} << 24;
constexpr std::size_t kShapeData = 4096;  // bytes; larger initializers are not used by shape inference

bool standard(const NodeProto& node) {
  return node.domain().empty() || node.domain() == "ai.onnx";
}

// True if operand `slot` is a parameter of the operator and not data.
bool is_weight_slot(const NodeProto& node, int slot) {
  if (!standard(node)) return false;
  const std::string& op = node.op_type();
  static const std::unordered_set<std::string> with_weights{"BatchNormalization",
                                                            "Conv",
                                                            "ConvInteger",
                                                            "ConvTranspose",
                                                            "DequantizeLinear",
                                                            "Gemm",
                                                            "GroupNormalization",
                                                            "QLinearConv",
                                                            "LayerNormalization",
                                                            "MatMul",
                                                            "PRelu",
                                                            "QuantizeLinear",
                                                            "InstanceNormalization",
                                                            "RMSNormalization"};
  if (op == "DeformConv") return slot == 1 || slot == 3;
  if (op == "Einsum") return einsum_product(node) && slot == 1;
  return with_weights.count(op) != 0 && slot >= 1;
}

// Operators that may be between a weight and its user.
bool passes_weights(const NodeProto& node) {
  if (!standard(node)) return false;
  const std::string& op = node.op_type();
  return op == "Identity" || op == "Cast" || op == "Transpose" || op == "Reshape" || op == "Squeeze" ||
         op == "Unsqueeze" || op == "Flatten" || op == "QuantizeLinear" || op == "DequantizeLinear";
}

bool has_subgraph(const NodeProto& node) {
  return std::any_of(node.attribute().begin(), node.attribute().end(),
                     [](const auto& a) { return a.has_g() || a.graphs_size() > 0; });
}

// True for a convolution of any domain, by its name.
bool names_convolution(const std::string& op) {
  return op.find("Conv") != std::string::npos && op.rfind("Convert", 0) != 0;
}

bool contains_convolution(const google::protobuf::RepeatedPtrField<NodeProto>& nodes) {
  for (const NodeProto& node : nodes) {
    if (names_convolution(node.op_type())) return true;
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g() && contains_convolution(attribute.g().node())) return true;
      for (const auto& graph : attribute.graphs()) {
        if (contains_convolution(graph.node())) return true;
      }
    }
  }
  return false;
}

// Removes invalid dimensions: for a tensor that is not an input they mean dynamic.
void drop_odd_dimensions(onnx::TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return;
  for (auto& dim : *type.mutable_tensor_type()->mutable_shape()->mutable_dim()) {
    if (dim.has_dim_value() && (dim.dim_value() < 0 || dim.dim_value() > kLargestDim)) dim.clear_dim_value();
  }
}

onnx::TypeProto type_of_initializer(const google::protobuf::RepeatedField<std::int64_t>& dims, int element) {
  onnx::TypeProto type;
  auto& tensor = *type.mutable_tensor_type();
  tensor.set_elem_type(element);
  tensor.mutable_shape();  // a scalar has a shape, too
  for (const std::int64_t dim : dims) tensor.mutable_shape()->add_dim()->set_dim_value(dim);
  return type;
}

void set_shape(onnx::TypeProto& type, const Shape& dims) {
  onnx::TensorShapeProto& shape = *type.mutable_tensor_type()->mutable_shape();
  shape.Clear();
  for (const std::int64_t dim : dims) {
    auto& added = *shape.add_dim();
    if (dim != kUnknownDim) added.set_dim_value(dim);
  }
}

// True for a dimension of an input whose size the file does not give.
bool is_open(const onnx::TensorShapeProto::Dimension& dim) {
  return !dim.has_dim_value() || dim.dim_value() == -1;
}

// One printable line of bounded length, for any bytes in the file.
std::string shown(const std::string& text) {
  constexpr std::size_t kLongest = 300;
  const std::string line = printable(text);
  return line.size() > kLongest ? printable(line.substr(0, kLongest)) + "..." : line;
}

// Types used by shape arithmetic.
bool is_integer(int element) {
  return element == onnx::TensorProto::INT64 || element == onnx::TensorProto::INT32;
}

// Operators of two truth values or integers whose result is a truth value.
std::optional<bool> compared(const std::string& op, std::int64_t a, std::int64_t b) {
  if (op == "Equal") return a == b;
  if (op == "Less") return a < b;
  if (op == "LessOrEqual") return a <= b;
  if (op == "Greater") return a > b;
  if (op == "GreaterOrEqual") return a >= b;
  if (op == "And") return a != 0 && b != 0;
  if (op == "Or") return a != 0 || b != 0;
  if (op == "Xor") return (a != 0) != (b != 0);
  return std::nullopt;
}

// Element of the result of integer shape arithmetic; nothing if undefined.
std::optional<std::int64_t> computed(const std::string& op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (const auto truth = compared(op, a, b)) return *truth ? 1 : 0;
  if (op == "Add") return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "Sub") return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "Mul") return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op != "Div" || b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
  return a / b;  // truncates, as ONNX's integer division does
}

// Floating-point numbers of a tensor; none if its data is not in the file or does not match its type and shape.
std::vector<double> numbers_of(const onnx::TensorProto& tensor) {
  try {
    if (tensor.data_type() == onnx::TensorProto::DOUBLE) return onnx::ParseData<double>(&tensor);
    if (tensor.data_type() != onnx::TensorProto::FLOAT) return {};
    const std::vector<float> narrow = onnx::ParseData<float>(&tensor);
    return {narrow.begin(), narrow.end()};
  } catch (const std::exception&) {
    return {};
  }
}

onnx::ModelProto parse(const std::string& path) {
  const google::protobuf::LogSilencer no_log;  // errors are reported once, by the exception
  const auto fail = [&](const std::string& message) -> InputError { return {path, 0, "", shown(message)}; };
  std::error_code unreadable;  // reported when the file is opened
  if (std::filesystem::is_directory(path, unreadable)) throw fail("is a directory, not an ONNX file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  google::protobuf::io::IstreamInputStream stream(&file);
  onnx::ModelProto model;
  if (!model.ParseFromZeroCopyStream(&stream)) {
    throw fail("is not an ONNX model, is cut short, or is larger than protobuf's 2 GB");
  }
  if (!model.has_graph() || model.graph().node_size() == 0) {
    throw fail("is not an ONNX model: it has no graph with at least one node");
  }
  return model;
}

}  // namespace

OnnxGraph::OnnxGraph(const std::string& path, const std::vector<std::int64_t>& input_sizes)
    : OnnxGraph(path, parse(path), input_sizes, {}) {}

OnnxGraph::OnnxGraph(std::string path, onnx::ModelProto model, const std::vector<std::int64_t>& input_sizes,
                     const std::unordered_map<std::string, bool>& conditions)
    : path_(std::move(path)), model_(std::move(model)) {
  const google::protobuf::LogSilencer no_log;
  expand(model_,
         {[this](const NodeProto& node, const std::string& message) { fail(node, message); },
          [this](const std::string& key, const std::string& message) { fail(key, message); }},
         conditions);
  if (model_.graph().node_size() == 0) fail("", "has no node left when its functions are replaced by their nodes");
  drop_data();
  read_opsets();
  check_unique();
  check_names();
  check_attributes();
  find_constants();
  find_batch();
  give_sizes(input_sizes);
  declare();
}

std::optional<Shape> OnnxGraph::shape(const std::string& tensor) const {
  const auto type = types_.find(tensor);
  if (type == types_.end() || !type->second.tensor_type().has_shape()) return std::nullopt;
  Shape shape;
  for (const auto& dim : type->second.tensor_type().shape().dim()) {
    shape.push_back(dim.has_dim_value() ? dim.dim_value() : kUnknownDim);
  }
  return shape;
}

bool OnnxGraph::is_constant(const NodeProto& node) const {
  return !has_subgraph(node) && std::all_of(node.input().begin(), node.input().end(), [&](const std::string& tensor) {
    return tensor.empty() || is_constant(tensor);
  });
}

bool OnnxGraph::is_real(const std::string& tensor) const {
  const auto type = types_.find(tensor);
  if (type == types_.end()) return true;
  switch (type->second.tensor_type().elem_type()) {
    case onnx::TensorProto::UNDEFINED:
    case onnx::TensorProto::FLOAT:
    case onnx::TensorProto::FLOAT16:
    case onnx::TensorProto::BFLOAT16:
    case onnx::TensorProto::DOUBLE:
      return true;
    default:
      return false;
  }
}

std::optional<double> OnnxGraph::real(const std::string& tensor) const {
  const auto data = data_.find(tensor);
  if (data == data_.end() || !is_constant(tensor)) return std::nullopt;
  const auto& dims = data->second->dims();
  if (std::any_of(dims.begin(), dims.end(), [](std::int64_t dim) { return dim != 1; })) return std::nullopt;
  const std::vector<double> values = numbers_of(*data->second);
  return values.size() == 1 ? std::optional(values[0]) : std::nullopt;
}

std::string OnnxGraph::label(const NodeProto& node) {
  if (!node.name().empty()) return node.name();
  return node.output_size() > 0 ? node.output(0) : "(unnamed)";
}

void OnnxGraph::fail(const NodeProto& node, const std::string& message) const {
  fail(fmt::format("{} node {}", node.op_type(), label(node)), message);
}

void OnnxGraph::fail(const std::string& key, const std::string& message) const {
  throw InputError(path_, 0, shown(key), shown(message));
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
  for (const NodeProto& node : graph.node()) {
    const auto check = [&](const std::string& name) {
      if (find_unprintable(name) == std::string::npos) return;
      fail(node, fmt::format("the name '{}' is not UTF-8, or has a control character or an invisible character", name));
    };
    check(node.name());
    check(node.op_type());
    check(node.domain());
    for (const std::string& tensor : node.input()) check(tensor);
    for (const std::string& tensor : node.output()) check(tensor);
  }
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
      if (tensor.empty() || known.count(tensor) != 0) continue;
      if (computed.count(tensor) != 0) {
        refuse_cycle();
        fail(node, fmt::format("needs {}, which a later node computes; nodes must be in topological order", tensor));
      }
      fail(node,
           fmt::format("needs {}, which is neither an initializer, nor a graph input, nor computed by a node", tensor));
    }
    known.insert(node.output().begin(), node.output().end());
  }
  for (const auto& value : graph.output()) {
    if (known.count(value.name()) != 0) continue;
    fail("graph output " + value.name(), "is neither computed by a node, nor a graph input, nor an initializer");
  }
}

// Throws if names are not unique: a node's reference would be ambiguous.
void OnnxGraph::check_unique() const {
  const auto& graph = model_.graph();
  std::unordered_map<std::string, const char*> values;  // owner of each name
  const auto add = [&](const std::string& name, const char* as) {
    const auto [other, first] = values.emplace(name, as);
    if (first) return;
    fail(fmt::format("{} {}", as, name),
         fmt::format("has the name of another {}; every name may be given once", other->second));
  };
  for (const auto& tensor : graph.initializer()) add(tensor.name(), "initializer");
  for (const auto& tensor : graph.sparse_initializer()) add(tensor.values().name(), "initializer");
  std::unordered_set<std::string> inputs, names;
  for (const auto& value : graph.input()) {
    if (!inputs.insert(value.name()).second) {
      fail("graph input " + value.name(), "has the name of another graph input; every name may be given once");
    }
    values.emplace(value.name(), "graph input");  // before IR version 4 every initializer is also an input
  }
  for (const NodeProto& node : graph.node()) {
    if (!node.name().empty() && !names.insert(node.name()).second) {
      fail(node, "has the name of another node; every name may be given once");
    }
    for (const std::string& tensor : node.output()) {
      const auto other = values.find(tensor);
      if (!tensor.empty() && other != values.end()) {
        fail(node, fmt::format("computes {}, which is the name of another value, the {}; every name may be given once",
                               tensor, other->second));
      }
    }
  }
}

// Throws for a node on a cycle, if there is one.
void OnnxGraph::refuse_cycle() const {
  std::unordered_map<std::string, const NodeProto*> producer;
  for (const NodeProto& node : nodes()) {
    for (const std::string& tensor : node.output()) {
      if (!tensor.empty()) producer[tensor] = &node;
    }
  }
  // Depth-first search towards the inputs. A node met again while on the path is on a cycle.
  std::unordered_map<const NodeProto*, int> next_input;  // of visited nodes; past the last input when finished
  for (const NodeProto& start : nodes()) {
    if (!next_input.emplace(&start, 0).second) continue;
    std::vector<const NodeProto*> path{&start};
    std::unordered_set<const NodeProto*> on_path{&start};
    while (!path.empty()) {
      const NodeProto& node = *path.back();
      int& slot = next_input[&node];
      if (slot == node.input_size()) {
        on_path.erase(&node);
        path.pop_back();
        continue;
      }
      const auto before = producer.find(node.input(slot++));
      if (before == producer.end()) continue;
      if (next_input.emplace(before->second, 0).second) {
        path.push_back(before->second);
        on_path.insert(before->second);
        continue;
      }
      if (on_path.count(before->second) == 0) continue;
      const auto again = std::find(path.begin(), path.end(), before->second);
      std::string cycle = label(**again);
      for (auto at = path.end(); at != again; --at) cycle += " -> " + label(**(at - 1));
      fail(**again, fmt::format("is on a cycle: {}; a network must have none", cycle));
    }
  }
}

void OnnxGraph::read_opsets() {
  constexpr int kRecent = 13;  // if the file names none
  for (const auto& import : model_.opset_import()) {
    const std::int64_t version = import.version();
    if (version < 1) fail("opset_import", fmt::format("version is {}, but must be at least 1", version));
    const std::string domain = import.domain() == "ai.onnx" ? "" : import.domain();
    if (domain.empty() && version > kNewestOpset) {
      fail("opset_import",
           fmt::format("opset {} of the ONNX domain is newer than {}: export the network with opset {} or "
                       "an older one",
                       version, kNewestOpset, kNewestOpset));
    }
    const int known = static_cast<int>(std::min(version, kLargestDim));  // operators of other domains are not checked
    const auto [other, first] = opsets_.emplace(domain, known);
    if (!first && other->second != known) {
      fail("opset_import",
           fmt::format("gives versions {} and {} of domain '{}'; give one", other->second, version, import.domain()));
    }
  }
  opsets_.emplace("", kRecent);
}

// Throws if a graph in an attribute has a convolution.
void OnnxGraph::refuse_hidden(const NodeProto& node) const {
  for (const auto& attribute : node.attribute()) {
    const bool nested = (attribute.has_g() && contains_convolution(attribute.g().node())) ||
                        std::any_of(attribute.graphs().begin(), attribute.graphs().end(),
                                    [](const auto& g) { return contains_convolution(g.node()); });
    if (!nested) continue;
    fail(node, fmt::format("its {} contains a convolution, but how often it runs depends on data; only the branches of "
                           "an If whose condition follows from constants and shapes are read",
                           attribute.name()));
  }
}

void OnnxGraph::check_attributes() const {
  for (const NodeProto& node : nodes()) {
    if (!is_standard(node, "If")) refuse_hidden(node);
    if (!standard(node) && names_convolution(node.op_type())) {
      fail(node,
           fmt::format("is a convolution of domain {}, which is not known: write it as Conv of the ONNX domain, or "
                       "give the file a function of its name",
                       node.domain()));
    }
    const auto known = standard(node) ? signature_of(node.op_type(), opset()) : std::nullopt;
    try {
      if (known) workloads::check_attributes(node, *known);
      // The weights of a convolution are checked where they are read.
      if (known && node.op_type() != "Conv") check_counts(node, *known);
    } catch (const Error& error) {
      fail(node, error.what());
    }
    if (standard(node)) check_sizes(node);
  }
}

// Checks sizes in attributes that libonnx does not validate.
void OnnxGraph::check_sizes(const NodeProto& node) const {
  for (const auto& attribute : node.attribute()) {
    const std::string& name = attribute.name();
    // Pad has pads, too, which may be negative.
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

void OnnxGraph::find_constants() {
  const auto& graph = model_.graph();
  for (const auto& tensor : graph.initializer()) constants_.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) constants_.insert(tensor.values().name());

  // Backwards: a tensor is a weight if every use is one. ONNX lists nodes in topological order.
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
    if (constants_.count(value.name()) != 0) continue;  // before IR version 4 every initializer is also an input
    const bool weight = used.count(value.name()) != 0 && used_as_data.count(value.name()) == 0;
    (weight ? constants_ : inputs_).insert(value.name());
  }
  // Removed weights of which only the shape is left.
  for (const auto& value : graph.value_info()) {
    if (computed.count(value.name()) == 0 && declared_inputs.count(value.name()) == 0) constants_.insert(value.name());
  }
  for (const NodeProto& node : graph.node()) {
    if (is_constant(node)) constants_.insert(node.output().begin(), node.output().end());
    const bool passes = is_standard(node, "QuantizeLinear") || is_standard(node, "DequantizeLinear");
    if (passes && node.input_size() > 0 && node.output_size() > 0 && reads_input(node.input(0))) {
      quantised_.insert(node.output(0));
    }
  }
}

void OnnxGraph::find_batch() {
  // Batch of the first image-like input, else of the first input. A dynamic batch counts as 1.
  const ValueInfoProto* first = nullptr;
  for (const auto& value : model_.graph().input()) {
    if (!is_input(value.name()) || value.type().tensor_type().shape().dim_size() == 0) continue;
    if (value.type().tensor_type().shape().dim_size() == 4) {
      first = &value;
      break;
    }
    if (first == nullptr) first = &value;
  }
  if (first == nullptr) return;
  const auto& dim = first->type().tensor_type().shape().dim(0);
  static_batch_ = dim.has_dim_value() && dim.dim_value() > 0;
  if (static_batch_) batch_ = dim.dim_value();
}

void OnnxGraph::give_sizes(const std::vector<std::int64_t>& sizes) {
  if (sizes.empty()) return;
  std::vector<std::string> open;  // names of the sizes
  for (ValueInfoProto& value : *model_.mutable_graph()->mutable_input()) {
    if (!is_input(value.name()) || !value.type().tensor_type().has_shape()) continue;
    auto& shape = *value.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (int i = 1; i < shape.dim_size(); ++i) {
      auto& dim = *shape.mutable_dim(i);
      if (!is_open(dim)) continue;
      const std::string name =
          dim.dim_param().empty() ? fmt::format("dimension {} of {}", i, value.name()) : dim.dim_param();
      const auto at = static_cast<std::size_t>(std::find(open.begin(), open.end(), name) - open.begin());
      if (at == open.size()) open.push_back(name);
      if (at < sizes.size()) dim.set_dim_value(sizes[at]);
    }
  }
  if (open.size() == sizes.size()) return;
  fail("", fmt::format("leaves {} of its sizes open{}{}, but input_sizes gives {}; give as many", open.size(),
                       open.empty() ? "" : ": ", fmt::join(open, ", "), sizes.size()));
}

// Records the declared types: binding for inputs and constants, hints for other tensors.
void OnnxGraph::declare() {
  auto& graph = *model_.mutable_graph();
  for (ValueInfoProto& value : *graph.mutable_input()) {
    if (value.type().has_tensor_type() && value.type().tensor_type().has_shape()) {
      auto& shape = *value.mutable_type()->mutable_tensor_type()->mutable_shape();
      for (int i = 0; i < shape.dim_size(); ++i) {
        auto& dim = *shape.mutable_dim(i);
        const bool dynamic = is_open(dim);
        if (dynamic && i == 0 && is_input(value.name())) {
          dim.set_dim_value(batch_);
        } else if (dynamic) {
          dim.clear_dim_value();
        } else if (dim.dim_value() < 1 || dim.dim_value() > kLargestSize) {
          fail("graph input " + value.name(),
               fmt::format("dimension {} is {}, but 1 to {} or a dynamic one are allowed", i, dim.dim_value(),
                           kLargestSize));
        }
      }
    }
    types_[value.name()] = value.type();
  }
  for (const auto* values : {&graph.value_info(), &graph.output()}) {
    for (const ValueInfoProto& value : *values) {
      onnx::TypeProto type = value.type();
      drop_odd_dimensions(type);
      if (is_constant(value.name())) types_.emplace(value.name(), type);
      declared_.emplace(value.name(), std::move(type));
    }
  }
  const auto check = [&](const std::string& name, const google::protobuf::RepeatedField<std::int64_t>& dims) {
    for (const std::int64_t dim : dims) {
      if (dim >= 0 && dim <= kLargestDim) continue;
      fail("initializer " + name, fmt::format("has a dimension of {}, but 0 to {} are allowed", dim, kLargestDim));
    }
  };
  for (const auto& tensor : graph.initializer()) {
    check(tensor.name(), tensor.dims());
    types_[tensor.name()] = type_of_initializer(tensor.dims(), tensor.data_type());
    data_[tensor.name()] = &tensor;
  }
  for (const auto& tensor : graph.sparse_initializer()) {
    check(tensor.values().name(), tensor.dims());
    types_[tensor.values().name()] = type_of_initializer(tensor.dims(), tensor.values().data_type());
  }
  for (auto& [name, type] : types_) type_of_[name] = &type;
}

// Records the value of a Constant: a tensor or a list of numbers.
void OnnxGraph::read_constant(const NodeProto& node) {
  if (!is_standard(node, "Constant") || node.output_size() == 0) return;
  onnx::TensorProto numbers;
  for (const auto& attribute : node.attribute()) {
    const std::string& name = attribute.name();
    if (name == "value") data_[node.output(0)] = &attribute.t();
    if (name == "value_ints") {
      numbers.add_dims(attribute.ints_size());
      *numbers.mutable_int64_data() = attribute.ints();
    }
    if (name == "value_int") numbers.add_int64_data(attribute.i());
    if (name == "value_floats") {
      numbers.add_dims(attribute.floats_size());
      *numbers.mutable_float_data() = attribute.floats();
    }
    if (name == "value_float") numbers.add_float_data(attribute.f());
  }
  if (numbers.int64_data().empty() && numbers.float_data().empty()) return;
  numbers.set_data_type(numbers.float_data().empty() ? onnx::TensorProto::INT64 : onnx::TensorProto::FLOAT);
  folded_.push_back(std::move(numbers));
  data_[node.output(0)] = &folded_.back();
}

// libonnx propagates the values of Shape-Gather-Concat chains, but operators that take a shape as operand (Reshape,
// Expand, Slice, ...) use constants only: folds such operands into constants.
void OnnxGraph::fold_operands(const NodeProto& node) {
  for (const std::string& operand : node.input()) {
    const auto values = values_.find(operand);
    const auto type = types_.find(operand);
    if (values == values_.end() || type == types_.end() || data_.count(operand) != 0) continue;
    const auto& dims = values->second.dim();
    if (!std::all_of(dims.begin(), dims.end(), [](const auto& dim) { return dim.has_dim_value(); })) continue;
    const auto rank = shape(operand);
    if (!rank || rank->size() > 1 || (rank->empty() && dims.size() != 1)) continue;
    const int element = type->second.tensor_type().elem_type();
    if (!is_integer(element)) continue;
    onnx::TensorProto tensor;
    tensor.set_data_type(element);
    if (!rank->empty()) tensor.add_dims(dims.size());
    for (const auto& dim : dims) {
      if (element == onnx::TensorProto::INT64) tensor.add_int64_data(dim.dim_value());
      if (element == onnx::TensorProto::INT32) tensor.add_int32_data(static_cast<std::int32_t>(dim.dim_value()));
    }
    folded_.push_back(std::move(tensor));
    data_[operand] = &folded_.back();
  }
}

// Integers in a tensor of at most one dimension, if known.
std::optional<std::vector<std::int64_t>> OnnxGraph::integers(const std::string& tensor) const {
  const auto size = shape(tensor);
  if (!size || size->size() > 1) return std::nullopt;
  const std::int64_t count = size->empty() ? 1 : size->front();
  std::vector<std::int64_t> all;
  if (const auto data = data_.find(tensor); data != data_.end()) {
    if (!is_integer(data->second->data_type())) return std::nullopt;
    try {
      if (data->second->data_type() == onnx::TensorProto::INT64) {
        all = onnx::ParseData<std::int64_t>(data->second);
      } else {
        const std::vector<std::int32_t> narrow = onnx::ParseData<std::int32_t>(data->second);
        all.assign(narrow.begin(), narrow.end());
      }
    } catch (const std::exception&) {
      return std::nullopt;  // its data does not match its type and shape
    }
  } else if (const auto values = values_.find(tensor); values != values_.end()) {
    for (const auto& dim : values->second.dim()) {
      if (!dim.has_dim_value()) return std::nullopt;
      all.push_back(dim.dim_value());
    }
  }
  if (all.empty() || static_cast<std::int64_t>(all.size()) != count) return std::nullopt;
  return all;
}

// Floating-point numbers in a constant of at most one dimension, if known.
std::optional<std::vector<double>> OnnxGraph::reals(const std::string& tensor) const {
  const auto data = data_.find(tensor);
  if (data == data_.end() || data->second->dims_size() > 1) return std::nullopt;
  const std::int64_t count = data->second->dims_size() == 0 ? 1 : data->second->dims(0);
  const std::vector<double> values = numbers_of(*data->second);
  return static_cast<std::int64_t>(values.size()) == count ? std::optional(values) : std::nullopt;
}

// Folds sums, differences, products, quotients and comparisons of known integers, which exporters write as the
// positions of splits and as conditions.
void OnnxGraph::fold_arithmetic(const NodeProto& node) {
  const std::string& op = node.op_type();
  const bool turns = op == "Not";
  if (!standard(node) || node.input_size() != (turns ? 1 : 2) || node.output_size() != 1) return;
  const bool truth = turns || compared(op, 0, 0).has_value();
  if (!truth && op != "Add" && op != "Sub" && op != "Mul" && op != "Div") return;
  const auto type = types_.find(node.output(0));
  if (type == types_.end()) return;
  if (!truth && !is_integer(type->second.tensor_type().elem_type())) return;
  const auto a = integers(node.input(0)),
             b = turns ? std::optional(std::vector<std::int64_t>{0}) : integers(node.input(1));
  if (!a || !b || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return;
  onnx::TensorShapeProto result;
  for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
    const auto value = computed(turns ? "Equal" : op, (*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
    if (!value) return;
    result.add_dim()->set_dim_value(*value);
  }
  values_[node.output(0)] = std::move(result);
}

// Throws std::exception unless libonnx can infer the node safely. It assumes that attributes exist and have their type,
// and that axes are within the rank.
void OnnxGraph::check_inferable(const NodeProto& node) const {
  if (has_subgraph(node)) throw std::invalid_argument("shapes are not inferred through subgraphs");
  if (node.op_type() == "MaxUnpool" || node.op_type() == "STFT") {
    throw std::invalid_argument("shapes are not inferred through " + node.op_type());
  }
  const auto data = node.input_size() > 0 ? shape(node.input(0)) : std::nullopt;
  const std::string& op = node.op_type();
  if (op == "Gemm") {
    const auto matrix = shape(node.input(1));
    if (!data || !matrix || data->size() != 2 || matrix->size() != 2) {
      throw std::invalid_argument("its operands are not known to be matrices");
    }
  }
  if (op == "LayerNormalization" && (!data || data->empty())) throw std::invalid_argument("its input is a scalar");
  const std::int64_t rank = data ? static_cast<std::int64_t>(data->size()) : 0;
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "kernel_shape" && attribute.ints_size() + 2 != rank) {
      if (data)
        fail(node,
             fmt::format("kernel_shape has {} values, but its input is {}", attribute.ints_size(), dims_text(*data)));
      throw std::invalid_argument("kernel_shape does not fit the rank of its input");
    }
    if (attribute.name() != "axis" && attribute.name() != "axes") continue;
    // Rank of the output: one more for OneHot, all added axes for Unsqueeze. Flatten may split after the last axis.
    const std::int64_t added = op == "OneHot" || op == "Flatten" ? 1 : op == "Unsqueeze" ? attribute.ints_size() : 0;
    std::vector<std::int64_t> axes(attribute.ints().begin(), attribute.ints().end());
    if (attribute.has_i()) axes.push_back(attribute.i());
    for (const std::int64_t axis : axes) {
      if (axis < -rank - added || axis >= rank + added) {
        if (data) fail(node, fmt::format("{} holds {}, but its input is {}", attribute.name(), axis, dims_text(*data)));
        throw std::invalid_argument(fmt::format("axis {} is beyond its input", axis));
      }
    }
  }
}

// True if all inputs of the inference are known. Large tensors are not used by it.
bool OnnxGraph::complete(const NodeProto& node) const {
  return std::all_of(node.input().begin(), node.input().end(), [&](const std::string& operand) {
    if (operand.empty()) return true;
    const auto dims = shape(operand);
    if (!dims || std::find(dims->begin(), dims->end(), kUnknownDim) != dims->end()) return false;
    const auto data = data_.find(operand);
    return data == data_.end() || data->second->data_location() != onnx::TensorProto::EXTERNAL;
  });
}

// Checks that Reshape keeps the number of elements. With a dynamic batch the result may have a multiple of it.
void OnnxGraph::check_elements(const NodeProto& node) const {
  if (!is_standard(node, "Reshape") || node.output_size() == 0) return;
  const auto before = shape(node.input(0)), after = shape(node.output(0));
  const auto elements = [](const std::optional<Shape>& dims) -> std::optional<std::int64_t> {
    std::int64_t all = 1;
    if (!dims) return std::nullopt;
    for (const std::int64_t dim : *dims) {
      if (dim == kUnknownDim || __builtin_mul_overflow(all, dim, &all)) return std::nullopt;
    }
    return all;
  };
  const auto given = elements(before), taken = elements(after);
  if (!given || !taken || *given == *taken) return;
  const bool images = !static_batch_ && !is_constant(node) && *given != 0 && *taken % *given == 0;
  if (images) return;
  fail(node, fmt::format("makes {} of {} elements from {} of {}; it must keep their number", dims_text(*after), *taken,
                         dims_text(*before), *given));
}

// libonnx's message on a contradiction, with the shapes.
std::string OnnxGraph::contradiction(const NodeProto& node, const std::string& reason) const {
  std::string operands;
  for (const std::string& operand : node.input()) {
    if (operand.empty()) continue;
    operands += fmt::format("{}{} {}", operands.empty() ? "" : ", ", operand, dims_text(*shape(operand)));
  }
  return fmt::format("the shapes of its operands and its attributes contradict each other ({}): {}", operands, reason);
}

Operands OnnxGraph::operands_of(const NodeProto& node) const {
  return {node, [this](const std::string& tensor) { return shape(tensor); },
          [this](const std::string& tensor) { return integers(tensor); },
          [this](const std::string& tensor) { return reals(tensor); }};
}

void OnnxGraph::infer_by_table(const NodeProto& node, const TabledOperator& tabled,
                               std::vector<onnx::TypeProto>& outputs) const {
  if (tabled.infer == nullptr) throw std::invalid_argument("its shapes are not inferred");
  Shapes shapes;
  try {
    shapes = tabled.infer(operands_of(node));
  } catch (const Error& error) {
    fail(node, error.what());
  }
  const ElementRule rule = element_rule(node);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto operand = rule.operand < node.input_size() ? types_.find(node.input(rule.operand)) : types_.end();
    if (rule.type != 0) {
      outputs[i].mutable_tensor_type()->set_elem_type(rule.type);
    } else if (operand != types_.end()) {
      outputs[i].mutable_tensor_type()->set_elem_type(operand->second.tensor_type().elem_type());
    }
    if (i < shapes.size() && shapes[i]) set_shape(outputs[i], *shapes[i]);
  }
  if (shapes.empty() || !shapes[0]) throw std::invalid_argument("the shape or value of an operand is not known");
}

void OnnxGraph::infer_by_library(const NodeProto& node, const TabledOperator* tabled,
                                 std::vector<onnx::TypeProto>& outputs) {
  const onnx::OpSchema* known =
      standard(node) ? onnx::OpSchemaRegistry::Schema(node.op_type(), std::min(opset(), kLibraryOpset), "") : nullptr;
  if (known == nullptr) {
    throw std::invalid_argument(
        fmt::format("operator {}{} (node {}) is not known", node.op_type(),
                    standard(node) ? fmt::format(" of opset {}", opset()) : fmt::format(" of domain {}", node.domain()),
                    label(node)));
  }
  NodeProto copy = node;  // libonnx requires a mutable node
  for (int i = copy.attribute_size(); tabled != nullptr && i-- > 0;) {
    if (tabled->signature.attributes.count(copy.attribute(i).name()) == 0) continue;
    if (known->attributes().count(copy.attribute(i).name()) == 0) copy.mutable_attribute()->DeleteSubrange(i, 1);
  }
  auto context = inference_context(copy, type_of_, data_, values_);
  known->Verify(copy);
  check_inferable(node);
  if (known->has_data_propagation_function()) {
    try {
      onnx::shape_inference::DataPropagationContextImpl data(copy, type_of_, data_, values_);
      known->GetDataPropagationFunction()(data);
    } catch (const std::exception&) {
      // Unknown value, required by some operators only.
    }
  }
  known->GetTypeAndShapeInferenceFunction()(context);
  for (int i = 0; i < node.output_size(); ++i) outputs[i] = context.allOutputTypes_[i];
}

// Takes from the declared shape what inference leaves unknown, and records where they contradict each other. The first
// dimension of a dynamic batch is the caller's.
void OnnxGraph::complete_by_hint(const std::string& tensor, onnx::TypeProto& type) {
  const auto hint = declared_.find(tensor);
  if (hint == declared_.end() || !hint->second.tensor_type().has_shape()) return;
  if (!type.tensor_type().has_shape()) {
    type = hint->second;
    return;
  }
  const auto& declared = hint->second.tensor_type().shape();
  auto& inferred = *type.mutable_tensor_type()->mutable_shape();
  bool differs = declared.dim_size() != inferred.dim_size();
  for (int i = static_batch_ || is_constant(tensor) ? 0 : 1; i < declared.dim_size() && !differs; ++i) {
    if (!declared.dim(i).has_dim_value()) continue;
    if (!inferred.dim(i).has_dim_value()) inferred.mutable_dim(i)->set_dim_value(declared.dim(i).dim_value());
    differs = inferred.dim(i).dim_value() != declared.dim(i).dim_value();
  }
  if (!differs) return;
  const auto text = [](const onnx::TensorShapeProto& shape) {
    Shape dims;
    for (const auto& dim : shape.dim()) dims.push_back(dim.has_dim_value() ? dim.dim_value() : kUnknownDim);
    return dims_text(dims);
  };
  if (contradictions_++ == 0)
    contradicted_ = fmt::format("{} is {}, but declared as {}", tensor, text(inferred), text(declared));
}

std::string OnnxGraph::dynamic_hint() const {
  for (const auto& value : model_.graph().input()) {
    if (!is_input(value.name())) continue;
    const auto& shape = value.type().tensor_type().shape();
    for (int i = 1; i < shape.dim_size(); ++i) {
      if (shape.dim(i).has_dim_value()) continue;
      const std::string name = shape.dim(i).dim_param().empty() ? "" : fmt::format(" ({})", shape.dim(i).dim_param());
      return fmt::format(
          ": dimension {}{} of graph input {} is open; give its size in input_sizes of the run, or "
          "export the network with it",
          i, name, value.name());
    }
  }
  return "";
}

std::vector<std::string> OnnxGraph::warnings() const {
  std::vector<std::string> all;
  const auto more = [](int count) { return count == 1 ? "" : fmt::format(" (and {} more)", count - 1); };
  if (contradictions_ > 0) {
    all.push_back(shown(
        fmt::format("{}: value_info: {}{}; the inferred shape is used", path_, contradicted_, more(contradictions_))));
  }
  if (unknowns_ > 0) {
    all.push_back(
        shown(fmt::format("{}: {}{}; the host computes it, and it has no price", path_, unknown_, more(unknowns_))));
  }
  return all;
}

void OnnxGraph::infer(const NodeProto& node) {
  const google::protobuf::LogSilencer no_log;
  if (is_constant(node)) constants_.insert(node.output().begin(), node.output().end());  // a part of another node
  read_constant(node);
  fold_operands(node);
  std::optional<Shape> pool;
  try {
    check_parameters(node, opset(), [&](const std::string& tensor) { return shape(tensor); });
    if (const auto input = node.input_size() > 0 ? shape(node.input(0)) : std::nullopt) pool = pool_shape(node, *input);
  } catch (const Error& error) {
    fail(node, error.what());
  }
  std::vector<onnx::TypeProto> outputs(node.output_size());
  std::string problem;
  const TabledOperator* tabled = standard(node) ? tabled_operator(node.op_type(), opset()) : nullptr;
  try {
    if (tabled != nullptr && (tabled->infer != nullptr || !tabled->extends)) {
      infer_by_table(node, *tabled, outputs);
    } else {
      infer_by_library(node, tabled, outputs);
    }
  } catch (const InputError&) {
    throw;
  } catch (const onnx::InferenceError& error) {
    problem = error.what();
    // If all shapes are known, libonnx has found a contradiction.
    const std::string mark = "[ShapeInferenceError] ";
    const bool of_shapes = problem.rfind(mark, 0) == 0;
    if (of_shapes && complete(node)) fail(node, contradiction(node, problem.substr(mark.size())));
  } catch (const std::exception& error) {
    problem = error.what();  // reported only if a layer needs the shape
  }
  const bool unknown = problem.rfind("operator ", 0) == 0;  // names the node
  if (unknown && unknowns_++ == 0) unknown_ = problem;
  for (int i = 0; i < node.output_size(); ++i) {
    const std::string& name = node.output(i);
    if (pool && i < 2) set_shape(outputs[i], *pool);
    drop_odd_dimensions(outputs[i]);
    complete_by_hint(name, outputs[i]);
    onnx::TypeProto& type = types_[name] = std::move(outputs[i]);
    type_of_[name] = &type;
    if (i == 0) fold_arithmetic(node);
    if (!problem.empty()) {
      problems_[name] = unknown ? problem : fmt::format("{} node {}: {}", node.op_type(), label(node), problem);
    }
  }
  check_elements(node);
}

std::optional<bool> OnnxGraph::take_branch(const NodeProto& node) {
  const auto values = node.input_size() == 1 ? integers(node.input(0)) : std::nullopt;
  if (!values || values->size() != 1) {
    refuse_hidden(node);
    return std::nullopt;
  }
  const bool condition = values->front() != 0;
  const onnx::AttributeProto* branch = find_attribute(node, condition ? "then_branch" : "else_branch");
  if (branch == nullptr || !branch->has_g()) return std::nullopt;
  constexpr int kMost = 512;
  if (++branches_ > kMost)
    fail(node, fmt::format("is one of more than {} Ifs whose condition follows from shapes", kMost));
  const int branches = branches_;
  const bool has_batch = static_batch_;  // the model now has sizes for all that its inputs left open
  const std::unordered_map<std::string, bool> known{{node.input(0), condition}};
  *this = OnnxGraph(path_, std::move(model_), {}, known);
  branches_ = branches;
  static_batch_ = has_batch;
  return condition;
}

Parts OnnxGraph::parts(const NodeProto& node) const {
  constexpr int kMask = 3;
  if (!standard(node) || tabled_operator(node.op_type(), opset()) == nullptr) return {};
  try {
    return parts_of(node, operands_of(node), node.input_size() <= kMask || is_real(node.input(kMask)));
  } catch (const Error& error) {
    fail(node, error.what());
  }
}

std::string OnnxGraph::problem(const std::string& tensor) const {
  const auto found = problems_.find(tensor);
  return found == problems_.end() ? "" : fmt::format(" ({})", found->second);
}

void OnnxGraph::set_output(const NodeProto& node, const Shape& shape) {
  onnx::TypeProto type;
  const auto input = types_.find(node.input(0));
  if (input != types_.end()) type.mutable_tensor_type()->set_elem_type(input->second.tensor_type().elem_type());
  set_shape(type, shape);
  complete_by_hint(node.output(0), type);
  onnx::TypeProto& stored = types_[node.output(0)] = std::move(type);
  type_of_[node.output(0)] = &stored;
}

}  // namespace weft::workloads
