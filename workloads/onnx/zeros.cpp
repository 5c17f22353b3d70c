#include <fmt/core.h>
#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <utility>

#include "model/core/error.h"
#include "workloads/onnx/checks.h"
#include "workloads/onnx/graph.h"
#include "workloads/onnx/import.h"

namespace weft::workloads {

namespace {

constexpr std::int64_t kMostValues = std::int64_t{1} << 31;  // protobuf's limit on bytes

// Bytes per value in raw data.
std::size_t value_bytes(const onnx::TensorProto& tensor) {
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT:
      return 4;
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::UINT8:
      return 1;
    default:
      return 0;
  }
}

// True if all bits but the sign of a float are 0. Raw data is little-endian.
bool is_zero(const std::string& raw, std::size_t begin, std::size_t bytes) {
  unsigned all = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(raw[begin + i]);
    all |= bytes == 4 && i == 3 ? byte & 0x7FU : byte;
  }
  return all == 0;
}

// Uses of a matrix by the operators of a graph: [outputs][inputs], [inputs][outputs], or neither.
struct Use {
  bool outputs_first = false, inputs_first = false;
  std::string unknown;  // operator with another use
};

// Collects the uses of `tensor`, stored as it is used or, if `turned`, transposed. Gemm multiplies by its B, transposed
// or not, MatMul by its second operand; operators that pass a matrix on are followed.
void collect_use(const onnx::GraphProto& graph, const std::string& tensor, bool turned, int depth, Use& use) {
  constexpr int kDeepest = 8;  // deeper means a cycle
  for (const onnx::NodeProto& node : graph.node()) {
    for (int i = 0; i < node.input_size(); ++i) {
      if (node.input(i) != tensor) continue;
      const auto found = [&](bool inputs_first) {
        (inputs_first == turned ? use.outputs_first : use.inputs_first) = true;
      };
      const bool passes = is_standard(node, "Identity") || is_standard(node, "Cast") ||
                          is_standard(node, "DequantizeLinear") || is_standard(node, "QuantizeLinear");
      if (is_standard(node, "Gemm") && i == 1) {
        found(integer_or(node, "transB", 0) == 0);
      } else if (is_standard(node, "MatMul") && i == 1) {
        found(true);
      } else if (depth < kDeepest && i == 0 && node.output_size() > 0 && passes) {
        collect_use(graph, node.output(0), turned, depth + 1, use);
      } else if (depth < kDeepest && is_standard(node, "Transpose") && node.output_size() > 0) {
        const bool stays = integers_of(node, "perm") == std::vector<std::int64_t>{0, 1};
        collect_use(graph, node.output(0), turned == stays, depth + 1, use);
      } else {
        use.unknown = node.op_type();
      }
    }
  }
}

void transpose(KeptKernels& kernels) {
  const std::vector<bool> stored = kernels.kept;
  std::swap(kernels.outputs, kernels.inputs);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const auto outputs = static_cast<std::size_t>(kernels.outputs), inputs = static_cast<std::size_t>(kernels.inputs);
    kernels.kept[i % outputs * inputs + i / outputs] = stored[i];
  }
}

// Transposes a matrix stored as [inputs][outputs], which the shape of a square one does not show.
void turn_as_used(const onnx::GraphProto& graph, const std::string& path, KeptKernels& kernels) {
  Use use;
  collect_use(graph, kernels.weight, false, 0, use);
  if (use.unknown.empty() && use.outputs_first != use.inputs_first) {
    if (use.inputs_first) transpose(kernels);
    return;
  }
  const std::string why = !use.unknown.empty() ? "operator " + use.unknown + " uses it"
                          : use.outputs_first  ? "operators use it in both orders"
                                               : "no operator uses it";
  throw InputError(path, 0, "initializer " + kernels.weight,
                   fmt::format("which of its dimensions are outputs is not known: {}; allowed: a matrix that Gemm or "
                               "MatMul multiplies by",
                               why));
}

KeptKernels kept_of(const onnx::TensorProto& tensor, const std::string& path) {
  const auto fail = [&](const std::string& message) -> InputError {
    return {path, 0, "initializer " + tensor.name(), message};
  };
  std::int64_t values = 1;
  for (const std::int64_t dim : tensor.dims()) {
    if (dim < 1 || dim > kLargestDim) throw fail(fmt::format("has a dimension of {}; allowed: 1 or more", dim));
    values *= dim;
    if (values > kMostValues) throw fail(fmt::format("has more than {} values", kMostValues));
  }
  const std::size_t bytes = value_bytes(tensor);
  if (bytes == 0) throw fail("has a type whose zeros cannot be read; allowed: FLOAT, INT8, UINT8");
  const auto count = static_cast<std::size_t>(values);
  const bool floats = tensor.raw_data().empty() && tensor.data_type() == onnx::TensorProto::FLOAT;
  const bool complete =
      floats ? static_cast<std::size_t>(tensor.float_data_size()) == count : tensor.raw_data().size() == count * bytes;
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL || !complete) {
    throw fail(fmt::format("does not have its {} values in the file", count));
  }
  KeptKernels kernels;
  kernels.weight = tensor.name();
  kernels.outputs = static_cast<int>(tensor.dims(0));
  kernels.inputs = static_cast<int>(tensor.dims(1));
  const std::size_t all = static_cast<std::size_t>(kernels.outputs) * static_cast<std::size_t>(kernels.inputs);
  const std::size_t taps = count / all;
  kernels.kept.assign(all, false);
  for (std::size_t i = 0; i < count; ++i) {
    const bool zero =
        floats ? tensor.float_data(static_cast<int>(i)) == 0 : is_zero(tensor.raw_data(), i * bytes, bytes);
    if (!zero) kernels.kept[i / taps] = true;
  }
  return kernels;
}

}  // namespace

std::vector<KeptKernels> read_kept_kernels(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  onnx::ModelProto model;
  if (!file || !model.ParseFromIstream(&file) || !model.has_graph()) {
    throw InputError(path, 0, "", "is not an ONNX model with a graph");
  }
  std::vector<KeptKernels> all;
  for (const onnx::TensorProto& tensor : model.graph().initializer()) {
    const std::string suffix = ".weight", &name = tensor.name();
    const bool weight =
        name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
    if (!weight || tensor.dims_size() < 2) continue;
    all.push_back(kept_of(tensor, path));
    if (tensor.dims_size() == 2) turn_as_used(model.graph(), path, all.back());
  }
  return all;
}

}  // namespace weft::workloads
