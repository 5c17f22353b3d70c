#include "workloads/onnx/attributes.h"

#include <algorithm>

namespace weft::workloads {

using onnx::AttributeProto;
using onnx::NodeProto;

bool is_standard(const NodeProto& node, const char* op) {
  return node.op_type() == op && (node.domain().empty() || node.domain() == "ai.onnx");
}

const AttributeProto* find_attribute(const NodeProto& node, const char* name) {
  const auto found = std::find_if(node.attribute().begin(), node.attribute().end(),
                                  [&](const AttributeProto& a) { return a.name() == name; });
  return found == node.attribute().end() ? nullptr : &*found;
}

std::int64_t integer_or(const NodeProto& node, const char* name, std::int64_t fallback) {
  const AttributeProto* attribute = find_attribute(node, name);
  return attribute == nullptr ? fallback : attribute->i();
}

double real_or(const NodeProto& node, const char* name, double fallback) {
  const AttributeProto* attribute = find_attribute(node, name);
  return attribute == nullptr ? fallback : static_cast<double>(attribute->f());
}

std::vector<std::int64_t> integers_of(const NodeProto& node, const char* name) {
  const AttributeProto* attribute = find_attribute(node, name);
  if (attribute == nullptr) return {};
  return {attribute->ints().begin(), attribute->ints().end()};
}

SamePads same_pads(std::int64_t size, std::int64_t stride, std::int64_t extent, bool upper) {
  const std::int64_t out = (size + stride - 1) / stride;
  const std::int64_t zeros = std::max<std::int64_t>((out - 1) * stride + extent - size, 0);
  const std::int64_t begin = upper ? zeros / 2 : zeros - zeros / 2;  // the odd zero goes to one side
  return {begin, zeros - begin};
}

}  // namespace weft::workloads
