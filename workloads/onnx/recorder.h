#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "workloads/graph/builder.h"
#include "workloads/graph/graph.h"
#include "workloads/onnx/graph.h"
#include "workloads/onnx/import.h"

namespace weft::workloads {

// Records the nodes of an ONNX file, in file order, as operators of a forward graph. Internal to workloads/. Throws
// InputError for a node whose tensors or work exceed 64 bits.
class OnnxRecorder {
 public:
  OnnxRecorder(const OnnxGraph& onnx, const std::string& name, const ImportOptions& options);

  // Record a node; call after its shapes were inferred.
  void constant(const onnx::NodeProto& node);
  // Constants that are not trained.
  void fix(const std::vector<std::string>& tensors) { fixed_.insert(tensors.begin(), tensors.end()); }
  void convolution(const onnx::NodeProto& node, const conv::Layer& layer, std::size_t index);
  // `lowered`: the layer as a convolution, or null; `index`: into the list that contains the layer.
  void fully_connected(const onnx::NodeProto& node, const FullyConnected& fc, std::size_t index,
                       const conv::Layer* lowered);
  // Products of two computed matrices as a convolution.
  void matrix_product(const onnx::NodeProto& node, const conv::Layer& layer, std::size_t index);
  void host(const onnx::NodeProto& node);

  Graph take();

 private:
  void add_convolution(const onnx::NodeProto& node, const ConvolutionOp& what);
  TensorId add_copy(const std::string& name, const std::string& result, const CopyOp& what, TensorId from,
                    const std::vector<std::int64_t>& shape);
  void add_fully_connected(const onnx::NodeProto& node, const std::string& layer, const FullyConnectedOp& given);
  void add_bias(const std::string& name, const std::string& bias, TensorId raw, const std::string& output,
                const BiasOp& what);
  void add_host(const onnx::NodeProto& node);
  void add_view(const onnx::NodeProto& node);
  void add_shape_arithmetic(const onnx::NodeProto& node);
  void add_pool(const onnx::NodeProto& node, PoolKind kind);
  void add_batch_norm(const onnx::NodeProto& node);
  void add_lrn(const onnx::NodeProto& node);
  void add_row_norm(const onnx::NodeProto& node);
  void add_softmax(const onnx::NodeProto& node);
  void add_activation(const onnx::NodeProto& node, Activation function);
  void add_product(const onnx::NodeProto& node);
  void add_reduce(const onnx::NodeProto& node, ReduceKind kind);
  void add_dropout(const onnx::NodeProto& node);
  // Adds an operator that reads the first input and writes all outputs.
  void add_of_first(const onnx::NodeProto& node, const Attributes& what);
  // Adds an operator that reads all inputs, and may require two.
  void add_of_all(const onnx::NodeProto& node, const Attributes& what);
  void add_unknown(const onnx::NodeProto& node, const std::string& problem);

  // Shape for the whole batch; nothing if unknown.
  std::optional<std::vector<std::int64_t>> batched(const std::string& tensor) const;
  TensorId data(const std::string& tensor);  // computed tensor or input
  TensorId weight(const std::string& tensor, const std::vector<std::int64_t>& shape);
  // Operand that is data or a weight; a weight if it can be trained; nothing for an operand that only gives a shape.
  std::optional<TensorId> operand(const std::string& tensor);
  std::vector<TensorId> operands(const onnx::NodeProto& node);
  TensorId output(const onnx::NodeProto& node, int slot = 0);
  std::vector<TensorId> outputs(const onnx::NodeProto& node);
  const Tensor& tensor(TensorId id) const { return builder_.graph().tensors[id]; }
  // Reason why the node has no price by its sizes; empty if it has one.
  std::string unsized(const onnx::NodeProto& node) const;
  bool computes_shapes(const onnx::NodeProto& node) const;
  template <class Add>
  void guarded(const onnx::NodeProto& node, Add add);

  const OnnxGraph& onnx_;
  ImportOptions options_;
  GraphBuilder builder_;
  std::unordered_map<std::string, TensorId> tensors_;        // computed tensors and inputs of the file
  std::unordered_map<std::string, TensorId> weights_;        // by the name of the parameter
  std::unordered_map<std::string, std::string> parameters_;  // name of the parameter that a constant passes on
  std::unordered_set<std::string> fixed_;                    // constants that are not parameters
  std::unordered_set<std::string> shape_values_;             // computed integers about shapes
};

}  // namespace weft::workloads
