#pragma once

#include <fmt/core.h>

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/fpgpt/plan.h"
#include "workloads/lowering.h"

namespace weft::test {

inline fpgpt::Alpha array(int x, int y, fpgpt::Variant variant = fpgpt::Variant::Both) {
  fpgpt::Alpha alpha;
  alpha.x = x;
  alpha.y = y;
  alpha.variant = variant;
  return alpha;
}

inline std::vector<std::string> split(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

// Reads a comma separated file of tests/golden with a header line: one map from column to text per row.
using CsvRow = std::map<std::string, std::string>;
inline std::vector<CsvRow> read_csv(const std::string& path_in_golden) {
  const std::string path = std::string(WEFT_SOURCE_DIR "/tests/golden") + "/" + path_in_golden;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = split(line);
  std::vector<CsvRow> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line);
    if (fields.size() != header.size()) throw std::runtime_error(fmt::format("{}: malformed row: {}", path, line));
    CsvRow row;
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = fields[i];
    rows.push_back(row);
  }
  return rows;
}

// Returns the layers of tests/golden/networks/<name>.csv at `batch`; the first reads the graph's input.
inline std::vector<conv::Layer> golden_layers(const std::string& name, int batch) {
  std::vector<conv::Layer> layers;
  for (const CsvRow& row : read_csv("networks/" + name + ".csv")) {
    const auto number = [&](const std::string& column) { return std::stoi(row.at(column)); };
    const auto axis = [&](const std::string& size, const std::string& axis) -> conv::LayerAxis {
      const int pad = number("pad_" + axis);
      return {number(size), number("k" + axis), number("stride_" + axis), pad, pad, number("dil_" + axis)};
    };
    conv::Layer layer{row.at("layer"),  batch,          number("C"),   number("D"),
                      number("groups"), axis("H", "h"), axis("W", "w")};
    layer.from_graph_input = layers.empty();
    layers.push_back(layer);
  }
  return layers;
}

inline const conv::Layer& layer_named(const std::vector<conv::Layer>& layers, const std::string& name) {
  for (const conv::Layer& layer : layers) {
    if (layer.name == name) return layer;
  }
  throw std::runtime_error("no layer " + name);
}

// Returns a convolution of a layer of GoogLeNet, batch 256.
inline conv::Convolution googlenet(const std::string& name, conv::Kind kind) {
  return workloads::lower(layer_named(golden_layers("googlenet", 256), name), kind);
}

// Returns F, GI (not for layers that read the graph's input) and GW of every ungrouped layer, in that order.
inline std::vector<conv::Convolution> training_convolutions(const std::vector<conv::Layer>& layers) {
  std::vector<conv::Convolution> all;
  for (const conv::Layer& layer : layers) {
    for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) {
      if (kind == conv::Kind::GI && layer.from_graph_input) continue;
      all.push_back(workloads::lower(layer, kind));
    }
  }
  return all;
}

}  // namespace weft::test
