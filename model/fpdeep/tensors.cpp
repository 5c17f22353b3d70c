#include "model/fpdeep/tensors.h"

#include <algorithm>

namespace weft::fpdeep {

std::vector<std::int64_t> places(const Chain& chain) {
  std::vector<std::int64_t> places;
  std::int64_t layer = 0;
  for (const Node& node : chain.nodes) {
    std::int64_t place = kBefore;
    for (const std::size_t input : node.inputs) {
      if (input != kImage) place = std::max(place, places.at(input));
    }
    places.push_back(node.kind == Node::Kind::Layer ? layer++ : place);
  }
  return places;
}

std::vector<std::vector<std::size_t>> readers(const Chain& chain) {
  std::vector<std::vector<std::size_t>> readers(chain.nodes.size());
  for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
    for (const std::size_t input : chain.nodes[i].inputs) {
      if (input != kImage) readers.at(input).push_back(i);
    }
  }
  return readers;
}

Tensors tensors(const Chain& chain, Features features) {
  Tensors result;
  const std::vector<std::int64_t> place = places(chain);
  const std::vector<std::vector<std::size_t>> read_by = readers(chain);
  result.all.push_back({kBefore, kBefore, kBefore, 0});  // the image
  for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
    const Node& node = chain.nodes[i];
    const auto tensor_of = [&](std::size_t input) { return input == kImage ? 0 : result.of[input]; };
    if (node.kind == Node::Kind::Pool && features == Features::Unpooled) {
      result.of.push_back(tensor_of(node.inputs.at(0)));
      continue;
    }
    for (const std::size_t input : node.inputs) {
      Tensor& tensor = result.all[tensor_of(input)];
      tensor.last = std::max(tensor.last, place[i]);
      if (node.kind == Node::Kind::Join) tensor.last_join = std::max(tensor.last_join, place[i]);
      if (input == kImage) tensor.words = chain.layers[result.input.size()].input;
    }
    result.of.push_back(result.all.size());
    result.all.push_back({place[i], place[i], kBefore, node.output});
    if (node.kind != Node::Kind::Layer) continue;
    result.input.push_back(tensor_of(node.inputs.at(0)));
    std::size_t sent = i;
    while (features == Features::Pooled && read_by[sent].size() == 1 &&
           chain.nodes[read_by[sent][0]].kind == Node::Kind::Pool) {
      sent = read_by[sent][0];
    }
    result.output.push_back(chain.nodes[sent].output);
  }
  return result;
}

}  // namespace weft::fpdeep
