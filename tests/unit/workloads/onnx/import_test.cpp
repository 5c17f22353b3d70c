#include "workloads/onnx/import.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <random>
#include <string>

#include "model/core/error.h"
#include "tests/support/captured.h"
#include "tests/support/texts.h"
#include "tests/unit/workloads/onnx/onnx_text.h"

namespace weft::workloads {
namespace {

// Tests of imports that no run shows; tests/integration/onnx_test.py has the others.

TEST(OnnxBatch, BelowOneIsRefused) {
  const std::string graph = "g (float[1,4,8,8] x, float[4,4,3,3] w) => (float[] y) { y = Conv(x, w) }";
  EXPECT_THROW(import_onnx(file_of(model_of(graph).SerializeAsString()), {0, false}), InputError);
}

// Returns the whole message, "file: key: text"; the standard error stream must stay empty.
std::string refusal_of(const std::string& path) {
  test::Captured err(STDERR_FILENO);
  std::string message = test::message_of<InputError>([&] { import_onnx(path); });
  EXPECT_EQ(err.text(), "");
  return message;
}

// Every attribute of every operator that libonnx knows, holding numbers of another type, while it claims that type, no
// type (as in old files), or the right one.
TEST(OnnxAttributes, OfAnotherTypeAreRefusedWhicheverOperatorHasThem) {
  int refused = 0;
  const int latest = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;  // 17 in onnx 1.12
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas()) {
    if (!schema.domain().empty()) continue;
    for (const auto& [name, declared] : schema.attributes()) {
      const bool floats = declared.type != onnx::AttributeProto::FLOATS;
      const onnx::AttributeProto::AttributeType held =
          floats ? onnx::AttributeProto::FLOATS : onnx::AttributeProto::INTS;
      for (const auto claimed :
           {held, onnx::AttributeProto::UNDEFINED, static_cast<onnx::AttributeProto::AttributeType>(declared.type)}) {
        onnx::ModelProto model = model_of("g (float[1,4,8,8] x) => (float[] y) { y = Relu(x) }", latest);
        onnx::NodeProto& node = *model.mutable_graph()->mutable_node(0);
        node.set_op_type(schema.Name());
        onnx::AttributeProto& attribute = *node.add_attribute();
        attribute.set_name(name);
        if (claimed != onnx::AttributeProto::UNDEFINED) attribute.set_type(claimed);
        for (int i = 0; i < 2; ++i) floats ? attribute.add_floats(2) : attribute.add_ints(2);
        const std::string message = refusal_of(file_of(model.SerializeAsString()));
        ASSERT_TRUE(
            test::has(message, fmt::format("{} node n0: its attribute {} is of type {}; {} is needed", schema.Name(),
                                           name, floats ? "FLOATS" : "INTS",
                                           onnx::AttributeProto::AttributeType_Name(
                                               static_cast<onnx::AttributeProto::AttributeType>(declared.type)))));
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 700);
}

// Any damaged network is imported or causes an InputError: never a crash, another exception or other output.
TEST(OnnxFile, DamagedAnywhereIsEitherANetworkOrRefused) {
  int networks = 0, refusals = 0;
  test::Captured err(STDERR_FILENO);
  for_damaged(4711, [&](const std::string& damaged, std::mt19937&) {
    try {
      import_onnx(file_of(damaged), {1, true});
      ++networks;
    } catch (const InputError&) {
      ++refusals;
    }
  });
  EXPECT_EQ(err.text(), "");
  EXPECT_GT(networks, 20);
  EXPECT_GT(refusals, 20);
}

}  // namespace
}  // namespace weft::workloads
