#include "workloads/onnx/import.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <system_error>
#include <unordered_set>

#include "model/core/error.h"
#include "model/core/text.h"
#include "workloads/lowering.h"
#include "workloads/onnx/checks.h"
#include "workloads/onnx/graph.h"
#include "workloads/onnx/recorder.h"

namespace weft::workloads {

using conv::Layer;
using conv::LayerAxis;
using onnx::AttributeProto;
using onnx::NodeProto;

namespace {

// Name of a node's module. PyTorch names a node by its modules' full names: /features/features.3/squeeze/Conv. The
// module's name is the last full name and all that follows it, without the operator.
std::string module_path(const std::string& node_name, const std::string& op) {
  std::vector<std::string> parts;
  for (std::size_t begin = 1; begin <= node_name.size();) {
    const std::size_t end = std::min(node_name.find('/', begin), node_name.size());
    const std::string part = node_name.substr(begin, end - begin);
    const bool operator_itself = end == node_name.size() && (part == op || part.rfind(op + "_", 0) == 0);
    if (!part.empty() && !operator_itself) {
      if (!parts.empty() && part.rfind(parts.back() + ".", 0) == 0) parts.pop_back();
      parts.push_back(part);
    }
    begin = end + 1;
  }
  return fmt::format("{}", fmt::join(parts, "."));
}

class Importer {
 public:
  Importer(const std::string& path, const ImportOptions& options) : graph_(path), options_(options) {
    network_.name = std::filesystem::path(path).stem().string();
    network_.batch = options.batch;
  }

  Network network() {
    walk(nullptr);
    return std::move(network_);
  }

  ImportedGraph graph() {
    OnnxRecorder recorder(graph_, network_.name, options_);
    walk(&recorder);
    return {std::move(network_), recorder.take()};
  }

 private:
  void walk(OnnxRecorder* recorder) {
    for (const NodeProto& node : graph_.nodes()) {
      if (is_standard(node, "Conv")) {
        add_convolution(node);
        if (recorder) recorder->convolution(node, network_.layers.back(), network_.layers.size() - 1);
        continue;
      }
      graph_.infer(node);
      if (graph_.is_constant(node)) {  // not a layer: computed once, not per image
        if (recorder) recorder->constant(node);
        continue;
      }
      const std::size_t products = network_.fully_connected.size();
      if (is_standard(node, "Gemm") || is_standard(node, "MatMul")) {
        add_product(node);
      } else {
        add_host(node);
      }
      if (recorder == nullptr) continue;
      if (network_.fully_connected.size() > products) {
        const Layer* lowered = options_.lower_fc ? &network_.fc_layers.back() : nullptr;
        recorder->fully_connected(node, network_.fully_connected.back(), products, lowered);
      } else {
        recorder->host(node);
      }
    }
  }

  std::string layer_name(const NodeProto& node);
  std::vector<std::int64_t> spatial_attribute(const NodeProto& node, const char* name, std::size_t count,
                                              std::int64_t fallback) const;
  Shape weight_shape(const NodeProto& node) const;
  int layer_batch(const NodeProto& node, std::int64_t images) const;
  void pad(const NodeProto& node, LayerAxis& h, LayerAxis& w) const;
  void add_convolution(const NodeProto& node);
  void add_product(const NodeProto& node);
  void add_host(const NodeProto& node);

