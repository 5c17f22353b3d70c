#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "workloads/onnx/import.h"

// ONNX files for tests, from ONNX's textual syntax.
namespace weft::workloads {

// Calls `work` with the bytes of every shipped network in 40 versions, damaged at a few random places or cut short.
template <class Work>
void for_damaged(std::uint32_t seed, const Work& work) {
  std::mt19937 random(seed);
  const auto pick = [&](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random); };
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/configs/networks")) {
    if (entry.path().extension() != ".onnx") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::sort(files.begin(), files.end());  // directory entries are unordered
  for (const std::string& whole : files) {
    for (int i = 0; i < 40; ++i) {
      std::string damaged = whole;
      for (std::size_t n = pick(5); n > 0; --n) damaged[pick(damaged.size())] = static_cast<char>(pick(256));
      if (pick(8) == 0) damaged.resize(pick(damaged.size()));
      work(damaged, random);
    }
  }
}

// Writes a file of these bytes and returns its path, which no other test uses.
inline std::string file_of(const std::string& bytes) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = fmt::format("{}.{}.onnx", test->test_suite_name(), test->name());
  std::replace(name.begin(), name.end(), '/', '.');
  std::string path = testing::TempDir() + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// Parses a model in ONNX's textual syntax. The syntax has no node names, so the nodes are named n0, n1, ...
inline onnx::ModelProto model_of(const std::string& graph, int opset = 13) {
  onnx::ModelProto model;
  const std::string text = fmt::format("<ir_version: 7, opset_import: [\"\" : {}]>\n{}", opset, graph);
  const auto status = onnx::OnnxParser::Parse(model, text.c_str());
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage() << "\n" << text;
  int i = 0;
  for (auto& node : *model.mutable_graph()->mutable_node()) node.set_name(fmt::format("n{}", i++));
  return model;
}

// Imports a graph with the output y at the batch of its first image-like input, else of its first input, so that every
// dimension stays. All parts are in ONNX's textual syntax; `constants` may be empty.
inline Graph imported_graph(const std::string& inputs, const std::string& constants, const std::string& nodes,
                            int opset) {
  const onnx::ModelProto model = model_of(
      fmt::format("g ({}) => (float[] y) {} {{ {} }}", inputs, constants.empty() ? "" : "<" + constants + ">", nodes),
      opset);
  const auto& all = model.graph().input();
  const auto shape = [](const auto& value) { return value.type().tensor_type().shape(); };
  const auto image =
      std::find_if(all.begin(), all.end(), [&](const auto& value) { return shape(value).dim_size() == 4; });
  ImportOptions options;
  options.batch = static_cast<int>(shape(image == all.end() ? all[0] : *image).dim(0).dim_value());
  return import_graph(file_of(model.SerializeAsString()), options).graph;
}

inline const Tensor& tensor_of(const Graph& graph, const std::string& name) {
  const auto found = std::find_if(graph.tensors.begin(), graph.tensors.end(),
                                  [&](const Tensor& tensor) { return tensor.name == name; });
  if (found == graph.tensors.end()) throw std::out_of_range("no tensor " + name);
  return *found;
}

}  // namespace weft::workloads
