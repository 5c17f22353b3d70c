#pragma once

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workloads/onnx/graph.h"

// What an operator's operands, results and attributes must be to each other where libonnx does not look. Internal to
// workloads/. Each check throws Error that says what is wrong; the caller names the node.
namespace weft::workloads {

// Reads attributes of ONNX nodes. Internal to workloads/.
bool is_standard(const onnx::NodeProto& node, const char* op);
const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, const char* name);
std::int64_t integer_or(const onnx::NodeProto& node, const char* name, std::int64_t fallback);
double real_or(const onnx::NodeProto& node, const char* name, double fallback);
std::vector<std::int64_t> integers_of(const onnx::NodeProto& node, const char* name);  // empty if it is not there

// The attributes of a node's window; each is empty if it is not there.
struct WindowAttributes {
  std::vector<std::int64_t> kernel, strides, dilations, pads;
};
WindowAttributes window_of(const onnx::NodeProto& node);

// Zeros before and behind an axis of `size` for auto_pad SAME: as many outputs as strides fit into it. `extent` is the
// dilated kernel.
struct SamePads {
  std::int64_t begin = 0, end = 0;
};
SamePads same_pads(std::int64_t size, std::int64_t stride, std::int64_t extent, bool upper);

using ShapeOf = std::function<std::optional<Shape>(const std::string& tensor)>;

// As people read it: "1x4x?x8", "scalar".
std::string dims_text(const Shape& shape);

// Its attributes are of the operator, of the type that the schema says and given once, and none that it needs is
// missing; so many operands and results are allowed.
void check_attributes(const onnx::NodeProto& node, const onnx::OpSchema& schema);
void check_counts(const onnx::NodeProto& node, const onnx::OpSchema& schema);

// Scales, shifts, slopes, biases and matrices are as long as what they apply to, as far as shapes are known.
void check_parameters(const onnx::NodeProto& node, int opset, const ShapeOf& shape);
// The bias of a convolution of `filters`, operand `slot` of the node.
void check_bias(const onnx::NodeProto& node, int slot, std::int64_t filters, const ShapeOf& shape);

// The shape that MaxPool, AveragePool or LpPool gives; nothing for another operator, or where its attributes do not fit
// the rank of `input`. With ceil_mode a window that reaches beyond the padding counts if it begins inside the input or
// the padding before it.
std::optional<Shape> pool_shape(const onnx::NodeProto& node, const Shape& input);

}  // namespace weft::workloads
