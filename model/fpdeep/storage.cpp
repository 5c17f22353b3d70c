#include "model/fpdeep/storage.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "model/core/error.h"

namespace weft::fpdeep {
namespace {

constexpr const char* kWords = "the words that a board stores";

// Share of a part in `words`, rounded up.
Words share(Words words, const Part& part, const ChainLayer& layer) {
  return ceil_div(checked::product(kWords, {words, part.filters()}), layer.filters);
}

// Lag as a fraction of the time of an image: the layer reads at the rate at which its predecessor writes.
double lag_of(const ChainLayer& layer, Lag lag) {
  const int rows = layer.kernel - layer.pad_begin;
  const double pixels = lag == Lag::Rows ? static_cast<double>(rows) * layer.columns
                                         : static_cast<double>(rows - 1) * layer.columns + rows;
  return std::max(0.0, pixels / (static_cast<double>(layer.rows) * layer.columns));
}

// Words of an image that a layer gives to the next.
Words sent(const Chain& chain, std::size_t layer, Features features) {
  if (features == Features::Unpooled) return chain.layers[layer].output;
  return layer + 1 < chain.layers.size() ? chain.layers[layer + 1].input : chain.behind;
}

Words input_of(const Chain& chain, std::size_t layer, Features features) {
  return layer == 0 ? chain.layers[0].input : sent(chain, layer - 1, features);
}

// Rows of an image for which weights are fetched. The weights of the layer with the fewest rows are kept elsewhere.
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
      const double kept = residence(chain, part.layer, reading.lag) *
                          static_cast<double>(input_of(chain, part.layer, reading.features));
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
    // Only weights are kept elsewhere, at most all of them.
    const Words kept = std::min(excess, stored[i].weights);
    result.fetched.push_back(fetch == WeightFetch::Image ? kept : kept * rows_of(chain, boards[i]));
  }
  result.fits = result.all <= result.room;
  return result;
}

namespace {

// Work in units of the greatest common divisor of all layers, so that positions are small numbers.
struct Scaled {
  std::vector<std::int64_t> work;
  std::int64_t sum = 0;
};

Scaled scaled(const Chain& chain) {
  std::int64_t unit = 0;
  for (const ChainLayer& layer : chain.layers) unit = std::gcd(unit, layer.work());
  unit = std::max<std::int64_t>(unit, 1);
  Scaled result;
  for (const ChainLayer& layer : chain.layers) result.work.push_back(layer.work() / unit);
  result.sum = chain.work() / unit;
  return result;
}

double to_double(const Rational& value) {
  return boost::rational_cast<double>(value);
}

}  // namespace

std::vector<Cut> even_cuts(const Chain& chain, int boards) {
  const Scaled scale = scaled(chain);
  Words largest = 1;
  for (const ChainLayer& layer : chain.layers) largest = std::max({largest, layer.input, layer.output, chain.behind});
  // x * OF has a denominator of at most boards * W_l.
  if (scale.sum > std::numeric_limits<std::int64_t>::max() / boards / largest / 4) {
    throw Error(
        fmt::format("{} boards cut the layers into fractions that do not fit 64 bits: use fewer boards", boards));
  }
  std::vector<Cut> cuts;
  std::size_t layer = 0;
  std::int64_t before = 0;  // work of the layers before `layer`
  for (int board = 1; board < boards; ++board) {
    const Rational position(scale.sum * board, boards);
    while (position > before + scale.work[layer]) before += scale.work[layer++];
    cuts.push_back({board, layer, (position - before) / scale.work[layer]});
  }
  return cuts;
}

LinkWords link_words(const Chain& chain, const Cut& cut, const LinkReading& reading) {
  const Words out = sent(chain, cut.layer, reading.features);
  if (cut.left == 1) return {out, out, reading.partition};
  const Words in = input_of(chain, cut.layer, reading.features);
  const Rational by_output = in + cut.left * out;
  const Rational by_input = (1 - cut.left) * in + out;
  const bool output =
      reading.partition == Partition::Better ? by_output <= by_input : reading.partition == Partition::Output;
  // Both partitions send equally many words left and right: a gradient, or a part of a sum, for each feature.
  return output ? LinkWords{by_output, by_output, Partition::Output} : LinkWords{by_input, by_input, Partition::Input};
}

std::optional<Cut> busiest(const Chain& chain, int boards, const LinkReading& reading) {
  std::vector<Cut> cuts;
  if (reading.cuts == Cuts::Boundaries) {
    for (std::size_t layer = 0; layer + 1 < chain.layers.size() && boards > 1; ++layer) cuts.push_back({0, layer, 1});
  } else {
    cuts = even_cuts(chain, boards);
  }
  const auto most = std::max_element(cuts.begin(), cuts.end(), [&](const Cut& a, const Cut& b) {
    return link_words(chain, a, reading).most() < link_words(chain, b, reading).most();
  });
  return most == cuts.end() ? std::nullopt : std::optional<Cut>(*most);
}

double images_per_second(const Chain& chain, int boards, const LinkReading& reading, double images_per_s,
                         double bits_per_s, int word_bits) {
  const double computed = boards * images_per_s;
  const std::optional<Cut> cut = busiest(chain, boards, reading);
  if (!cut) return computed;
  return std::min(computed, bits_per_s / (to_double(link_words(chain, *cut, reading).most()) * word_bits));
}

int linear_boards(const Chain& chain, const LinkReading& reading, double images_per_s, double bits_per_s, int word_bits,
                  int most) {
  for (int boards = 1; boards <= most; ++boards) {
    const double rate = images_per_second(chain, boards, reading, images_per_s, bits_per_s, word_bits);
    if (rate < boards * images_per_s) return boards - 1;
  }
  return most;
}

}  // namespace weft::fpdeep
