#pragma once

#include <onnx/onnx_pb.h>

#include <functional>
#include <string>
#include <unordered_map>

// Internal to workloads/.
namespace weft::workloads {

// Reports an error about a node, or about what `key` names; must throw.
struct ExpandErrors {
  std::function<void(const onnx::NodeProto&, const std::string& message)> node;
  std::function<void(const std::string& key, const std::string& message)> other;
};

// Replaces nodes of the main graph by nodes of the ONNX domain that compute the same: a call of a function of the file
// by the function's nodes, an If with a constant condition by the branch taken, and FusedConv (com.microsoft) by Conv
// and its activation. Names from a function or branch get the name of the node as prefix. `conditions`: values of
// computed conditions, by tensor, which count as constant.
void expand(onnx::ModelProto& model, const ExpandErrors& errors,
            const std::unordered_map<std::string, bool>& conditions = {});

}  // namespace weft::workloads
