#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// ONNX files of tests, from ONNX's textual syntax.
namespace weft::workloads {

// The bytes of each .onnx file of a folder.
inline std::vector<std::string> onnx_files(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::sort(files.begin(), files.end());  // a folder has no order
  return files;
}

// The path of a file of these bytes that no other test uses.
inline std::string file_of(const std::string& bytes) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = fmt::format("{}.{}.onnx", test->test_suite_name(), test->name());
  std::replace(name.begin(), name.end(), '/', '.');
  std::string path = testing::TempDir() + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// A model in ONNX's textual syntax. It cannot name nodes, so they are named n0, n1, ...
inline onnx::ModelProto model_of(const std::string& graph, int opset = 13) {
  onnx::ModelProto model;
  const std::string text = fmt::format("<ir_version: 7, opset_import: [\"\" : {}]>\n{}", opset, graph);
  const auto status = onnx::OnnxParser::Parse(model, text.c_str());
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage() << "\n" << text;
  int i = 0;
  for (auto& node : *model.mutable_graph()->mutable_node()) node.set_name(fmt::format("n{}", i++));
  return model;
}

}  // namespace weft::workloads
