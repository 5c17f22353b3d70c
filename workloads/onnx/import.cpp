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
#include "workloads/onnx/operators.h"
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
  Importer(const std::string& path, const ImportOptions& options)
      : graph_(path, options.input_sizes), options_(options) {
    network_.name = std::filesystem::path(path).stem().string();
    network_.batch = options.batch;
  }

  Network network() {
    while (!walk(nullptr)) start();
    return std::move(network_);
  }

  ImportedGraph graph() {
    for (;; start()) {
      OnnxRecorder recorder(graph_, network_.name, options_);
      if (walk(&recorder)) return {std::move(network_), recorder.take()};
    }
  }

 private:
  void start() {
    Network empty;
    empty.name = network_.name;
    empty.batch = network_.batch;
    network_ = std::move(empty);
    names_.clear();
  }

  // Visits all nodes; false if an If gave way to its branch, so that all must be visited anew.
  bool walk(OnnxRecorder* recorder) {
    for (const NodeProto& node : graph_.nodes()) {
      if (is_standard(node, "If") && took_branch(node)) return false;
      visit(node, recorder);
    }
    network_.warnings = graph_.warnings();
    network_.warnings.insert(network_.warnings.end(), branches_.begin(), branches_.end());
    return true;
  }

  void visit(const NodeProto& node, OnnxRecorder* recorder) {
    const bool pointwise = is_pointwise(node);
    if (pointwise || convolution_slots(node).weights > 0) {
      pointwise ? add_pointwise(node) : add_convolution(node);
      if (recorder) recorder->convolution(node, network_.layers.back(), network_.layers.size() - 1);
      return;
    }
    if (const Parts parts = graph_.parts(node); !parts.nodes.empty()) {
      if (recorder) recorder->fix(parts.fixed);
      for (const NodeProto& part : parts.nodes) visit(part, recorder);
      return;
    }
    graph_.infer(node);
    if (graph_.is_constant(node)) {  // not a layer: computed once, not per image
      if (recorder) recorder->constant(node);
      return;
    }
    const std::size_t products = network_.fully_connected.size(), lowered = network_.fc_layers.size();
    if (is_standard(node, "Gemm") || is_standard(node, "MatMul") || einsum_product(node)) {
      add_product(node);
    } else {
      add_host(node);
    }
    if (recorder == nullptr) return;
    const Layer* const as_layer = network_.fc_layers.size() > lowered ? &network_.fc_layers.back() : nullptr;
    if (network_.fully_connected.size() > products) {
      recorder->fully_connected(node, network_.fully_connected.back(), as_layer ? lowered : products, as_layer);
    } else if (as_layer) {
      recorder->matrix_product(node, *as_layer, lowered);
    } else {
      recorder->host(node);
    }
  }

  bool took_branch(const NodeProto& node) {
    const std::string label = OnnxGraph::label(node);
    const auto condition = graph_.take_branch(node);
    if (condition && !graph_.has_batch()) {
      branches_.push_back(fmt::format("{}: If node {}: the file gives no batch; the {} branch of one image is taken",
                                      graph_.path(), label, *condition ? "then" : "else"));
    }
    return condition.has_value();
  }

  std::string layer_name(const NodeProto& node);
  WindowAttributes window(const NodeProto& node, std::size_t rank) const;  // complete
  Shape weight_shape(const NodeProto& node, int slot = 1) const;
  Shape input_shape(const NodeProto& node, const Shape& weights) const;
  int layer_batch(const NodeProto& node, std::int64_t images) const;
  void pad(const NodeProto& node, std::vector<LayerAxis>& axes) const;
  void transpose(const NodeProto& node, std::vector<LayerAxis>& axes) const;
  std::int64_t fold_depth(const NodeProto& node, Layer& layer, const LayerAxis& depth) const;
  void add_layer(const NodeProto& node, Layer layer, const Shape& result);
  void add_convolution(const NodeProto& node);
  bool is_pointwise(const NodeProto& node) const;
  void add_pointwise(const NodeProto& node);
  std::optional<Layer> matrix_product(const NodeProto& node);
  void add_product(const NodeProto& node);
  void add_host(const NodeProto& node);

  OnnxGraph graph_;
  ImportOptions options_;
  Network network_;
  std::unordered_set<std::string> names_;
  std::vector<std::string> branches_;  // warnings about branches taken
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

