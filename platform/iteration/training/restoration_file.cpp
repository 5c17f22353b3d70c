#include "platform/iteration/training/restoration_file.h"

#include <fmt/core.h>

#include "platform/config/reader.h"

namespace weft::training {

using config::MapReader;
using config::Need;
using config::Node;
using workloads::LayerChoice;
using workloads::LayerName;
using workloads::Restoration;
using workloads::RestoredBatchNorm;
using workloads::RestoredDropout;
using workloads::SourceLine;

namespace {

SourceLine place_of(const Node& node, const std::string& key) {
  return {node.place.source ? node.place.source->name : "", node.place.line, key};
}

LayerName read_name(const Node& node, const std::string& key) {
  return {config::read_text(node, key), place_of(node, key)};
}

LayerChoice read_choice(const Node& node, const std::string& key) {
  LayerChoice choice;
  choice.place = place_of(node, key);
  if (node.kind == Node::Kind::Scalar && node.text == "all" && !node.quoted) {
    choice.all = true;
  } else if (node.kind == Node::Kind::List) {
    for (const Node& item : node.children) choice.names.push_back(read_name(item, key));
  } else {
    throw config::error_at(node.place, key,
                           fmt::format("must be all or a list of layers, not {}", config::describe(node)));
  }
  return choice;
}

std::vector<std::string> read_texts(const Node& node, const std::string& key) {
  std::vector<std::string> texts;
  for (const Node& item : config::expect_list(node, key).children) texts.push_back(config::read_text(item, key));
  return texts;
}

// No file is written from a restoration.
std::optional<Node> nothing() {
  return std::nullopt;
}

// A list of maps, each read by `fields`.
template <class T, class Fields>
std::vector<T> read_maps(const Node& node, const std::string& key, Fields fields) {
  std::vector<T> all;
  for (const Node& item : config::expect_list(node, key).children) {
    MapReader reader(item, key);
    fields(reader, all.emplace_back());
    reader.finish();
  }
  return all;
}

void batch_norm_fields(MapReader& io, RestoredBatchNorm& norm) {
  io.custom(
      "after", Need::Required, [&](const Node& node, const std::string& key) { norm.after = read_choice(node, key); },
      nothing);
  io.real("epsilon", norm.epsilon, 0, 1);
  io.real("momentum", norm.momentum, 0, 1);
  io.text("source", norm.source, Need::Required);
}

void dropout_fields(MapReader& io, RestoredDropout& dropout) {
  io.custom(
      "before", Need::Required,
      [&](const Node& node, const std::string& key) { dropout.before = read_name(node, key); }, nothing);
  io.real("ratio", dropout.ratio, 0, 1, Need::Required);
  io.text("source", dropout.source, Need::Required);
}

}  // namespace

std::filesystem::path restoration_path(const std::filesystem::path& onnx) {
  std::filesystem::path path = onnx;
  return path.replace_extension(".training.yaml");
}

Restoration read_restoration(const std::filesystem::path& path) {
  const Node file = config::parse_file(path);
  Restoration restoration;
  MapReader io(file, "");
  io.text("source", restoration.source, Need::Required);
  io.custom(
      "batch_norm", Need::Optional,
      [&](const Node& node, const std::string& key) {
        restoration.batch_norms = read_maps<RestoredBatchNorm>(node, key, batch_norm_fields);
      },
      nothing);
  io.custom(
      "dropout", Need::Optional,
      [&](const Node& node, const std::string& key) {
        restoration.dropouts = read_maps<RestoredDropout>(node, key, dropout_fields);
      },
      nothing);
  io.custom(
      "without_bias", Need::Optional,
      [&](const Node& node, const std::string& key) { restoration.without_bias.push_back(read_choice(node, key)); },
      nothing);
  io.custom(
      "left_out", Need::Optional,
      [&](const Node& node, const std::string& key) { restoration.left_out = read_texts(node, key); }, nothing);
  io.custom(
      "assumed", Need::Optional,
      [&](const Node& node, const std::string& key) { restoration.assumed = read_texts(node, key); }, nothing);
  io.finish();
  return restoration;
}

}  // namespace weft::training
