#pragma once

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

struct Operands;
struct Parts;
struct TabledOperator;

inline constexpr std::int64_t kUnknownDim = -1;
inline constexpr std::int64_t kLargestDim = std::numeric_limits<int>::max();
using Shape = std::vector<std::int64_t>;  // kUnknownDim for a dynamic dimension

// ONNX file: its graph, and the shapes of its tensors while the importer visits the nodes in order. Internal to
// workloads/.
//
// libonnx infers shapes node by node: its whole-graph inference fails completely on one odd node, and reads beyond its
// arrays for convolutions of mismatched ranks. The importer therefore sets the shapes of convolutions (set_output), and
// of pools, since libonnx counts windows that begin in the padding after the input; operators.h has the rules for
// operators that libonnx does not know. The constructor replaces calls of functions (expand.h) and throws InputError
// for files that are not a graph with consistent names, opsets newer than kNewestOpset, and invalid attributes: libonnx
// divides by strides and does not validate sizes.
class OnnxGraph {
 public:
  // `input_sizes`: see ImportOptions.
  OnnxGraph(const std::string& path, const std::vector<std::int64_t>& input_sizes);
  OnnxGraph(const OnnxGraph&) = delete;  // data_ points into the model
  OnnxGraph& operator=(const OnnxGraph&) = delete;
  OnnxGraph& operator=(OnnxGraph&&) = default;  // a moved message keeps its parts where they are

  const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes() const { return model_.graph().node(); }
  const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& outputs() const { return model_.graph().output(); }
  const std::string& path() const { return path_; }
  int opset() const { return opsets_.at(""); }      // of the standard operators
  std::int64_t batch() const { return batch_; }     // images the shapes are for: batch of the file, or 1
  bool has_batch() const { return static_batch_; }  // the file gives the batch

  // Infers the outputs of `node`, whose inputs must have been inferred or set. Shapes that cannot be inferred are those
  // declared. Throws InputError if operands, attributes and results contradict each other.
  void infer(const onnx::NodeProto& node);
  // If inference knows the condition of the If `node`, replaces the node by its branch and returns the condition;
  // `node` is gone then, and nothing is inferred: infer all nodes anew. Throws InputError if the condition is not known
  // and a branch has a convolution.
  std::optional<bool> take_branch(const onnx::NodeProto& node);
  // The nodes that define `node`, to be inferred in its place; see operators.h.
  Parts parts(const onnx::NodeProto& node) const;
  // Sets the shape of the first output of `node`; its type is that of the first input.
  void set_output(const onnx::NodeProto& node, const Shape& shape);

  // Shape of a tensor; nothing if its rank is unknown.
  std::optional<Shape> shape(const std::string& tensor) const;
  std::string problem(const std::string& tensor) const;  // " (reason why its shape is unknown)", or ""
  bool is_input(const std::string& tensor) const { return inputs_.count(tensor) != 0; }  // network input, no weight
  // A network input, as it is or through QuantizeLinear and DequantizeLinear.
  bool reads_input(const std::string& tensor) const { return is_input(tensor) || quantised_.count(tensor) != 0; }
  bool is_constant(const std::string& tensor) const { return constants_.count(tensor) != 0; }
  bool is_constant(const onnx::NodeProto& node) const;          // all operands are constant
  bool is_real(const std::string& tensor) const;                // floating-point numbers, as far as known
  std::optional<double> real(const std::string& tensor) const;  // value of a constant with one number

  std::string dynamic_hint() const;  // what to do about dynamic sizes of the inputs; "" if there are none
  // Warnings about shapes that the file declares and inference contradicts, and about operators that are not known: of
  // each the first.
  std::vector<std::string> warnings() const;

  static std::string label(const onnx::NodeProto& node);  // name, or a substitute for it
  [[noreturn]] void fail(const onnx::NodeProto& node, const std::string& message) const;

 private:
  // `conditions`: of the Ifs that give way to their branches (expand.h).
  OnnxGraph(std::string path, onnx::ModelProto model, const std::vector<std::int64_t>& input_sizes,
            const std::unordered_map<std::string, bool>& conditions);
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  void drop_data();
  void read_opsets();
  void check_names() const;
  void check_unique() const;
  void refuse_cycle() const;
  void check_attributes() const;
  void refuse_hidden(const onnx::NodeProto& node) const;
  void check_sizes(const onnx::NodeProto& node) const;
  void find_constants();
  void find_batch();
  void give_sizes(const std::vector<std::int64_t>& sizes);
  void declare();
  void read_constant(const onnx::NodeProto& node);
  void fold_operands(const onnx::NodeProto& node);
  void fold_arithmetic(const onnx::NodeProto& node);
  std::optional<std::vector<std::int64_t>> integers(const std::string& tensor) const;
  std::optional<std::vector<double>> reals(const std::string& tensor) const;
  Operands operands_of(const onnx::NodeProto& node) const;
  void check_inferable(const onnx::NodeProto& node) const;
  void infer_by_table(const onnx::NodeProto& node, const TabledOperator& tabled,
                      std::vector<onnx::TypeProto>& outputs) const;
  void infer_by_library(const onnx::NodeProto& node, const TabledOperator* tabled,
                        std::vector<onnx::TypeProto>& outputs);
  void complete_by_hint(const std::string& tensor, onnx::TypeProto& type);
  bool complete(const onnx::NodeProto& node) const;
  std::string contradiction(const onnx::NodeProto& node, const std::string& reason) const;
  void check_elements(const onnx::NodeProto& node) const;

  std::string path_;
  onnx::ModelProto model_;
  std::int64_t batch_ = 1;
  bool static_batch_ = false;                    // given by the file
  std::unordered_map<std::string, int> opsets_;  // by domain
  std::unordered_set<std::string> inputs_, constants_;
  std::unordered_set<std::string> quantised_;  // network inputs after QuantizeLinear and DequantizeLinear
  std::unordered_map<std::string, onnx::TypeProto> declared_, types_;  // by tensor: declared in the file, and known
  std::unordered_map<std::string, onnx::TypeProto*> type_of_;          // types_ as libonnx requires
  std::unordered_map<std::string, const onnx::TensorProto*> data_;     // of constants
  std::unordered_map<std::string, onnx::TensorShapeProto> values_;     // computed integers: Shape, Gather, Concat, ...
  std::unordered_map<std::string, std::string> problems_;              // reason why a tensor has no inferred shape
  std::deque<onnx::TensorProto> folded_;  // storage for folded values_ and lists of numbers
  std::string contradicted_;              // first declared shape that inference contradicts
  int contradictions_ = 0;
  std::string unknown_;  // first operator that is not known
  int unknowns_ = 0;
  int branches_ = 0;  // Ifs that gave way to a branch
};

}  // namespace weft::workloads
