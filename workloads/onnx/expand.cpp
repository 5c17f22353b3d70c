#include "workloads/onnx/expand.h"

#include <fmt/core.h>
#include <google/protobuf/unknown_field_set.h>
#include <onnx/defs/tensor_proto_util.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "workloads/onnx/checks.h"
#include "workloads/onnx/graph.h"

namespace weft::workloads {

using onnx::AttributeProto;
using onnx::FunctionProto;
using onnx::GraphProto;
using onnx::NodeProto;

namespace {

constexpr int kDeepest = 64;         // calls within calls
constexpr int kMostNodes = 1 << 20;  // of the expanded graph

using Rename = std::function<void(std::string& name)>;

// Renames all tensors of a node, and in its subgraphs.
void rename(NodeProto& node, const Rename& change);

void rename(GraphProto& graph, const Rename& change) {
  for (auto& value : *graph.mutable_input()) change(*value.mutable_name());
  for (auto& value : *graph.mutable_output()) change(*value.mutable_name());
  for (auto& value : *graph.mutable_value_info()) change(*value.mutable_name());
  for (auto& tensor : *graph.mutable_initializer()) change(*tensor.mutable_name());
  for (auto& node : *graph.mutable_node()) rename(node, change);
}

void rename(NodeProto& node, const Rename& change) {
  for (std::string& name : *node.mutable_input()) change(name);
  for (std::string& name : *node.mutable_output()) change(name);
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) rename(*attribute.mutable_g(), change);
    for (auto& graph : *attribute.mutable_graphs()) rename(graph, change);
  }
}

// Attributes of a function that have a default. onnx 1.12 does not know this field of FunctionProto.
std::vector<AttributeProto> defaults_of(const FunctionProto& function) {
  constexpr int kAttributeProto = 11;
  FunctionProto copy;
  std::vector<AttributeProto> all;
  const auto* field = function.GetDescriptor()->FindFieldByNumber(kAttributeProto);
  const auto* reflection = function.GetReflection();
  if (field != nullptr) {
    for (int i = 0; i < reflection->FieldSize(function, field); ++i) {
      all.emplace_back();
      all.back().CopyFrom(reflection->GetRepeatedMessage(function, field, i));
    }
    return all;
  }
  const auto& unknown = reflection->GetUnknownFields(function);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const auto& each = unknown.field(i);
    if (each.number() != kAttributeProto || each.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      continue;
    }
    AttributeProto attribute;
    if (attribute.ParseFromString(each.length_delimited())) all.push_back(std::move(attribute));
  }
  return all;
}

class Expander {
 public:
  Expander(onnx::ModelProto& model, const ExpandErrors& errors, const std::unordered_map<std::string, bool>& conditions)
      : model_(model), errors_(errors), conditions_(conditions) {
    for (const FunctionProto& function : model.functions()) {
      const std::pair key(domain_of(function.domain()), function.name());
      if (!functions_.emplace(key, &function).second) {
        errors_.other("function " + function.name(), "is given twice; every function may be given once");
      }
    }
    for (const auto& tensor : model.graph().initializer()) note_condition(tensor.name(), tensor);
    for (const NodeProto& node : model.graph().node()) names_.insert(node.name());
  }

  void run() {
    const auto given = std::move(*model_.mutable_graph()->mutable_node());
    model_.mutable_graph()->clear_node();
    for (const NodeProto& node : given) add(node, 0);
  }

