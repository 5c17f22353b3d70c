#include "golden_networks.h"

#include <fmt/core.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "workloads/lowering.h"

namespace weft::test {

namespace {

std::vector<std::string> split(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

conv::LayerAxis axis(const CsvRow& row, const char* size, const char* kernel, const std::string& name) {
  const int pad = std::stoi(row.at("pad_" + name));
  return {std::stoi(row.at(size)),         std::stoi(row.at(kernel)), std::stoi(row.at("stride_" + name)), pad, pad,
          std::stoi(row.at("dil_" + name))};
}

}  // namespace

std::vector<CsvRow> read_csv(const std::string& path_in_golden) {
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

std::vector<conv::Layer> golden_layers(const std::string& name, int batch) {
  std::vector<conv::Layer> layers;
  for (const CsvRow& row : read_csv("networks/" + name + ".csv")) {
    conv::Layer layer;
    layer.name = row.at("layer");
    layer.batch = batch;
    layer.channels = std::stoi(row.at("C"));
    layer.filters = std::stoi(row.at("D"));
    layer.groups = std::stoi(row.at("groups"));
    layer.h = axis(row, "H", "kh", "h");
    layer.w = axis(row, "W", "kw", "w");
    layer.from_graph_input = layers.empty();
    layers.push_back(layer);
  }
  return layers;
}

const conv::Layer& layer_named(const std::vector<conv::Layer>& layers, const std::string& name) {
  for (const conv::Layer& layer : layers) {
    if (layer.name == name) return layer;
  }
  throw std::runtime_error("no layer " + name);
}

std::vector<conv::Convolution> training_convolutions(const std::vector<conv::Layer>& layers) {
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