WindowAttributes Importer::window(const NodeProto& node, std::size_t rank) const {
  try {
    return window_of(node).of_rank(rank);
  } catch (const Error& error) {
    graph_.fail(node, error.what());
  }
}

Shape Importer::weight_shape(const NodeProto& node, int slot) const {
  if (node.input_size() <= slot || node.input(slot).empty()) {
    graph_.fail(node, fmt::format("has no weights; {} operands are needed", slot == 1 ? "two" : "more"));
  }
  const auto shape = graph_.shape(node.input(slot));
  if (!shape) {
    graph_.fail(node, fmt::format("the shape of its weights {} is not known; an initializer, a graph input or a "
                                  "value_info must give it",
                                  node.input(slot)));
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

// Sets the padding of a convolution's axes, which have their other sizes.
void Importer::pad(const NodeProto& node, std::vector<LayerAxis>& axes) const {
  const AttributeProto* attribute = find_attribute(node, "auto_pad");
  const std::string mode = attribute == nullptr || attribute->s().empty() ? "NOTSET" : attribute->s();
  const std::vector<std::int64_t> pads = window(node, axes.size()).pads;
  if (mode == "NOTSET") {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      axes[i].pad_begin = static_cast<int>(pads[i]);
      axes[i].pad_end = static_cast<int>(pads[i + axes.size()]);
    }
    return;
  }
  if (std::any_of(pads.begin(), pads.end(), [](std::int64_t p) { return p != 0; })) {
    graph_.fail(node, fmt::format("has pads and auto_pad {}; only one of them is allowed", mode));
  }
  if (mode == "VALID") return;
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    graph_.fail(node, fmt::format("auto_pad is {}; NOTSET, VALID, SAME_UPPER and SAME_LOWER are allowed", mode));
  }
  for (LayerAxis& axis : axes) {
    const std::int64_t extent = std::int64_t{axis.dilation} * (axis.kernel - 1) + 1;
    const SamePads zeros = same_pads(axis.size, axis.stride, extent, mode == "SAME_UPPER");
    if (zeros.begin + zeros.end > kLargestDim / 2) {
      graph_.fail(node, fmt::format("needs {} zeros of padding; that is too much", zeros.begin + zeros.end));
    }
    axis.pad_begin = static_cast<int>(zeros.begin);
    axis.pad_end = static_cast<int>(zeros.end);
  }
}

// Turns the axes of a transposed convolution into those of the convolution that it transposes.
void Importer::transpose(const NodeProto& node, std::vector<LayerAxis>& axes) const {
  std::vector<std::int64_t> sizes, extents;
  for (const LayerAxis& axis : axes) {
    sizes.push_back(axis.size);
    extents.push_back(std::int64_t{axis.dilation} * (axis.kernel - 1) + 1);
  }
  std::vector<TransposedAxis> results;
  try {
    results = transposed_axes(node, sizes, extents);
  } catch (const Error& error) {
    graph_.fail(node, error.what());
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const TransposedAxis& result = results[i];
    // Zeros at the end with which the convolution of the result has as many outputs as the node has inputs.
    const std::int64_t stride = axes[i].stride;
    const std::int64_t least = stride * (sizes[i] - 1) + extents[i] - result.out - result.pad_begin;
    const std::int64_t end = std::max<std::int64_t>(least, 0);
    if (result.pad_begin < 0 || end > least + stride - 1 || result.pad_begin > kLargestDim / 4 ||
        end > kLargestDim / 4) {
      graph_.fail(node,
                  fmt::format("its result has {} samples along an axis, but {} inputs with stride {} and a kernel "
                              "of {} give at most {}",
                              result.out, sizes[i], stride, extents[i],
                              stride * sizes[i] - 1 + std::max<std::int64_t>(extents[i], 1)));
    }
    axes[i].size = static_cast<int>(result.out);
    axes[i].pad_begin = static_cast<int>(result.pad_begin);
    axes[i].pad_end = static_cast<int>(end);
  }
}

