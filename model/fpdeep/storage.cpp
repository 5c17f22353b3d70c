#include "model/fpdeep/storage.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
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

// Rows of an image for which weights are fetched. The weights of the layer with the fewest rows are kept elsewhere.
std::int64_t rows_of(const Chain& chain, const BoardWork& board) {
  std::int64_t rows = chain.layers[board.parts.front().layer].out_rows;
  for (const Part& part : board.parts) rows = std::min<std::int64_t>(rows, chain.layers[part.layer].out_rows);
  return rows;
}

}  // namespace

namespace {

// Lags of the nodes of a chain, as fractions of an image: pools and joins have none.
class Lags {
 public:
  Lags(const Chain& chain, Lag lag) : chain_(chain), read_by_(readers(chain)), place_(places(chain)) {
    for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
      const Node& node = chain.nodes[i];
      own_.push_back(node.kind == Node::Kind::Layer ? lag_of(chain.layers[static_cast<std::size_t>(place_[i])], lag)
                                                    : 0);
      double latest = 0;
      for (const std::size_t input : node.inputs) latest = std::max(latest, arrival(input));
      arrival_.push_back(latest + own_[i]);
    }
    back_.assign(chain.nodes.size(), 0);
    next_.assign(chain.nodes.size(), kImage);
    for (std::size_t i = chain.nodes.size(); i-- > 0;) {
      for (const std::size_t reader : read_by_[i]) {
        if (next_[i] != kImage && gradient(reader) <= back_[i]) continue;
        back_[i] = gradient(reader);
        next_[i] = reader;
      }
    }
  }

  // Lag from the image to the output of a node.
  double arrival(std::size_t node) const { return node == kImage ? 0 : arrival_[node]; }
  // Lag from the end of the chain to the gradient of a node's input.
  double gradient(std::size_t node) const { return back_[node] + own_[node]; }
  // Twice the lag from the input of a layer to the end of the chain.
  double residence(std::size_t layer) const {
    double sum = 0;
    for (std::size_t node = node_of(layer); node != kImage; node = next_[node]) sum += 2 * own_[node];
    return sum;
  }

 private:
  std::size_t node_of(std::size_t layer) const {
    for (std::size_t i = 0; i < chain_.nodes.size(); ++i) {
      if (chain_.nodes[i].kind == Node::Kind::Layer && place_[i] == static_cast<std::int64_t>(layer)) return i;
    }
    return kImage;
  }

  const Chain& chain_;
  std::vector<std::vector<std::size_t>> read_by_;
  std::vector<std::int64_t> place_;
  std::vector<double> own_, arrival_, back_;  // back_: of the gradient of the node's output
  std::vector<std::size_t> next_;             // reader with the latest gradient; kImage: none
};

// Pixels of a tensor that arrive at one place with a lag.
struct Arriving {
  double lag = 0;
  Words words = 0;
};

// Words of all that wait for the latest.
Words waiting_of(const std::vector<Arriving>& all) {
  constexpr double kExact = 1e-6;  // of a word: rounding of the sums of lags
  double latest = 0;
  for (const Arriving& each : all) latest = std::max(latest, each.lag);
  Words words = 0;
  for (const Arriving& each : all) {
    const double waits = (latest - each.lag) * static_cast<double>(each.words) - kExact;
    checked::add(words, checked::rounded_up(kWords, std::max(0.0, waits)), kWords);
  }
  return words;
}

// Words that wait on each board.
class Waiting {
 public:
  Waiting(const Chain& chain, const std::vector<BoardWork>& boards, const StorageReading& reading)
      : chain_(chain),
        lags_(chain, reading.lag),
        tensors_(tensors(chain, reading.features)),
        place_(places(chain)),
        parts_(chain.layers.size()),
        words_(boards.size(), 0),
        unpooled_(reading.features == Features::Unpooled) {
    for (std::size_t board = 0; board < boards.size(); ++board) {
      for (const Part& part : boards[board].parts) parts_[part.layer].push_back(board);
    }
    joins();
    gradients();
  }

  const std::vector<Words>& words() const { return words_; }

 private:
  std::size_t board_at(std::size_t node) const { return parts_[static_cast<std::size_t>(place_[node])].back(); }
  Words given(std::size_t node) const { return node == kImage ? tensors_.all[0].words : chain_.nodes[node].output; }

  void joins() {
    for (std::size_t i = 0; i < chain_.nodes.size(); ++i) {
      if (chain_.nodes[i].kind != Node::Kind::Join) continue;
      std::vector<Arriving> arriving;
      for (const std::size_t input : chain_.nodes[i].inputs) arriving.push_back({lags_.arrival(input), given(input)});
      checked::add(words_[board_at(i)], waiting_of(arriving), kWords);
    }
  }