 private:
  static std::string domain_of(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

  void add(const NodeProto& node, int depth) {
    const auto function = functions_.find({domain_of(node.domain()), node.op_type()});
    if (function != functions_.end()) return add_call(node, *function->second, depth);
    if (is_standard(node, "If") && add_branch(node, depth)) return;
    if (node.domain() == "com.microsoft" && node.op_type() == "FusedConv") return add_fused(node);
    follow_condition(node);
    if (model_.graph().node_size() >= kMostNodes) {
      errors_.node(node, fmt::format("is one of more than {} nodes that the functions of the file give", kMostNodes));
    }
    *model_.mutable_graph()->add_node() = node;
  }

  void check_depth(const NodeProto& node, int depth) const {
    if (depth < kDeepest) return;
    errors_.node(node, fmt::format("is in more than {} calls or branches; a function must not call itself", kDeepest));
  }

  void add_identity(const std::string& from, const std::string& to) {
    NodeProto identity;
    identity.set_op_type("Identity");
    identity.set_name(to + "/Identity");
    identity.add_input(from);
    identity.add_output(to);
    add(identity, 0);
  }

  void add_call(const NodeProto& call, const FunctionProto& function, int depth) {
    check_depth(call, depth);
    check_opsets(function);
    if (call.input_size() > function.input_size() || call.output_size() > function.output_size()) {
      errors_.node(call, fmt::format("has {} operands and {} results; the function has {} and {}", call.input_size(),
                                     call.output_size(), function.input_size(), function.output_size()));
    }
    const std::string prefix = OnnxGraph::label(call) + "/";
    std::unordered_map<std::string, std::string> actual;
    for (int i = 0; i < function.input_size(); ++i) {
      actual[function.input(i)] = i < call.input_size() ? call.input(i) : "";
    }
    std::vector<std::pair<std::string, std::string>> passed;  // operands that are results
    for (int i = 0; i < std::min(function.output_size(), call.output_size()); ++i) {
      if (call.output(i).empty()) continue;
      const auto [operand, added] = actual.emplace(function.output(i), call.output(i));
      if (!added) passed.emplace_back(operand->second, call.output(i));
    }
    const Rename change = [&](std::string& name) {
      if (name.empty()) return;
      const auto found = actual.find(name);
      name = found == actual.end() ? prefix + name : found->second;
    };
    std::map<std::string, AttributeProto> attributes;
    for (AttributeProto& each : defaults_of(function)) attributes[each.name()] = each;
    for (const AttributeProto& each : call.attribute()) attributes[each.name()] = each;
    for (const NodeProto& each : function.node()) {
      NodeProto node = each;
      bind(node, attributes);
      rename(node, change);
      if (!node.name().empty()) node.set_name(prefix + node.name());
      add(node, depth + 1);
    }
    for (const auto& [from, to] : passed) add_identity(from, to);
  }

  // Replaces references to the function's attributes by their values; without a value, the operator's default is used.
  static void bind(NodeProto& node, const std::map<std::string, AttributeProto>& values) {
    auto& attributes = *node.mutable_attribute();
    for (int i = attributes.size(); i-- > 0;) {
      AttributeProto& attribute = *attributes.Mutable(i);
      if (attribute.has_g()) {
        for (NodeProto& inner : *attribute.mutable_g()->mutable_node()) bind(inner, values);
      }
      if (!attribute.has_ref_attr_name() || attribute.ref_attr_name().empty()) continue;
      const auto value = values.find(attribute.ref_attr_name());
      if (value == values.end()) {
        attributes.DeleteSubrange(i, 1);
        continue;
      }
      const std::string name = attribute.name();
      attribute = value->second;
      attribute.set_name(name);
    }
  }

  // The nodes of a function become nodes of the graph, so both must import the same operators.
  void check_opsets(const FunctionProto& function) {
    for (const auto& import : function.opset_import()) {
      bool known = false;
      for (const auto& other : model_.opset_import()) {
        if (domain_of(other.domain()) != domain_of(import.domain())) continue;
        known = true;
        if (domain_of(import.domain()).empty() && other.version() != import.version()) {
          errors_.other(
              "function " + function.name(),
              fmt::format("uses opset {} of the ONNX domain, but the file opset {}; export both with one opset",
                          import.version(), other.version()));
        }
      }
      if (!known) *model_.add_opset_import() = import;
    }
  }

  // True if the condition is constant: the branch has been added.
  bool add_branch(const NodeProto& node, int depth) {
    if (node.input_size() != 1) return false;
    const auto condition = conditions_.find(node.input(0));
    if (condition == conditions_.end()) return false;
    check_depth(node, depth);
    const AttributeProto* attribute = find_attribute(node, condition->second ? "then_branch" : "else_branch");
    if (attribute == nullptr || !attribute->has_g()) return false;
    GraphProto branch = attribute->g();
    if (branch.output_size() != node.output_size()) {
      errors_.node(node, fmt::format("has {} results, but its {} has {}", node.output_size(), attribute->name(),
                                     branch.output_size()));
    }
    const std::string prefix = OnnxGraph::label(node) + "/";
    std::unordered_set<std::string> own;
    for (const auto& tensor : branch.initializer()) own.insert(tensor.name());
    for (const NodeProto& each : branch.node()) own.insert(each.output().begin(), each.output().end());
    rename(branch, [&](std::string& name) {
      if (own.count(name) != 0 && !name.empty()) name = prefix + name;
    });
    for (const auto& tensor : branch.initializer()) {
      note_condition(tensor.name(), tensor);
      *model_.mutable_graph()->add_initializer() = tensor;
    }
    for (NodeProto& each : *branch.mutable_node()) {
      if (!each.name().empty() && !names_.insert(each.name()).second) each.set_name(prefix + each.name());
      add(each, depth + 1);
    }
    for (int i = 0; i < node.output_size(); ++i) {
      if (!node.output(i).empty()) add_identity(branch.output(i).name(), node.output(i));
    }
    return true;
  }

  // y = activation(Conv(x, w, b) + z).
  void add_fused(const NodeProto& fused) {
    NodeProto conv = fused;
    conv.set_op_type("Conv");
    conv.set_name(OnnxGraph::label(fused));
    conv.clear_domain();
    std::string function;
    std::vector<float> parameters;
    auto& attributes = *conv.mutable_attribute();
    for (int i = attributes.size(); i-- > 0;) {
      const AttributeProto& attribute = attributes.Get(i);
      if (attribute.name() == "activation") {
        function = attribute.s();
      } else if (attribute.name() == "activation_params") {
        parameters.assign(attribute.floats().begin(), attribute.floats().end());
      } else {
        continue;
      }
      attributes.DeleteSubrange(i, 1);
    }
    static const std::map<std::string, std::vector<const char*>> known{{"Relu", {}},
                                                                       {"Tanh", {}},
                                                                       {"Sigmoid", {}},
                                                                       {"LeakyRelu", {"alpha"}},
                                                                       {"Clip", {"min", "max"}},
                                                                       {"HardSigmoid", {"alpha", "beta"}}};
    const auto names = known.find(function);
    if (names == known.end() || parameters.size() > names->second.size()) {
      errors_.node(fused,
                   fmt::format("its activation is '{}' of {} numbers; Relu, Tanh and Sigmoid of none, LeakyRelu of "
                               "1, Clip and HardSigmoid of 2 are allowed",
                               function, parameters.size()));
      return;
    }
    const std::string result = fused.output_size() > 0 ? fused.output(0) : "";
    const auto next = [&](NodeProto& node, const std::string& op) {
      const std::string before = result + " before " + op;
      node.set_output(0, before);
      *model_.mutable_graph()->add_node() = node;
      NodeProto after;
      after.set_op_type(op);
      after.set_name(OnnxGraph::label(fused) + "/" + op);
      after.add_input(before);
      after.add_output(result);
      node = std::move(after);
    };
    NodeProto node = std::move(conv);
    if (node.output_size() == 0) node.add_output("");
    const std::string added = node.input_size() > 3 ? node.input(3) : "";
    while (node.input_size() > 3) node.mutable_input()->RemoveLast();
    if (!added.empty()) {
      next(node, "Add");
      node.add_input(added);
    }
    next(node, function);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (function == "Clip") {  // its bounds are operands
        auto& bound = *model_.mutable_graph()->add_initializer();
        bound.set_name(fmt::format("{} {}", OnnxGraph::label(fused), names->second[i]));
        bound.set_data_type(onnx::TensorProto::FLOAT);
        bound.add_float_data(parameters[i]);
        node.add_input(bound.name());
        continue;
      }
      AttributeProto& attribute = *node.add_attribute();
      attribute.set_name(names->second[i]);
      attribute.set_type(AttributeProto::FLOAT);
      attribute.set_f(parameters[i]);
    }
    *model_.mutable_graph()->add_node() = node;
  }

