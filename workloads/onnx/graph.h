#pragma once

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace weft::workloads {

inline constexpr std::int64_t kUnknownDim = -1;
inline constexpr std::int64_t kLargestDim = std::numeric_limits<int>::max();
using Shape = std::vector<std::int64_t>;  // kUnknownDim where a dimension is not static

// An ONNX file: its graph, and the shapes of its tensors as the importer walks through the nodes in order. Internal to
// workloads/.
//
// libonnx infers the shapes, node by node: its whole-graph inference gives up on everything where one node is odd, and
// reads beyond its arrays for convolutions whose ranks do not fit. Convolutions therefore are the importer's
// (set_output), and so are the shapes of pools, for libonnx counts windows that begin in the padding behind the input.
// The constructor throws InputError for whatever cannot be read as a graph with consistent names, for opsets that the
// installed libonnx does not know, and for attributes that an operator may not have: libonnx divides by strides and
// trusts sizes.
class OnnxGraph {
 public:
  explicit OnnxGraph(const std::string& path);
  OnnxGraph(const OnnxGraph&) = delete;  // data_ points into the model
  OnnxGraph& operator=(const OnnxGraph&) = delete;

  const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes() const { return model_.graph().node(); }
  const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& outputs() const { return model_.graph().output(); }
  const std::string& path() const { return path_; }
  int opset() const { return opsets_.at(""); }   // of the standard operators
  std::int64_t batch() const { return batch_; }  // images the shapes are for: the file's own batch, or 1

  // Infers the outputs of `node`; its inputs must have been inferred or set. What cannot be inferred is as declared.
  // Throws InputError where operands, attributes and results contradict each other.
  void infer(const onnx::NodeProto& node);
  // Sets the shape of the first output of `node`, which is of the type of its first input.
  void set_output(const onnx::NodeProto& node, const Shape& shape);

  // Nothing if not even the rank is known.
  std::optional<Shape> shape(const std::string& tensor) const;
  std::string problem(const std::string& tensor) const;  // " (why its shape is not known)", or nothing
  bool is_input(const std::string& tensor) const { return inputs_.count(tensor) != 0; }  // of the network, no weight
  bool is_constant(const std::string& tensor) const { return constants_.count(tensor) != 0; }
  bool is_constant(const onnx::NodeProto& node) const;          // all its operands are
  bool is_real(const std::string& tensor) const;                // of floating-point numbers, as far as is known
  std::optional<double> real(const std::string& tensor) const;  // what a constant of one number holds

  static std::string label(const onnx::NodeProto& node);  // its name, or what stands for it
  [[noreturn]] void fail(const onnx::NodeProto& node, const std::string& message) const;

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  void parse();
  void drop_data();
  void read_opsets();
  void check_names() const;
  void check_unique() const;
  void refuse_cycle() const;
  void check_attributes() const;
  void check_sizes(const onnx::NodeProto& node) const;
  void find_constants();
  void find_batch();
  void declare();
  void read_constant(const onnx::NodeProto& node);
  void fold_operands(const onnx::NodeProto& node);
  void fold_arithmetic(const onnx::NodeProto& node);
  std::optional<std::vector<std::int64_t>> integers(const std::string& tensor) const;
  void check_inferable(const onnx::NodeProto& node, const onnx::OpSchema& schema) const;
  bool complete(const onnx::NodeProto& node) const;
  std::string contradiction(const onnx::NodeProto& node, const std::string& reason) const;
  void check_elements(const onnx::NodeProto& node) const;
  const onnx::OpSchema* schema(const onnx::NodeProto& node) const;

  std::string path_;
  onnx::ModelProto model_;
  std::int64_t batch_ = 1;
  bool static_batch_ = false;                    // the file says it
  std::unordered_map<std::string, int> opsets_;  // of each domain
  std::unordered_set<std::string> inputs_, constants_;
  std::unordered_map<std::string, onnx::TypeProto> declared_, types_;  // of tensors; the file's word, and what is known
  std::unordered_map<std::string, onnx::TypeProto*> type_of_;          // types_, as libonnx takes them
  std::unordered_map<std::string, const onnx::TensorProto*> data_;     // of constants
  std::unordered_map<std::string, onnx::TensorShapeProto> values_;  // of computed integers: Shape, Gather, Concat, ...
  std::unordered_map<std::string, std::string> problems_;           // why a tensor has no inferred shape
  std::deque<onnx::TensorProto> folded_;                            // some of values_, and lists of numbers, as data
};

}  // namespace weft::workloads