  // The image has no gradient. With unpooled features, the readers of a pool read the pool's input on their boards.
  void gradients() {
    std::vector<std::map<std::size_t, std::vector<Arriving>>> on(tensors_.all.size());  // of each tensor, by board
    for (std::size_t i = 0; i < chain_.nodes.size(); ++i) {
      const Node& node = chain_.nodes[i];
      if (node.kind == Node::Kind::Pool && unpooled_) continue;
      for (const std::size_t input : node.inputs) {
        if (input == kImage) continue;
        const Arriving arriving{lags_.gradient(i), given(input)};
        if (node.kind != Node::Kind::Layer) {
          on[tensors_.of[input]][board_at(i)].push_back(arriving);
          continue;
        }
        for (const std::size_t board : parts_[static_cast<std::size_t>(place_[i])]) {
          on[tensors_.of[input]][board].push_back(arriving);
        }
      }
    }
    for (std::size_t tensor = 1; tensor < on.size(); ++tensor) {
      std::vector<Arriving> sent;  // sum of the boards that are farther
      for (auto board = on[tensor].rbegin(); board != on[tensor].rend(); ++board) {
        std::vector<Arriving> all = board->second;
        all.insert(all.end(), sent.begin(), sent.end());
        checked::add(words_[board->first], waiting_of(all), kWords);
        const auto latest = std::max_element(all.begin(), all.end(),
                                             [](const Arriving& a, const Arriving& b) { return a.lag < b.lag; });
        sent.assign(1, {latest->lag, tensors_.all[tensor].words});
      }
    }
  }

  const Chain& chain_;
  Lags lags_;
  Tensors tensors_;
  std::vector<std::int64_t> place_;
  std::vector<std::vector<std::size_t>> parts_;  // boards of each layer
  std::vector<Words> words_;
  bool unpooled_;
};

}  // namespace

double residence(const Chain& chain, std::size_t layer, Lag lag) {
  return Lags(chain, lag).residence(layer);
}

std::vector<Storage> storage(const Chain& chain, const std::vector<BoardWork>& boards, const StorageReading& reading) {
  std::vector<Storage> result;
  const Lags lags(chain, reading.lag);
  const Tensors along = tensors(chain, reading.features);
  const Waiting waiting(chain, boards, reading);
  for (const BoardWork& board : boards) {
    Storage& stored = result.emplace_back();
    stored.waiting = waiting.words()[result.size() - 1];
    for (const Part& part : board.parts) {
      const ChainLayer& layer = chain.layers[part.layer];
      const Words weights = part.filters() * layer.filter_words;
      stored.weights += weights;
      if (reading.gradients == Gradients::Own) stored.gradients += weights;
      const double kept = lags.residence(part.layer) * static_cast<double>(along.all[along.input[part.layer]].words);
      checked::add(stored.features, share(checked::rounded_up(kWords, kept), part, layer), kWords);
      const Words row = layer.input / layer.rows;
      checked::add(stored.lines, share(checked::product(kWords, {2, layer.kernel - 1, row}), part, layer), kWords);
    }
    checked::sum(kWords, {stored.weights, stored.gradients, stored.features, stored.lines, stored.waiting});
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

// Most words that cross a cut, with all of the output of its layer.
Words most_words(const Chain& chain) {
  Words most = 1;
  for (const Features features : {Features::Unpooled, Features::Pooled}) {
    const Tensors along = tensors(chain, features);
    for (std::size_t layer = 0; layer < chain.layers.size(); ++layer) {
      Words words = along.output[layer];
      for (const Tensor& tensor : along.all) {
        if (tensor.within(static_cast<std::int64_t>(layer))) checked::add(words, tensor.words, "the words of a link");
      }
      most = std::max(most, words);
    }
  }
  return most;
}

double to_double(const Rational& value) {
  return boost::rational_cast<double>(value);
}

}  // namespace

std::vector<Cut> even_cuts(const Chain& chain, int boards) {
  const Scaled scale = scaled(chain);
  const Words largest = most_words(chain);
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

static LinkWords link_words(const Tensors& along, const Cut& cut, const LinkReading& reading) {
  const auto at = static_cast<std::int64_t>(cut.layer);
  Words in = 0, past = 0;  // the input of the layer, if nothing later reads it, and all else
  for (std::size_t i = 0; i < along.all.size(); ++i) {
    const Tensor& tensor = along.all[i];
    if (cut.left == 1 ? !tensor.after(at) : !tensor.within(at)) continue;
    const bool own = cut.left != 1 && i == along.input[cut.layer] && tensor.last == at && tensor.last_join < at;
    (own ? in : past) += tensor.words;
  }
  if (cut.left == 1) return {past, past, reading.partition};
  const Words out = along.output[cut.layer];
  const Rational by_output = past + in + cut.left * out;
  const Rational by_input = past + (1 - cut.left) * in + out;
  const bool output =
      reading.partition == Partition::Better ? by_output <= by_input : reading.partition == Partition::Output;
  // Both partitions send equally many words left and right: a gradient, or a part of a sum, for each feature.
  return output ? LinkWords{by_output, by_output, Partition::Output} : LinkWords{by_input, by_input, Partition::Input};
}

LinkWords link_words(const Chain& chain, const Cut& cut, const LinkReading& reading) {
  return link_words(tensors(chain, reading.features), cut, reading);
}

std::optional<Cut> busiest(const Chain& chain, int boards, const LinkReading& reading) {
  std::vector<Cut> cuts;
  if (reading.cuts == Cuts::Boundaries) {
    for (std::size_t layer = 0; layer + 1 < chain.layers.size() && boards > 1; ++layer) cuts.push_back({0, layer, 1});
  } else {
    cuts = even_cuts(chain, boards);
  }
  const Tensors along = tensors(chain, reading.features);
  const auto most = std::max_element(cuts.begin(), cuts.end(), [&](const Cut& a, const Cut& b) {
    return link_words(along, a, reading).most() < link_words(along, b, reading).most();
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