// The input of a convolution: batch, channels, and as many sizes as its weights have.
Shape Importer::input_shape(const NodeProto& node, const Shape& weights) const {
  const auto input = graph_.shape(node.input(0));
  if (!input) {
    graph_.fail(node, fmt::format("not even the rank of its input {} is known{}; an input of rank {} with static "
                                  "channels and sizes is needed",
                                  node.input(0), graph_.problem(node.input(0)), weights.size()));
  }
  if (input->size() != weights.size()) {
    graph_.fail(node, fmt::format("its input is {}, but its weights are {}; equal ranks are needed", dims_text(*input),
                                  dims_text(weights)));
  }
  if (std::any_of(input->begin() + 1, input->end(), [](std::int64_t d) { return d < 1 || d > kLargestDim; })) {
    graph_.fail(node, fmt::format("its input is {}, but channels and sizes must be static and 1 to {}{}",
                                  dims_text(*input), kLargestDim, graph_.dynamic_hint()));
  }
  return *input;
}

void Importer::add_convolution(const NodeProto& node) {
  const ConvolutionSlots slots = convolution_slots(node);
  if (node.output_size() != 1) graph_.fail(node, fmt::format("has {} outputs, but 1 is needed", node.output_size()));
  if (is_standard(node, "Conv") && node.input_size() > 3) {
    graph_.fail(node, fmt::format("has {} operands; 2 or 3 are allowed", node.input_size()));
  }
  const bool transposed = is_standard(node, "ConvTranspose");
  const Shape weights = weight_shape(node, slots.weights);
  constexpr std::size_t kLeast = 3, kMost = 5;
  if (weights.size() < kLeast || weights.size() > kMost) {
    graph_.fail(node, fmt::format("its weights are {}; convolutions of 1 to 3 dimensions, with weights of rank 3 to 5, "
                                  "are supported",
                                  dims_text(weights)));
  }
  const std::size_t rank = weights.size() - 2;
  if (transposed && rank == 3) {
    graph_.fail(node,
                "is a transposed convolution of 3 dimensions, whose taps overlap in depth and would be summed by "
                "the host; 1 and 2 dimensions are supported: a Resize and a Conv of 3 dimensions can take its place");
  }
  if (std::any_of(weights.begin(), weights.end(), [](std::int64_t d) { return d < 1 || d > kLargestDim; })) {
    graph_.fail(node, fmt::format("its weights are {}, but every dimension must be static and 1 to {}",
                                  dims_text(weights), kLargestDim));
  }
  const Shape ifm = input_shape(node, weights);
  const auto [kernel, strides, dilations, pads, ceil_mode] = window(node, rank);
  if (!kernel.empty() && !std::equal(kernel.begin(), kernel.end(), weights.begin() + 2)) {
    graph_.fail(node, fmt::format("kernel_shape is {}, but its weights are {}", dims_text(kernel), dims_text(weights)));
  }
  const std::int64_t groups = integer_or(node, "group", 1);
  const std::int64_t filters =
      transposed ? groups * std::min(weights[1], kLargestDim / std::max<std::int64_t>(groups, 1)) : weights[0];
  if (groups < 1 || groups > kLargestDim || ifm[1] % groups != 0 || filters % groups != 0) {
    graph_.fail(node, fmt::format("group is {}, but it must be at least 1 and divide its {} channels and {} filters",
                                  groups, ifm[1], filters));
  }
  const std::int64_t taken = transposed ? weights[0] : weights[1], given = transposed ? ifm[1] : ifm[1] / groups;
  if (given != taken) {
    graph_.fail(node, fmt::format("its input has {} channels in {} groups, but its weights {} take {}{}", ifm[1],
                                  groups, dims_text(weights), taken, transposed ? "" : " each"));
  }
  std::vector<LayerAxis> axes(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    axes[i].size = static_cast<int>(ifm[2 + i]);
    axes[i].kernel = static_cast<int>(weights[2 + i]);
    axes[i].stride = static_cast<int>(strides[i]);
    axes[i].dilation = static_cast<int>(dilations[i]);
  }
  Layer layer;
  if (transposed) {
    transpose(node, axes);
  } else {
    pad(node, axes);
  }
  layer.transposed = transposed;
  layer.batch = layer_batch(node, ifm[0]);
  layer.channels = static_cast<int>(transposed ? filters : ifm[1]);
  layer.filters = static_cast<int>(transposed ? ifm[1] : filters);
  layer.groups = static_cast<int>(groups);
  layer.w = axes[rank - 1];
  if (rank > 1) layer.h = axes[rank - 2];
  layer.name = layer_name(node);
  Shape result{ifm[0], filters};
  if (rank == 3) {
    result.push_back(fold_depth(node, layer, axes[0]));
  }
  if (rank > 1) result.push_back(transposed ? layer.h.size : layer.h.out());
  result.push_back(transposed ? layer.w.size : layer.w.out());
  add_layer(node, std::move(layer), result);
  if (slots.bias > 0) {
    try {
      check_bias(node, slots.bias, filters, [&](const std::string& tensor) { return graph_.shape(tensor); });
    } catch (const Error& error) {
      graph_.fail(node, error.what());
    }
  }
}

