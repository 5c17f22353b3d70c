#include "platform/studies/cluster/array_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "model/core/error.h"
#include "model/pipeline/analytical.h"
#include "model/pipeline/exact.h"
#include "platform/studies/cluster/training_layers.h"

namespace weft::cluster {

using fpdeep::Storage;
using pipeline::TrainingLayer;

namespace {

double to_double(const Rational& value) {
  return boost::rational_cast<double>(value);
}

// Layers up to the first that reads a whole image.
std::vector<TrainingLayer> array_layers(const workloads::ImportedGraph& network) {
  std::set<std::string> convolutions;
  for (const workloads::Operator& op : network.graph.operators) {
    if (std::holds_alternative<workloads::ConvolutionOp>(op.what)) convolutions.insert(op.name);
  }
  std::vector<TrainingLayer> layers = training_layers(network, 1);
  const auto end = std::find_if(layers.begin(), layers.end(), [&](const TrainingLayer& layer) {
    return layer.kind == TrainingLayer::Kind::Whole || (layer.gw > 0 && convolutions.count(layer.name) == 0);
  });
  const auto later =
      std::find_if(end, layers.end(), [&](const TrainingLayer& layer) { return convolutions.count(layer.name) > 0; });
  if (later != layers.end()) {
    throw Error(
        fmt::format("convolution '{}' follows '{}', which reads a whole image; on FPDeep's boards convolutions "
                    "read pixel by pixel",
                    later->name, end->name));
  }
  layers.erase(end, layers.end());
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
    const bool read = std::any_of(layers.begin(), layers.end(), [&](const TrainingLayer& layer) {
      return std::count(layer.inputs.begin(), layer.inputs.end(), i) > 0;
    });
    if (!read) {
      throw Error(fmt::format("no convolution reads the output of '{}'; on FPDeep's boards a network has one output",
                              layers[i].name));
    }
  }
  return layers;
}

bool is_pool(const TrainingLayer& layer) {
  return layer.kind == TrainingLayer::Kind::Windowed && layer.gw == 0;
}

std::vector<Storage> weights_of(const std::vector<Storage>& stored) {
  std::vector<Storage> weights;
  weights.reserve(stored.size());
  for (const Storage& each : stored) weights.push_back({each.weights});
  return weights;
}

// Location of the busiest link: "behind features.0", "within features.3, .42 of it left".
std::string place_text(const ArrayPlan& plan, const Scaling& scaling) {
  if (!scaling.busiest) return "no link";
  const fpdeep::Cut& cut = *scaling.busiest;
  const std::string& layer = plan.chain.layers[cut.layer].name;
  if (cut.left == 1) return "behind " + layer;
  const bool output = fpdeep::link_words(plan.chain, cut, scaling.reading.links).partition == fpdeep::Partition::Output;
  return fmt::format("within {} ({:.2f} left, {} features)", layer, to_double(cut.left), output ? "output" : "input");
}

std::vector<ArrayBoard> boards_of(const ArrayPlan& plan) {
  std::vector<ArrayBoard> boards;
  for (std::size_t i = 0; i < plan.boards.size(); ++i) {
    const fpdeep::BoardWork& work = plan.boards[i];
    const Storage& stored = plan.stored[i];
    ArrayBoard& board = boards.emplace_back(ArrayBoard{work.dsp,
                                                       work.cycles,
                                                       stored.all(),
                                                       stored.weights,
                                                       stored.gradients,
                                                       stored.features,
                                                       stored.lines,
                                                       stored.waiting,
                                                       {}});
    for (const fpdeep::Part& part : work.parts) {
      const fpdeep::ChainLayer& layer = plan.chain.layers[part.layer];
      board.parts.push_back(
          {layer.name, part.first, part.filters(), layer.filters, part.dsp, part.cycles_a_pixel, part.cycles});
    }
  }
  return boards;
}

}  // namespace

fpdeep::Chain array_chain(const workloads::ImportedGraph& network, bool gi_first) {
  using fpdeep::Node;
  const workloads::Network& net = network.network;
  std::vector<Node> nodes;
  for (const TrainingLayer& layer : array_layers(network)) {
    Node& node = nodes.emplace_back();
    node.kind = layer.gw > 0 ? Node::Kind::Layer : is_pool(layer) ? Node::Kind::Pool : Node::Kind::Join;
    for (const std::size_t input : layer.inputs) {
      node.inputs.push_back(input == pipeline::kNetworkInput ? fpdeep::kImage : input);
    }
    node.output = layer.out() * layer.filters;
  }
  if (!net.fully_connected.empty() && !nodes.empty()) {
    const Words read = net.fully_connected.front().rows * net.fully_connected.front().in_features;
    if (read != nodes.back().output) nodes.push_back({Node::Kind::Pool, {nodes.size() - 1}, read});
  }
  return fpdeep::chain_of(net.layers, std::move(nodes), gi_first);
}

