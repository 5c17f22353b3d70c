// Catalogue of broken input: every user error ends with exit code 2, one line that names the error and its place, no
// standard output and no new file. The cases are in cases.yaml.
#include <onnx/onnx_pb.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <ostream>

#include "tests/support/run_binary.h"
#include "tests/support/texts.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string name;
  std::vector<std::pair<std::string, std::string>> files, generate;
  std::vector<std::string> args, expect;
};

void PrintTo(const Case& each, std::ostream* out) {
  *out << each.name;
}

std::vector<Case> load_cases(const std::string& path) {
  std::vector<Case> cases;
  for (const YAML::Node& node : YAML::LoadFile(path)) {
    Case each;
    each.name = node["name"].as<std::string>();
    for (const auto& [key, files] : {std::pair("files", &each.files), {"generate", &each.generate}}) {
      for (const auto& file : node[key]) {
        files->emplace_back(file.first.as<std::string>(), file.second.as<std::string>());
      }
    }
    each.args = node["args"].as<std::vector<std::string>>();
    each.expect = node["expect"].as<std::vector<std::string>>();
    cases.push_back(std::move(each));
  }
  return cases;
}

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
}

// Returns a short text that expands to 10^12 values.
std::string laughs() {
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string old = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + old;
    for (int j = 1; j < 10; ++j) text += ", " + old;
    text += "]\n";
  }
  return text;
}

// Returns a network of one convolution of 5 channels into 4 filters with a kernel of 3. `mistake` selects the fault;
// "none" is no fault, "relu" an activation instead.
std::string broken_onnx(const std::string& mistake) {
  const int rank = mistake == "rank2" ? 2 : mistake == "rank6" ? 6 : 4;
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("g");
  onnx::ValueInfoProto& input = *graph.add_input();
  input.set_name("x");
  input.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  onnx::TensorShapeProto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
  onnx::TensorProto weights;
  weights.set_name("w");
  weights.set_data_type(onnx::TensorProto::FLOAT);
  for (int i = 0; i < rank; ++i) {
    onnx::TensorShapeProto::Dimension& dim = *shape.add_dim();
    if (i >= 2 && mistake == "dynamic") {
      dim.set_dim_param("size");
    } else {
      dim.set_dim_value(i == 0 ? 1 : i == 1 ? 5 : 8);
    }
    weights.add_dims(i == 0 ? 4 : i == 1 ? (mistake == "channels" ? 3 : 5) : 3);
  }
  weights.set_raw_data(std::string(4 * 5 * 3 * 3 * 3 * sizeof(float), '\0'));
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("Conv");
  node.set_name("conv");
  node.add_input("x");
  if (mistake == "relu") node.set_op_type("Relu");
  if (mistake != "no_weights" && mistake != "relu") {
    node.add_input("w");
    *graph.add_initializer() = weights;
  }
  node.add_output("y");
  const auto attribute = [&](const char* key) -> onnx::AttributeProto& {
    onnx::AttributeProto& result = *node.add_attribute();
    result.set_name(key);
    return result;
  };
  if (mistake == "groups") {
    onnx::AttributeProto& group = attribute("group");
    group.set_type(onnx::AttributeProto::INT);
    group.set_i(2);
  }
  if (mistake == "kernel_shape") {
    onnx::AttributeProto& kernel = attribute("kernel_shape");
    kernel.set_type(onnx::AttributeProto::INTS);
    kernel.add_ints(5);
    kernel.add_ints(5);
  }
  graph.add_output()->set_name("y");
  if (mistake == "outputs" || mistake == "cycle") {
    onnx::NodeProto& sum = *graph.add_node();
    sum.set_op_type("Add");
    sum.set_name("sum");
    sum.add_input("y");
    sum.add_input(mistake == "cycle" ? "z" : "y");
    sum.add_output("z");
    graph.add_output()->set_name("z");
  }
  return model.SerializeAsString();
}

void generate(const test::TemporaryDirectory& directory, const std::string& name, const std::string& what) {
  const fs::path path = directory.path() / name;
  if (what == "directory") {
    fs::create_directory(path);
  } else if (what == "unreadable") {
    directory.write(name, "batch: 1\n");
    fs::permissions(path, fs::perms::none);
  } else if (what == "symlink_loop") {
    fs::create_symlink(name, path);
  } else if (what == "latin1") {
    directory.write(name, "name: a\ntitle: caf\xe9\n");
  } else if (what == "zeros") {
    directory.write(name, std::string(1000, '\0'));
  } else if (what == "deep") {
    directory.write(name, "kernel: " + nested(40) + "\n");
  } else if (what == "very_deep") {
    directory.write(name, "kernel: " + nested(100000) + "\n");
  } else if (what == "large") {
    directory.write(name, std::string(2 << 20, '#'));
  } else if (what == "laughs") {
    directory.write(name, laughs());
  } else if (what.rfind("truncated ", 0) == 0) {  // the first half of one of the project's networks
    const std::string whole = test::read_text_file(fs::path(WEFT_CONFIG_DIR) / what.substr(10));
    ASSERT_FALSE(whole.empty()) << what;
    directory.write(name, whole.substr(0, whole.size() / 2));
  } else if (what.rfind("onnx ", 0) == 0) {
    directory.write(name, broken_onnx(what.substr(5)));
  } else {
    FAIL() << "unknown generator " << what;
  }
}

class BadInput : public testing::TestWithParam<Case> {};

TEST_P(BadInput, EndsWithOneLineThatNamesTheMistake) {
  const Case& each = GetParam();
  const test::TemporaryDirectory directory;
  for (const auto& [name, content] : each.files) directory.write(name, content);
  for (const auto& [name, what] : each.generate) {
    if (what == "unreadable" && ::geteuid() == 0) GTEST_SKIP() << "root reads everything";
    generate(directory, name, what);
  }
  const std::vector<std::string> before = directory.listing();

  const test::Outcome outcome = test::run_program(WEFT_BINARY, each.args, directory.path());

  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("weft: error: ", 0), 0U) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  for (const std::string& text : each.expect) {
    EXPECT_TRUE(test::has(outcome.err, text));
  }
  EXPECT_EQ(directory.listing(), before) << "something was left behind";
}

INSTANTIATE_TEST_SUITE_P(Catalogue, BadInput,
                         testing::ValuesIn(load_cases(WEFT_SOURCE_DIR "/tests/integration/bad_input/cases.yaml")),
                         testing::PrintToStringParamName());

TEST(BadInputCatalogue, HoldsAtLeastSixtyCasesOfDifferentNames) {
  std::vector<std::string> names;
  for (const Case& each : load_cases(WEFT_SOURCE_DIR "/tests/integration/bad_input/cases.yaml"))
    names.push_back(each.name);
  EXPECT_GE(names.size(), 60U);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace weft