// Makes a convolution of three dimensions one of two: each depth of the result is an image, and the taps of depth are
// channels, in the order in which the weights have them. Returns the depth of the result.
std::int64_t Importer::fold_depth(const NodeProto& node, Layer& layer, const LayerAxis& depth) const {
  Layer alone = layer;  // names the axis if there is no output
  alone.h = depth;
  alone.w = {};
  std::int64_t images = 0, channels = 0;
  try {
    check(alone);
    images = checked::product("the images of a layer", {layer.batch, depth.out()});
    channels = checked::product("the channels of a layer", {layer.channels, depth.kernel});
  } catch (const Error& error) {
    graph_.fail(node, error.what());
  }
  if (images > kLargestDim || channels > kLargestDim) {
    graph_.fail(node, fmt::format("its depth gives {} images of {} channels; at most {} are allowed", images, channels,
                                  kLargestDim));
  }
  layer.batch = static_cast<int>(images);
  layer.channels = static_cast<int>(channels);
  return depth.out();
}

void Importer::add_layer(const NodeProto& node, Layer layer, const Shape& result) {
  layer.from_graph_input = graph_.reads_input(node.input(0));
  try {
    check(layer);
  } catch (const Error& error) {
    graph_.fail(node, error.what());
  }
  graph_.set_output(node, result);
  network_.layers.push_back(std::move(layer));
}

// True if the node is a product with a constant matrix along the channels of maps: a 1x1 convolution.
bool Importer::is_pointwise(const NodeProto& node) const {
  const auto product = einsum_product(node);
  if (!product || product->axis != 1 || !graph_.is_constant(node.input(1))) return false;
  const auto input = graph_.shape(node.input(0)), weights = graph_.shape(node.input(1));
  return input && weights && weights->size() == 2 && (input->size() == 3 || input->size() == 4);
}

void Importer::add_pointwise(const NodeProto& node) {
  Shape weights = weight_shape(node);
  if (!einsum_product(node)->outputs_first) std::swap(weights[0], weights[1]);
  weights.resize(graph_.shape(node.input(0))->size(), 1);
  if (std::any_of(weights.begin(), weights.end(), [](std::int64_t d) { return d < 1 || d > kLargestDim; })) {
    graph_.fail(node, fmt::format("its weights are {}, but both dimensions must be static and 1 to {}",
                                  dims_text(*graph_.shape(node.input(1))), kLargestDim));
  }
  const Shape ifm = input_shape(node, weights);
  Layer layer;
  layer.batch = layer_batch(node, ifm[0]);
  layer.channels = static_cast<int>(ifm[1]);
  layer.filters = static_cast<int>(weights[0]);
  layer.w.size = static_cast<int>(ifm.back());
  if (ifm.size() == 4) layer.h.size = static_cast<int>(ifm[2]);
  layer.name = layer_name(node);
  Shape result = ifm;
  result[1] = weights[0];
  add_layer(node, std::move(layer), result);
}

