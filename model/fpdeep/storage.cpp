#include "model/fpdeep/storage.h"

#include <algorithm>

#include "model/core/error.h"

namespace weft::fpdeep {
namespace {

constexpr const char* kWords = "the words that a board stores";

// Part of `words`, rounded up.
Words share(Words words, const Part& part, const ChainLayer& layer) {
  return ceil_div(checked::product(kWords, {words, part.filters()}), layer.filters);
}

// Of an image's time, for the layer reads at the pace at which the one before it writes.
double lag_of(const ChainLayer& layer, Lag lag) {
  const int rows = layer.kernel - layer.pad_begin;
  const double pixels = lag == Lag::Rows ? static_cast<double>(rows) * layer.columns
                                         : static_cast<double>(rows - 1) * layer.columns + rows;
  return std::max(0.0, pixels / (static_cast<double>(layer.rows) * layer.columns));
}

// Rows of an image for which weights are fetched: those are kept elsewhere that are needed for the fewest.
std::int64_t rows_of(const Chain& chain, const BoardWork& board) {
  std::int64_t rows = chain.layers[board.parts.front().layer].out_rows;
  for (const Part& part : board.parts) rows = std::min<std::int64_t>(rows, chain.layers[part.layer].out_rows);
  return rows;
}

}  // namespace

double residence(const Chain& chain, std::size_t layer, Lag lag) {
  double sum = 0;
  for (std::size_t i = layer; i < chain.layers.size(); ++i) sum += 2 * lag_of(chain.layers[i], lag);
  return sum;
}

std::vector<Storage> storage(const Chain& chain, const std::vector<BoardWork>& boards, const StorageReading& reading) {
  std::vector<Storage> result;
  for (const BoardWork& board : boards) {
    Storage& stored = result.emplace_back();
    for (const Part& part : board.parts) {
      const ChainLayer& layer = chain.layers[part.layer];
      const Words weights = part.filters() * layer.filter_words;
      stored.weights += weights;
      if (reading.gradients == Gradients::Own) stored.gradients += weights;
      const double kept = residence(chain, part.layer, reading.lag) * static_cast<double>(layer.input);
      checked::add(stored.features, share(checked::rounded_up(kWords, kept), part, layer), kWords);
      const Words row = layer.input / layer.rows;
      checked::add(stored.lines, share(checked::product(kWords, {2, layer.kernel - 1, row}), part, layer), kWords);
    }
    checked::sum(kWords, {stored.weights, stored.gradients, stored.features, stored.lines});
  }
  return result;
}

Balanced balance_storage(const Chain& chain, const std::vector<BoardWork>& boards, const std::vector<Storage>& stored,
                         Words words, WeightFetch fetch) {
  Balanced result;
  result.room = checked::product("the words that all boards may store", {words, static_cast<Words>(boards.size())});
  for (std::size_t i = 0; i < boards.size(); ++i) {
    checked::add(result.all, stored[i].all(), "the words that all boards store");
    if (stored[i].all() > stored[result.fullest].all()) result.fullest = i;
    const Words excess = std::max<Words>(0, stored[i].all() - words);
    result.excess.push_back(excess);
    // Weights are what is kept elsewhere: of them at most all.
    const Words kept = std::min(excess, stored[i].weights);
    result.fetched.push_back(fetch == WeightFetch::Image ? kept : kept * rows_of(chain, boards[i]));
  }
  result.fits = result.all <= result.room;
  return result;
}

}  // namespace weft::fpdeep
