#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <vector>

namespace weft::workloads {

// Reads attributes of ONNX nodes. Internal to workloads/.
bool is_standard(const onnx::NodeProto& node, const char* op);
const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, const char* name);
std::int64_t integer_or(const onnx::NodeProto& node, const char* name, std::int64_t fallback);
double real_or(const onnx::NodeProto& node, const char* name, double fallback);
std::vector<std::int64_t> integers_of(const onnx::NodeProto& node, const char* name);  // empty if it is not there

// Zeros before and behind an axis of `size` for auto_pad SAME: as many outputs as strides fit into it. `extent` is the
// dilated kernel.
struct SamePads {
  std::int64_t begin = 0, end = 0;
};
SamePads same_pads(std::int64_t size, std::int64_t stride, std::int64_t extent, bool upper);

}  // namespace weft::workloads