double ArrayPlan::images_per_second(const ArrayConfig& config) const {
  return to_double(config.clock_mhz) * 1e6 / static_cast<double>(fpdeep::period(boards));
}

ArrayPlan plan_array(const ArrayConfig& config, const workloads::ImportedGraph& network) {
  ArrayPlan plan;
  plan.chain = array_chain(network, config.gi_first);
  plan.boards = fpdeep::assign(plan.chain, config.boards, config.dsp);
  plan.stored = fpdeep::storage(plan.chain, plan.boards, config.storage);
  const Words words = config.board_words();
  plan.storage = fpdeep::balance_storage(plan.chain, plan.boards, plan.stored, words, config.storage.fetch);
  plan.weights_only =
      fpdeep::balance_storage(plan.chain, plan.boards, weights_of(plan.stored), words, config.storage.fetch);
  const double rate = plan.images_per_second(config);
  const double each = rate / config.boards;
  for (const Words fetched : plan.weights_only.fetched) {
    plan.fetch_bits_per_s = std::max(plan.fetch_bits_per_s, static_cast<double>(fetched) * config.word_bits * rate);
  }
  for (const NamedReading& reading : config.readings) {
    Scaling& scaling = plan.scalings.emplace_back();
    scaling.reading = reading;
    const double bits_per_s = reading.bits_per_s();
    scaling.busiest = fpdeep::busiest(plan.chain, config.boards, reading.links);
    if (scaling.busiest) {
      scaling.busiest_bits_per_s =
          to_double(link_words(plan.chain, *scaling.busiest, reading.links).most()) * config.word_bits * rate;
    }
    for (int boards = 1; boards <= config.scaling_to; ++boards) {
      scaling.images_per_second.push_back(
          fpdeep::images_per_second(plan.chain, boards, reading.links, each, bits_per_s, config.word_bits));
    }
    scaling.linear_boards =
        fpdeep::linear_boards(plan.chain, reading.links, each, bits_per_s, config.word_bits, config.scaling_to);
  }
  return plan;
}

Cluster::Plan ArrayConfig::plan(const workloads::ImportedGraph& graph, const nada::Progress&) const {
  const ArrayPlan plan = plan_array(*this, graph);
  const SimulatedArray simulated = simulate_array(*this, plan, graph);
  ArrayResult result;
  result.head = head();
  result.balance = fpdeep::balance(plan.boards);
  result.cycles_an_image = fpdeep::period(plan.boards);
  result.images_per_second = plan.images_per_second(*this);
  const double rate = to_double(clock_mhz) * 1e6 / to_double(simulated.period);
  result.simulated = {to_double(simulated.period),
                      rate,
                      rate / result.images_per_second - 1,
                      simulated.slowest,
                      this->simulated().name,
                      simulated.latency};
  result.images_per_second_per_board = result.images_per_second / boards;
  // One MAC is two operations.
  result.gops_per_board = 2e-9 * static_cast<double>(plan.chain.work()) * result.images_per_second_per_board;
  result.peak_gops_per_board = peak_gops();
  const fpdeep::Balanced& all = plan.storage;
  result.memory = {all.all,
                   all.room,
                   all.fits,
                   board_words(),
                   all.fullest + 1,
                   all.excess[all.fullest],
                   plan.weights_only.fullest + 1,
                   plan.fetch_bits_per_s / 1e9};
  result.storage_reading = storage_text(storage);
  result.boards = boards_of(plan);
  result.scaling_to = scaling_to;
  for (const Scaling& scaling : plan.scalings) {
    result.readings.push_back({scaling.reading.name, reading_text(scaling.reading), scaling.linear_boards,
                               scaling.reading.bits_per_s() / 1e9, scaling.busiest_bits_per_s / 1e9,
                               place_text(plan, scaling), scaling.images_per_second});
  }
  std::copy_if(published.begin(), published.end(), std::back_inserter(result.published), [&](const auto& each) {
    return each.board == board.name && std::count(each.networks.begin(), each.networks.end(), network) > 0;
  });
  result.assumed = assumed;
  return result;
}