  OnnxGraph graph_;
  ImportOptions options_;
  Network network_;
  std::unordered_set<std::string> names_;
};

std::string Importer::layer_name(const NodeProto& node) {
  std::string name = OnnxGraph::label(node);
  const std::string suffix = ".weight";
  if (name.rfind('/', 0) == 0) {
    const std::string module = module_path(name, node.op_type());
    if (!module.empty()) name = module;
  } else if (node.input_size() > 1 && node.input(1).size() > suffix.size() &&
             node.input(1).compare(node.input(1).size() - suffix.size(), suffix.size(), suffix) == 0) {
    name = node.input(1).substr(0, node.input(1).size() - suffix.size());  // older exporters only number the nodes
  }
  std::string unique = name;
  for (int i = 1; !names_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
  return unique;
}

std::vector<std::int64_t> Importer::spatial_attribute(const NodeProto& node, const char* name, std::size_t count,
                                                      std::int64_t fallback) const {
  const AttributeProto* attribute = find_attribute(node, name);
  if (attribute == nullptr || attribute->ints().empty()) return std::vector<std::int64_t>(count, fallback);
  if (static_cast<std::size_t>(attribute->ints_size()) != count) {
    graph_.fail(node,
                fmt::format("{} has {} values, but a 2-D convolution takes {}", name, attribute->ints_size(), count));
  }
  return {attribute->ints().begin(), attribute->ints().end()};
}

Shape Importer::weight_shape(const NodeProto& node) const {
  if (node.input_size() < 2 || node.input(1).empty()) graph_.fail(node, "has no weights; two operands are needed");
  const auto shape = graph_.shape(node.input(1));
  if (!shape) {
    graph_.fail(node, fmt::format("the shape of its weights {} is not known; an initializer, a graph input or a "
                                  "value_info must give it",
                                  node.input(1)));
  }
  return *shape;
}

// Images per layer input: operators may move parts of an image into the batch, so it may exceed the network's batch.
int Importer::layer_batch(const NodeProto& node, std::int64_t images) const {
  if (images == kUnknownDim) images = graph_.batch();
  if (images < 1 || images % graph_.batch() != 0) {
    graph_.fail(node, fmt::format("its input holds {} images, but a multiple of the file's batch of {} is needed",
                                  images, graph_.batch()));
  }
  const std::int64_t each = images / graph_.batch();
  if (each > kLargestDim / options_.batch) {
    graph_.fail(node,
                fmt::format("its batch is {} times {}, but at most {} is allowed", each, options_.batch, kLargestDim));
  }
  return static_cast<int>(each * options_.batch);
}

void Importer::pad(const NodeProto& node, LayerAxis& h, LayerAxis& w) const {
  const AttributeProto* attribute = find_attribute(node, "auto_pad");
  const std::string mode = attribute == nullptr || attribute->s().empty() ? "NOTSET" : attribute->s();
  const std::vector<std::int64_t> pads = spatial_attribute(node, "pads", 4, 0);
  if (mode == "NOTSET") {
    h.pad_begin = static_cast<int>(pads[0]);
    w.pad_begin = static_cast<int>(pads[1]);
    h.pad_end = static_cast<int>(pads[2]);
    w.pad_end = static_cast<int>(pads[3]);
    return;
  }
  if (std::any_of(pads.begin(), pads.end(), [](std::int64_t p) { return p != 0; })) {
    graph_.fail(node, fmt::format("has pads and auto_pad {}; only one of them is allowed", mode));
  }
  if (mode == "VALID") return;
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    graph_.fail(node, fmt::format("auto_pad is {}; NOTSET, VALID, SAME_UPPER and SAME_LOWER are allowed", mode));
  }
  for (LayerAxis* axis : {&h, &w}) {
    const std::int64_t extent = std::int64_t{axis->dilation} * (axis->kernel - 1) + 1;
    const SamePads zeros = same_pads(axis->size, axis->stride, extent, mode == "SAME_UPPER");
    if (zeros.begin + zeros.end > kLargestDim / 2) {
      graph_.fail(node, fmt::format("needs {} zeros of padding; that is too much", zeros.begin + zeros.end));
    }
    axis->pad_begin = static_cast<int>(zeros.begin);
    axis->pad_end = static_cast<int>(zeros.end);
  }
}

void Importer::add_convolution(const NodeProto& node) {
  if (node.output_size() != 1) graph_.fail(node, fmt::format("has {} outputs, but 1 is needed", node.output_size()));
  if (node.input_size() > 3) graph_.fail(node, fmt::format("has {} operands; 2 or 3 are allowed", node.input_size()));
  const Shape weights = weight_shape(node);
  if (weights.size() != 4) {
    graph_.fail(node, fmt::format("its weights are {}; only 2-D convolutions, with weights of rank 4, are supported",
                                  dims_text(weights)));
  }
  if (std::any_of(weights.begin(), weights.end(), [](std::int64_t d) { return d < 1 || d > kLargestDim; })) {
    graph_.fail(node, fmt::format("its weights are {}, but every dimension must be static and 1 to {}",
                                  dims_text(weights), kLargestDim));
  }
  const auto input = graph_.shape(node.input(0));
  if (!input) {
    graph_.fail(node, fmt::format("not even the rank of its input {} is known{}; an input of rank 4 with static "
                                  "channels, height and width is needed",
                                  node.input(0), graph_.problem(node.input(0))));
  }
  const Shape& ifm = *input;
  if (ifm.size() != 4) {
    graph_.fail(node, fmt::format("its input is {}; only 2-D convolutions, with an input of rank 4, are supported",
                                  dims_text(ifm)));
  }
  if (std::any_of(ifm.begin() + 1, ifm.end(), [](std::int64_t d) { return d < 1 || d > kLargestDim; })) {
    graph_.fail(node, fmt::format("its input is {}, but channels, height and width must be static and 1 to {}",
                                  dims_text(ifm), kLargestDim));
  }
  const std::vector<std::int64_t> kernel = spatial_attribute(node, "kernel_shape", 2, 0);
  if (find_attribute(node, "kernel_shape") != nullptr && (kernel[0] != weights[2] || kernel[1] != weights[3])) {
    graph_.fail(node, fmt::format("kernel_shape is {}, but its weights are {}", dims_text(kernel), dims_text(weights)));
  }
  const std::int64_t groups = integer_or(node, "group", 1);
  if (groups < 1 || groups > kLargestDim || ifm[1] % groups != 0 || weights[0] % groups != 0) {
    graph_.fail(node, fmt::format("group is {}, but it must be at least 1 and divide its {} channels and {} filters",
                                  groups, ifm[1], weights[0]));
  }
  if (ifm[1] / groups != weights[1]) {
    graph_.fail(node, fmt::format("its input has {} channels in {} groups, but its weights {} take {} each", ifm[1],
                                  groups, dims_text(weights), weights[1]));
  }
  const std::vector<std::int64_t> strides = spatial_attribute(node, "strides", 2, 1);
  const std::vector<std::int64_t> dilations = spatial_attribute(node, "dilations", 2, 1);
  const auto axis = [&](int i) {
    LayerAxis a;
    a.size = static_cast<int>(ifm[2 + i]);
    a.kernel = static_cast<int>(weights[2 + i]);
    a.stride = static_cast<int>(strides[i]);
    a.dilation = static_cast<int>(dilations[i]);
    return a;
  };
  Layer layer;
  layer.h = axis(0);
  layer.w = axis(1);
  pad(node, layer.h, layer.w);
  layer.batch = layer_batch(node, ifm[0]);
  layer.channels = static_cast<int>(ifm[1]);
  layer.filters = static_cast<int>(weights[0]);
  layer.groups = static_cast<int>(groups);
  layer.from_graph_input = graph_.is_input(node.input(0));
  layer.name = layer_name(node);
  try {
    check_bias(node, 2, layer.filters, [&](const std::string& tensor) { return graph_.shape(tensor); });
    check(layer);
  } catch (const Error& error) {
    graph_.fail(node, error.what());
  }
  graph_.set_output(node, {ifm[0], layer.filters, layer.h.out(), layer.w.out()});
  network_.layers.push_back(std::move(layer));
}

void Importer::add_product(const NodeProto& node) {
  const bool gemm = node.op_type() == "Gemm";
  const bool constant_matrix = node.input_size() >= 2 && graph_.is_constant(node.input(1));
  // Products of two computed tensors, or with data as second operand, have no weights to train.
  if (!constant_matrix || (gemm && integer_or(node, "transA", 0) != 0)) return add_host(node);
  const Shape weights = weight_shape(node);
  if (weights.size() != 2) {
    if (!gemm) return add_host(node);  // batched product
    graph_.fail(node, fmt::format("its weights are {}, but a matrix is needed", dims_text(weights)));
  }
  if (std::any_of(weights.begin(), weights.end(), [](std::int64_t d) { return d < 1 || d > kLargestDim; })) {
    graph_.fail(node, fmt::format("its weights are {}, but both dimensions must be static and 1 to {}",
                                  dims_text(weights), kLargestDim));
  }
  const bool transposed = gemm && integer_or(node, "transB", 0) != 0;
  FullyConnected fc;
  fc.in_features = weights[transposed ? 1 : 0];
  fc.out_features = weights[transposed ? 0 : 1];
  fc.from_graph_input = graph_.is_input(node.input(0));
  // All dimensions but the last count vectors; with an unknown dimension one vector per image is assumed.
  const auto input = graph_.shape(node.input(0));
  if (input && !input->empty()) {
    if (input->back() != kUnknownDim && input->back() != fc.in_features) {
      graph_.fail(node, fmt::format("its input is {}, but its weights {} take {} features", dims_text(*input),
                                    dims_text(weights), fc.in_features));
    }
    std::int64_t vectors = 1;
    for (auto dim = input->begin(); dim + 1 != input->end(); ++dim) {
      if (*dim == kUnknownDim) {
        vectors = graph_.batch();
        break;
      }
      if (__builtin_mul_overflow(vectors, *dim, &vectors)) graph_.fail(node, "its input is too large to count");
    }
    if (vectors == 1 && input->size() == 1) vectors = graph_.batch();
    fc.rows = layer_batch(node, vectors) / options_.batch;
  }
  fc.name = layer_name(node);
  if (options_.lower_fc) {
    network_.fc_layers.push_back(as_convolution(fc, options_.batch));
    try {
      check(network_.fc_layers.back());
    } catch (const Error& error) {
      graph_.fail(node, error.what());
    }
  } else {
    add_host(node);
  }
  network_.fully_connected.push_back(std::move(fc));
}

void Importer::add_host(const NodeProto& node) {
  HostLayer host;
  host.op = node.op_type();
  host.name = OnnxGraph::label(node);
  const auto output = node.output_size() > 0 ? graph_.shape(node.output(0)) : std::nullopt;
  if (output && std::find(output->begin(), output->end(), kUnknownDim) == output->end()) {
    host.shape = *output;
    if (!host.shape.empty() && host.shape[0] == graph_.batch()) host.shape[0] = 1;
    host.elements = 1;
    for (const std::int64_t dim : host.shape) {
      if (__builtin_mul_overflow(host.elements, dim, &host.elements)) {
        graph_.fail(node, fmt::format("its output is {}: too large to count", dims_text(*output)));
      }
    }
  }
  network_.host_layers.push_back(std::move(host));
}

void check_options(const std::string& path, const ImportOptions& options) {
  if (options.batch < 1) {
    throw InputError(path, 0, "batch", fmt::format("is {}, but must be at least 1", options.batch));
  }
}

}  // namespace

Network import_onnx(const std::string& path, const ImportOptions& options) {
  check_options(path, options);
  return Importer(path, options).network();
}

ImportedGraph import_graph(const std::string& path, const ImportOptions& options) {
  check_options(path, options);
  return Importer(path, options).graph();
}

namespace fs = std::filesystem;

namespace {

// Letters and digits of a name: typing errors mostly concern case and punctuation (GoogLeNet, squeezenet-1.1).
std::string letters(const std::string& name) {
  std::string text;
  for (const unsigned char c : name) {
    if (std::isalnum(c) != 0) text += static_cast<char>(std::tolower(c));
  }
  return text;
}

bool is_there(const fs::path& path) {
  std::error_code unreadable;  // inaccessible paths count as absent
  return fs::exists(path, unreadable);
}

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
  if (name.size() > 100) return "";  // too long for a typing error
  std::string best;
  std::size_t least = letters(name).size() / 3 + 2;  // no suggestion beyond this distance
  for (const std::string& candidate : known) {
    const std::size_t d = edit_distance(letters(name), letters(candidate));
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

}  // namespace

std::vector<std::string> known_networks(const std::vector<std::string>& search_dirs) {
  std::set<std::string> names;
  for (const std::string& dir : search_dirs) {
    std::error_code missing;  // a missing directory holds no networks
    for (const auto& entry : fs::directory_iterator(dir, missing)) {
      if (entry.path().extension() == ".onnx") names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

std::string network_file(const std::string& name_or_path, const std::vector<std::string>& search_dirs) {
  if (name_or_path.find('/') != std::string::npos || fs::path(name_or_path).extension() == ".onnx") {
    if (is_there(name_or_path)) return name_or_path;
    for (const std::string& dir : search_dirs) {
      const fs::path path = fs::path(dir) / name_or_path;
      if (is_there(path)) return path.string();
    }
    return name_or_path;  // reading it reports the error
  }
  for (const std::string& dir : search_dirs) {
    const fs::path path = fs::path(dir) / (name_or_path + ".onnx");
    if (!name_or_path.empty() && is_there(path)) return path.string();
  }
  const std::vector<std::string> known = known_networks(search_dirs);
  const std::string guess = suggestion(name_or_path, known);
  throw Error(fmt::format("network '{}' is not known{}; give one of {}, or the path of an ONNX file", name_or_path,
                          guess.empty() ? "" : fmt::format(" (did you mean {}?)", guess), fmt::join(known, ", ")));
}

Network find_network(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                     const ImportOptions& options) {
  return import_onnx(network_file(name_or_path, search_dirs), options);
}

ImportedGraph find_graph(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                         const ImportOptions& options) {
  return import_graph(network_file(name_or_path, search_dirs), options);
}

}  // namespace weft::workloads
