#include "model/fpdeep/chain.h"

#include <fmt/core.h>

#include <limits>

#include "model/core/error.h"

namespace weft::fpdeep {
namespace {

// Positions along the chain are fractions of its work over the boards: their products must fit 64 bits.
constexpr std::int64_t kMostWork = std::numeric_limits<std::int64_t>::max() >> 16;

std::int64_t product(const std::string& layer, std::int64_t a, std::int64_t b) {
  if (a > kMostWork / b) {
    throw Error(fmt::format("layer '{}' has {} times {} operations, allowed are {}", layer, a, b, kMostWork));
  }
  return a * b;
}

}  // namespace

std::int64_t Chain::work() const {
  std::int64_t sum = 0;
  for (const ChainLayer& layer : layers) sum += layer.work();
  return sum;
}

Words Chain::weights() const {
  Words sum = 0;
  for (const ChainLayer& layer : layers) sum += layer.weights();
  return sum;
}

Chain chain_of(const std::vector<conv::Layer>& layers, Words behind, bool gi_first) {
  if (layers.empty()) throw Error("the network has no convolution to put on a board");
  Chain chain;
  chain.behind = behind;
  std::int64_t work = 0;
  for (const conv::Layer& layer : layers) {
    if (!chain.layers.empty() && chain.layers.back().filters != layer.channels) {
      throw Error(fmt::format("the network is no chain: '{}' writes {} channels, '{}' reads {}",
                              chain.layers.back().name, chain.layers.back().filters, layer.name, layer.channels));
    }
    ChainLayer each;
    each.name = layer.name;
    each.passes = chain.layers.empty() && !gi_first ? 2 : 3;
    each.pixels = std::int64_t{layer.h.out()} * layer.w.out();
    each.filters = layer.filters;
    each.filter_words =
        product(layer.name, layer.channels / layer.groups, std::int64_t{layer.h.kernel} * layer.w.kernel);
    each.input = product(layer.name, layer.channels, std::int64_t{layer.h.size} * layer.w.size);
    each.output = product(layer.name, layer.filters, each.pixels);
    each.rows = layer.h.size;
    each.columns = layer.w.size;
    each.out_rows = layer.h.out();
    each.kernel = layer.h.kernel_extent();
    each.pad_begin = layer.h.pad_begin;
    work += product(layer.name, product(layer.name, product(layer.name, layer.filters, each.filter_words), each.pixels),
                    each.passes);
    if (work > kMostWork) throw Error(fmt::format("the network has more than {} operations an image", kMostWork));
    chain.layers.push_back(each);
  }
  return chain;
}

}  // namespace weft::fpdeep
