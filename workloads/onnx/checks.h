#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workloads/onnx/graph.h"
#include "workloads/onnx/operators.h"

// Consistency checks of operands, results and attributes that libonnx omits. Internal to workloads/. Each check throws
// Error with the fault; the caller names the node.
namespace weft::workloads {

// Readers of the attributes of ONNX nodes. Internal to workloads/.
bool is_standard(const onnx::NodeProto& node, const char* op);
const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, const char* name);
std::int64_t integer_or(const onnx::NodeProto& node, const char* name, std::int64_t fallback);
double real_or(const onnx::NodeProto& node, const char* name, double fallback);
std::vector<std::int64_t> integers_of(const onnx::NodeProto& node, const char* name);  // empty if missing

// Window attributes of a node; each is empty if missing.
struct WindowAttributes {
  std::vector<std::int64_t> kernel, strides, dilations, pads;
  bool ceil_mode = false;

  // Returns them with strides and dilations of 1 and pads of 0 where they are missing, for `rank` axes. Throws Error
  // that names an attribute with another number of values.
  WindowAttributes of_rank(std::size_t rank) const;
};
WindowAttributes window_of(const onnx::NodeProto& node);

// Zeros before and after an axis of `size` for auto_pad SAME: ceil(size / stride) outputs. `extent`: the dilated
// kernel.
struct SamePads {
  std::int64_t begin = 0, end = 0;
};
SamePads same_pads(std::int64_t size, std::int64_t stride, std::int64_t extent, bool upper);

using ShapeOf = std::function<std::optional<Shape>(const std::string& tensor)>;

// Text of a shape: "1x4x?x8", "scalar".
std::string dims_text(const Shape& shape);

// Check that attributes are known, unique, of the right type and complete, and that the numbers of operands and results
// are allowed.
void check_attributes(const onnx::NodeProto& node, const Signature& allowed);
void check_counts(const onnx::NodeProto& node, const Signature& allowed);

// Checks that scales, shifts, slopes, biases and matrices match the size of their operands, as far as shapes are known.
void check_parameters(const onnx::NodeProto& node, int opset, const ShapeOf& shape);
// Checks the bias of a convolution of `filters`, operand `slot` of the node.
void check_bias(const onnx::NodeProto& node, int slot, std::int64_t filters, const ShapeOf& shape);

// Output shape of MaxPool, AveragePool or LpPool; nothing for another operator, or if attributes do not match the rank
// of `input`. With ceil_mode a window that exceeds the padding counts if it begins inside the input or the padding
// before it.
std::optional<Shape> pool_shape(const onnx::NodeProto& node, const Shape& input);

}  // namespace weft::workloads
