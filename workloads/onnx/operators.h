#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/onnx/graph.h"

// Operators of the ONNX domain by opset. Internal to workloads/. libonnx describes those up to opset kLibraryOpset,
// whichever version is installed; a table describes what later opsets add, and operators whose shapes libonnx does not
// infer.
namespace weft::workloads {

inline constexpr int kLibraryOpset = 17;  // the newest that every supported libonnx knows
inline constexpr int kNewestOpset = 24;

// Attributes and operands that a node of an operator may have.
struct Signature {
  struct Attribute {
    int type = 0;  // AttributeProto::AttributeType
    bool required = false;
  };
  int since = 1;  // opset
  std::map<std::string, Attribute> attributes;
  int min_inputs = 0, max_inputs = 0, min_outputs = 1, max_outputs = 1;
};

// Operands of a node as a rule reads them: shapes, and the values of constants, if known.
struct Operands {
  const onnx::NodeProto& node;
  std::function<std::optional<Shape>(const std::string& tensor)> shape_of;
  std::function<std::optional<std::vector<std::int64_t>>(const std::string& tensor)> integers_of;
  std::function<std::optional<std::vector<double>>(const std::string& tensor)> reals_of;

  bool has(int slot) const { return slot < node.input_size() && !node.input(slot).empty(); }
  std::optional<Shape> shape(int slot) const { return has(slot) ? shape_of(node.input(slot)) : std::nullopt; }
  std::optional<std::vector<std::int64_t>> integers(int slot) const {
    return has(slot) ? integers_of(node.input(slot)) : std::nullopt;
  }
  std::optional<std::vector<double>> reals(int slot) const {
    return has(slot) ? reals_of(node.input(slot)) : std::nullopt;
  }
};

using Shapes = std::vector<std::optional<Shape>>;  // of a node's outputs; may end early

// Shapes of Attention: the result, keys and values with those of the past, and the products of queries and keys. Throws
// Error if the operands do not fit.
Shapes attention(const Operands& operands);

// Nodes by which the standard defines another node.
struct Parts {
  std::vector<onnx::NodeProto> nodes;  // in order; no nodes if the definition is not known
  std::vector<std::string> fixed;      // operands that are tables and are not trained
};

// The definition of Attention and RotaryEmbedding, if all shapes are known. `real_mask`: a mask of Attention is added
// as it is, else it is of truth values. Throws Error if operands and attributes contradict each other.
Parts parts_of(const onnx::NodeProto& node, const Operands& operands, bool real_mask);

// Infers the shapes of a node's outputs. Throws Error if operands and attributes contradict each other.
using ShapeRule = Shapes (*)(const Operands& operands);

// Operator of an opset as the table describes it.
struct TabledOperator {
  Signature signature;  // its attributes; if `extends`, those that libonnx describes are valid, too
  bool extends = false;
  ShapeRule infer = nullptr;  // null: libonnx infers if `extends`; else only the file gives the shapes
};

// Entry of the table for an operator of the ONNX domain; null if libonnx alone describes it.
const TabledOperator* tabled_operator(const std::string& op, int opset);

// Returns the signature of the operator; nothing for an operator that is in no opset up to `opset`.
std::optional<Signature> signature_of(const std::string& op, int opset);

// Type of the elements of output `slot`, if it is not that of the first operand: operand that has it, or a type.
struct ElementRule {
  int operand = 0;
  int type = 0;  // onnx::TensorProto::DataType; 0: that of the operand
};
ElementRule element_rule(const onnx::NodeProto& node);

// Operands of a convolution of the ONNX domain that becomes a layer; 0: there is none.
struct ConvolutionSlots {
  int weights = 0, bias = 0;
};
ConvolutionSlots convolution_slots(const onnx::NodeProto& node);

// Spatial sizes of the output and zeros of a ConvTranspose: stride * (size - 1) + output_padding + extent - zeros, or
// output_shape, from which the zeros follow. `extents`: the dilated kernels. Throws Error if an attribute does not fit.
struct TransposedAxis {
  std::int64_t out = 1, pad_begin = 0, pad_end = 0;
};
std::vector<TransposedAxis> transposed_axes(const onnx::NodeProto& node, const std::vector<std::int64_t>& sizes,
                                            const std::vector<std::int64_t>& extents);

// Operands of an Einsum that multiplies data by a constant matrix along one dimension: equation "nchw,oc->nohw".
struct EinsumProduct {
  std::size_t axis = 0;       // of the data: dimension that is summed over
  bool outputs_first = true;  // matrix [outputs][inputs]
};
std::optional<EinsumProduct> einsum_product(const onnx::NodeProto& node);

}  // namespace weft::workloads