namespace {

constexpr std::int64_t kImagesOfArray = 100;  // number of images within which the array's schedule repeats

}  // namespace

namespace {

// Layers of the array, each on one board: convolutions are divided into their parts.
class Divided {
 public:
  Divided(const ArrayConfig& config, const ArrayPlan& plan, const std::vector<TrainingLayer>& whole)
      : pooled_(config.storage.features == fpdeep::Features::Pooled), plan_(plan), whole_(whole) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::size_t home = 0;
      for (const std::size_t input : whole[i].inputs) {
        if (input != pipeline::kNetworkInput) home = std::max(home, home_[input]);
      }
      home_.push_back(home);
      if (whole[i].gw > 0) {
        convolution(i);
      } else if (!is_pool(whole[i])) {
        join(i);
      }
    }
    given(whole.size() - 1, plan.boards.size() - 1);
  }

  std::vector<TrainingLayer> layers;
  std::vector<std::size_t> boards;  // of each layer

 private:
  std::size_t put(TrainingLayer layer, std::size_t board) {
    layers.push_back(std::move(layer));
    boards.push_back(board);
    return layers.size() - 1;
  }

  // Layer that gives the output of `of` to a reader on `board`. Adds the pools between them.
  std::size_t given(std::size_t of, std::size_t board) {
    if (of == pipeline::kNetworkInput) return of;
    if (!is_pool(whole_[of])) return given_.at({of, 0});
    if (pooled_) board = home_[of];
    const auto found = given_.find({of, board});
    if (found != given_.end()) return found->second;
    TrainingLayer pool = whole_[of];
    pool.inputs = {given(pool.inputs[0], board)};
    if (board != home_[of]) pool.name += fmt::format(" on board {}", board + 1);
    return given_[{of, board}] = put(std::move(pool), board);
  }

  void join(std::size_t i) {
    TrainingLayer layer = whole_[i];
    for (std::size_t& input : layer.inputs) input = given(input, home_[i]);
    given_[{i, 0}] = put(std::move(layer), home_[i]);
  }

  void convolution(std::size_t i) {
    const TrainingLayer& layer = whole_[i];
    std::vector<std::size_t> parts;
    for (std::size_t board = 0; board < plan_.boards.size(); ++board) {
      for (const fpdeep::Part& part : plan_.boards[board].parts) {
        if (part.layer != convolution_) continue;
        home_[i] = board;
        TrainingLayer each = layer;
        each.filters = part.filters();
        each.f = each.gi = each.gw = part.cycles_a_pixel;
        if (part.filters() < layer.filters) each.name += fmt::format(" part {}", parts.size() + 1);
        each.inputs = {given(layer.inputs[0], board)};
        parts.push_back(put(std::move(each), board));
      }
    }
    ++convolution_;
    given_[{i, 0}] = parts.front();
    if (parts.size() == 1) return;
    TrainingLayer joined{layer.name, TrainingLayer::Kind::Concatenation, parts, {}, {}, layer.filters, layer.filters};
    joined.h.size = layer.h.out();
    joined.w.size = layer.w.out();
    given_[{i, 0}] = put(std::move(joined), home_[i]);
  }

  const bool pooled_;
  const ArrayPlan& plan_;
  const std::vector<TrainingLayer>& whole_;
  std::size_t convolution_ = 0;
  std::vector<std::size_t> home_;  // board that gives the output of each layer; of a pool: of its input
  // Layer with the output of a layer; of a pool also for the board that reads it.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> given_;
};

}  // namespace

pipeline::Training array_pipeline(const ArrayConfig& config, const ArrayPlan& plan,
                                  const workloads::ImportedGraph& network) {
  const std::vector<TrainingLayer> whole = array_layers(network);
  const Divided divided(config, plan, whole);
  pipeline::Boards boards;
  boards.board_of = divided.boards;
  boards.word_bits = config.word_bits;
  boards.link.frames = config.simulated().frames();
  boards.link.clock = config.clock_mhz;
  return pipeline::training(divided.layers, 0, &boards);
}

SimulatedArray simulate_array(const ArrayConfig& config, const ArrayPlan& plan,
                              const workloads::ImportedGraph& network) {
  pipeline::Training array = array_pipeline(config, plan, network);
  const pipeline::Simulated simulated = pipeline::size_fifos(array, kImagesOfArray).simulated;
  return {simulated.period(), pipeline::slowest_block(array.pipeline).name, simulated.ends.front()};
}

}  // namespace weft::cluster