void Importer::add_product(const NodeProto& node) {
  const bool gemm = node.op_type() == "Gemm";
  const bool constant_matrix = node.input_size() >= 2 && graph_.is_constant(node.input(1));
  // Products of two computed tensors, or with data as second operand, have no weights to train.
  if (!constant_matrix || (gemm && integer_or(node, "transA", 0) != 0)) {
    if (auto layer = options_.lower_matmul ? matrix_product(node) : std::nullopt) {
      network_.fc_layers.push_back(std::move(*layer));
      return;
    }
    return add_host(node);
  }
  const auto einsum = einsum_product(node);
  if (einsum && einsum->axis + 1 != graph_.shape(node.input(0)).value_or(Shape(1)).size()) return add_host(node);
  const Shape weights = weight_shape(node);
  if (weights.size() != 2) {
    if (!gemm) return add_host(node);  // batched product
    graph_.fail(node, fmt::format("its weights are {}, but a matrix is needed", dims_text(weights)));
  }
  if (std::any_of(weights.begin(), weights.end(), [](std::int64_t d) { return d < 1 || d > kLargestDim; })) {
    graph_.fail(node, fmt::format("its weights are {}, but both dimensions must be static and 1 to {}",
                                  dims_text(weights), kLargestDim));
  }
  const bool transposed = einsum ? einsum->outputs_first : gemm && integer_or(node, "transB", 0) != 0;
  FullyConnected fc;
  fc.in_features = weights[transposed ? 1 : 0];
  fc.out_features = weights[transposed ? 0 : 1];
  fc.from_graph_input = graph_.reads_input(node.input(0));
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

// Products of two computed matrices as a convolution: a group for each product, its rows are the pixels of a map, the
// second matrix has its 1x1 weights. Nothing if the operands are not equally many matrices of known sizes.
std::optional<Layer> Importer::matrix_product(const NodeProto& node) {
  const bool gemm = is_standard(node, "Gemm");
  if (node.input_size() != 2 || node.output_size() != 1 || !(gemm || is_standard(node, "MatMul"))) return std::nullopt;
  auto a = graph_.shape(node.input(0)), b = graph_.shape(node.input(1));
  if (!a || !b || a->size() < 2 || a->size() != b->size()) return std::nullopt;
  if (gemm && integer_or(node, "transA", 0) != 0) std::swap((*a)[0], (*a)[1]);
  if (gemm && integer_or(node, "transB", 0) != 0) std::swap((*b)[0], (*b)[1]);
  const std::size_t last = a->size() - 1;
  const bool known = std::all_of(a->begin(), a->end(), [](std::int64_t d) { return d > 0; }) && b->back() > 0 &&
                     (*a)[last] == (*b)[last - 1] && std::equal(a->begin(), a->end() - 2, b->begin());
  if (!known) return std::nullopt;
  std::int64_t products = 1;
  for (std::size_t i = 0; i + 2 < a->size(); ++i) {
    if (__builtin_mul_overflow(products, (*a)[i], &products)) graph_.fail(node, "has too many products to count");
  }
  if (last < 2) products = graph_.batch();  // matrices of an image have no dimension for the batch
  const std::int64_t groups = layer_batch(node, products);
  const std::int64_t channels = checked::product("the channels of a layer", {groups, a->back()});
  const std::int64_t filters = checked::product("the filters of a layer", {groups, b->back()});
  if (channels > kLargestDim || filters > kLargestDim) {
    graph_.fail(node, fmt::format("its {} products have {} channels and {} filters; at most {} are allowed", groups,
                                  channels, filters, kLargestDim));
  }
  Layer layer;
  layer.name = layer_name(node);
  layer.groups = static_cast<int>(groups);
  layer.channels = static_cast<int>(channels);
  layer.filters = static_cast<int>(filters);
  layer.w.size = static_cast<int>((*a)[last - 1]);
  try {
    check(layer);
  } catch (const Error& error) {
    graph_.fail(node, error.what());
  }
  return layer;
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