  // Records the value of a tensor with one truth value or integer.
  void note_condition(const std::string& name, const onnx::TensorProto& tensor) {
    for (const std::int64_t dim : tensor.dims()) {
      if (dim != 1) return;
    }
    constexpr std::size_t kLongest = 8;  // bytes
    const std::string& raw = tensor.raw_data();
    const int type = tensor.data_type();
    if (type != onnx::TensorProto::BOOL && type != onnx::TensorProto::INT32 && type != onnx::TensorProto::INT64) return;
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL || raw.size() > kLongest) return;
    if (!raw.empty()) {
      conditions_[name] = std::any_of(raw.begin(), raw.end(), [](char byte) { return byte != 0; });
    } else if (tensor.int32_data_size() == 1) {
      conditions_[name] = tensor.int32_data(0) != 0;
    } else if (tensor.int64_data_size() == 1) {
      conditions_[name] = tensor.int64_data(0) != 0;
    }
  }

  void follow_condition(const NodeProto& node) {
    if (node.output_size() != 1) return;
    if (is_standard(node, "Constant")) {
      const AttributeProto* value = find_attribute(node, "value");
      if (value != nullptr && value->has_t()) note_condition(node.output(0), value->t());
      return;
    }
    const bool turns = is_standard(node, "Not");
    if (node.input_size() != 1 || !(turns || is_standard(node, "Identity") || is_standard(node, "Cast"))) return;
    const auto before = conditions_.find(node.input(0));
    if (before == conditions_.end()) return;
    const bool value = before->second;
    conditions_[node.output(0)] = value != turns;
  }

  onnx::ModelProto& model_;
  const ExpandErrors& errors_;
  std::map<std::pair<std::string, std::string>, const FunctionProto*> functions_;  // by domain and name
  std::unordered_map<std::string, bool> conditions_;                               // known truth values
  std::unordered_set<std::string> names_;                                          // of nodes
};

}  // namespace

void expand(onnx::ModelProto& model, const ExpandErrors& errors,
            const std::unordered_map<std::string, bool>& conditions) {
  Expander(model, errors, conditions).run();
}

}  // namespace weft::workloads
