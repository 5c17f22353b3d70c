#include "model/fpdeep/assignment.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "model/core/error.h"
#include "model/fpdeep/storage.h"

namespace weft::fpdeep {
namespace {

// Filters before each cut, counted over all layers, from 0 to the total.
std::vector<std::int64_t> filter_cuts(const Chain& chain, int boards) {
  std::int64_t filters = 0;
  std::vector<std::int64_t> before;  // filters before each layer
  for (const ChainLayer& layer : chain.layers) {
    before.push_back(filters);
    filters += layer.filters;
  }
  if (filters < boards)
    throw Error(fmt::format("{} filters are too few for {} boards: use fewer boards", filters, boards));
  std::vector<std::int64_t> cuts{0};
  for (const Cut& cut : even_cuts(chain, boards)) {
    const std::int64_t nearest = before[cut.layer] + floor(cut.left * chain.layers[cut.layer].filters + Rational(1, 2));
    cuts.push_back(std::clamp(nearest, cuts.back() + 1, filters - (boards - cut.board)));
  }
  cuts.push_back(filters);
  return cuts;
}

Words weights_of(const Chain& chain, const Part& part) {
  return part.filters() * chain.layers[part.layer].filter_words;
}

// DSPs of one pass for at most `cycles` per image; 0 if no number suffices.
std::int64_t dsp_for(const Chain& chain, const Part& part, Cycles cycles) {
  const Cycles a_pixel = cycles / chain.layers[part.layer].pixels;
  return a_pixel <= 0 ? 0 : ceil_div(weights_of(chain, part), a_pixel);
}

// Sum of the DSPs of all parts; more than `most` if `cycles` is too small.
std::int64_t dsp_of_all(const Chain& chain, const std::vector<Part>& parts, Cycles cycles, std::int64_t most) {
  std::int64_t sum = 0;
  for (const Part& part : parts) {
    const std::int64_t dsp = dsp_for(chain, part, cycles);
    if (dsp == 0) return most + 1;
    sum += dsp * chain.layers[part.layer].passes;
  }
  return sum;
}

void divide(const Chain& chain, BoardWork& board, int number, std::int64_t dsp) {
  Cycles low = 1, high = 1;
  std::int64_t passes = 0;
  for (const Part& part : board.parts) {
    passes += chain.layers[part.layer].passes;
    high = std::max(high, weights_of(chain, part) * chain.layers[part.layer].pixels);  // on one DSP
  }
  if (passes > dsp) {
    throw Error(fmt::format("board {} has {} passes of layers, more than its {} DSPs", number, passes, dsp));
  }
  while (low < high) {
    const Cycles middle = low + (high - low) / 2;
    if (dsp_of_all(chain, board.parts, middle, dsp) <= dsp) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  for (Part& part : board.parts) {
    const ChainLayer& layer = chain.layers[part.layer];
    part.dsp = std::max<std::int64_t>(1, dsp_for(chain, part, low));
    part.cycles_a_pixel = ceil_div(weights_of(chain, part), part.dsp);
    part.cycles = part.cycles_a_pixel * layer.pixels;
    board.dsp += part.dsp * layer.passes;
    board.cycles = std::max(board.cycles, part.cycles);
  }
}

}  // namespace

std::vector<BoardWork> assign(const Chain& chain, int boards, std::int64_t dsp) {
  const std::vector<std::int64_t> cuts = filter_cuts(chain, boards);
  std::vector<BoardWork> result(static_cast<std::size_t>(boards));
  std::int64_t before = 0;
  std::size_t layer = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::int64_t at = cuts[i]; at < cuts[i + 1];) {
      while (at >= before + chain.layers[layer].filters) before += chain.layers[layer++].filters;
      const std::int64_t end = std::min(cuts[i + 1], before + chain.layers[layer].filters);
      Part part;
      part.layer = layer;
      part.first = static_cast<int>(at - before);
      part.last = static_cast<int>(end - before);
      result[i].parts.push_back(part);
      at = end;
    }
    divide(chain, result[i], static_cast<int>(i) + 1, dsp);
  }
  return result;
}

Cycles period(const std::vector<BoardWork>& boards) {
  Cycles most = 0;
  for (const BoardWork& board : boards) most = std::max(most, board.cycles);
  return most;
}

double balance(const std::vector<BoardWork>& boards) {
  double sum = 0;
  for (const BoardWork& board : boards) sum += static_cast<double>(board.cycles);
  return sum / static_cast<double>(boards.size()) / static_cast<double>(period(boards));
}

namespace {

// Positions along the chain are fractions of its work over the boards, so their products must fit 64 bits.
constexpr std::int64_t kMostWork = std::numeric_limits<std::int64_t>::max() >> 16;

std::int64_t product(const std::string& layer, std::int64_t a, std::int64_t b) {
  if (a > kMostWork / b) {
    throw Error(fmt::format("layer '{}' has {} times {} operations; at most {} are allowed", layer, a, b, kMostWork));
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

Chain chain_of(const std::vector<conv::Layer>& layers, std::vector<Node> nodes, bool gi_first) {
  if (layers.empty()) throw Error("the network has no convolution to put on a board");
  Chain chain;
  std::int64_t work = 0;
  std::size_t number = 0;
  for (Node& node : nodes) {
    const bool image = std::count(node.inputs.begin(), node.inputs.end(), kImage) > 0;
    if (node.kind != Node::Kind::Layer) {
      if (image) throw Error("a pool, sum or concatenation reads the image: only convolutions can");
      continue;
    }
    const conv::Layer& layer = layers.at(number++);
    if (layer.transposed) {
      throw Error(
          fmt::format("layer {} is a transposed convolution, which a chain of boards cannot compute", layer.name));
    }
    ChainLayer each;
    each.name = layer.name;
    each.passes = image && !gi_first ? 2 : 3;
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
    node.output = each.output;
    work += product(layer.name, product(layer.name, product(layer.name, layer.filters, each.filter_words), each.pixels),
                    each.passes);
    if (work > kMostWork) throw Error(fmt::format("the network has more than {} operations an image", kMostWork));
    chain.layers.push_back(each);
  }
  chain.nodes = std::move(nodes);
  return chain;
}

}  // namespace weft::fpdeep
