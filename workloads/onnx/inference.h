#pragma once

#include <onnx/shape_inference/implementation.h>

#include <string>
#include <type_traits>
#include <unordered_map>

namespace weft::workloads {

// Inference context of libonnx for a node: types and data of tensors by name, and values of computed integers, which
// propagate. onnx 1.12 has no options before the values, and 1.17 takes a pointer for options.
template <class Types, class Data, class Values, class Context = onnx::shape_inference::InferenceContextImpl>
Context inference_context(onnx::NodeProto& node, const Types& types, const Data& data, Values& values) {
  using Sparse = std::unordered_map<std::string, const onnx::SparseTensorProto*>;
  if constexpr (std::is_constructible_v<Context, onnx::NodeProto&, const Types&, const Data&, const Sparse&,
                                        const onnx::ShapeInferenceOptions&, Values*>) {
    return Context(node, types, data, Sparse(), onnx::ShapeInferenceOptions(), &values);
  } else {
    return Context(node, types, data, Sparse(), &values);
  }
}

}  // namespace weft::workloads
