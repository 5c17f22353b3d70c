#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace weft::workloads {

inline constexpr std::int64_t kUnknownDim = -1;
using Shape = std::vector<std::int64_t>;  // kUnknownDim where a dimension is not static

// An ONNX file, parsed and with its shapes inferred: the importer's view of the graph. Internal to workloads/.
// The constructor throws InputError for whatever cannot be read as a graph with consistent names and shapes, and for
// attributes that no operator may have: libonnx divides by strides and trusts sizes.
class OnnxGraph {
 public:
  explicit OnnxGraph(const std::string& path);

  const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes() const { return model_.graph().node(); }
  std::int64_t batch() const { return batch_; }  // images the shapes are inferred for: the file's own batch, or 1

  // Nothing if not even the rank is known.
  std::optional<Shape> shape(const std::string& tensor) const;
  bool is_input(const std::string& tensor) const { return inputs_.count(tensor) != 0; }  // of the network, no weight
  bool is_constant(const std::string& tensor) const { return constants_.count(tensor) != 0; }
  bool is_constant(const onnx::NodeProto& node) const;  // all its operands are

  static std::string label(const onnx::NodeProto& node);  // its name, or what stands for it
  [[noreturn]] void fail(const onnx::NodeProto& node, const std::string& message) const;

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  void parse();
  void drop_data();
  void check_names() const;
  void check_attributes() const;
  void find_constants();
  void fix_dimensions();
  void infer_shapes();
  void forget_declared_shapes();

  std::string path_;
  onnx::ModelProto model_;
  std::int64_t batch_ = 1;
  std::unordered_set<std::string> inputs_, constants_;
  std::unordered_map<std::string, Shape> shapes_;
};

}  // namespace weft::workloads
