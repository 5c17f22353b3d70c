#include "platform/studies/cluster/array_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "model/core/error.h"
#include "model/pipeline/analytical.h"
#include "model/pipeline/exact.h"
#include "platform/studies/cluster/training_layers.h"

namespace weft::cluster {

using fpdeep::Storage;
using workloads::Graph;
using workloads::Operator;
using workloads::TensorId;
using workloads::TensorKind;

namespace {

double to_double(const Rational& value) {
  return boost::rational_cast<double>(value);
}

void check_chain(const Graph& graph) {
  for (const Operator& op : graph.operators) {
    const auto computed = std::count_if(op.inputs.begin(), op.inputs.end(), [&](TensorId input) {
      const TensorKind kind = graph.tensors[input].kind;
      return kind == TensorKind::Activation || kind == TensorKind::Input;
    });
    if (computed > 1) {
      throw Error(fmt::format("the network is no chain: operator '{}' joins {} activations", op.name, computed));
    }
    for (const TensorId output : op.outputs) {
      if (graph.tensors[output].consumers.size() > 1) {
        throw Error(fmt::format("the network is no chain: {} operators read the output of '{}'; use one such as vgg16",
                                graph.tensors[output].consumers.size(), op.name));
      }
    }
  }
}

std::vector<Storage> weights_of(const std::vector<Storage>& stored) {
  std::vector<Storage> weights;
  weights.reserve(stored.size());
  for (const Storage& each : stored) weights.push_back({each.weights, 0, 0, 0});
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
    ArrayBoard& board = boards.emplace_back(ArrayBoard{
        work.dsp, work.cycles, stored.all(), stored.weights, stored.gradients, stored.features, stored.lines, {}});
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
  check_chain(network.graph);
  const workloads::Network& net = network.network;
  Words behind = 0;
  if (!net.fully_connected.empty()) {
    behind = net.fully_connected.front().rows * net.fully_connected.front().in_features;
  } else if (!net.layers.empty()) {
    const conv::Layer& last = net.layers.back();
    behind = Words{last.filters} * last.h.out() * last.w.out();
  }
  return fpdeep::chain_of(net.layers, behind, gi_first);
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
  Divided(const ArrayConfig& config, const ArrayPlan& plan) : config_(config), plan_(plan) {}

  void add(const pipeline::TrainingLayer& layer) {
    if (layer.gw == 0) {
      pools_.push_back(layer);
    } else {
      convolution(layer);
      ++convolution_;
    }
  }
  void finish() {
    board_ = boards.empty() ? 0 : boards.back();
    at_ = pooled(at_);
  }

  std::vector<pipeline::TrainingLayer> layers;
  std::vector<std::size_t> boards;  // of each layer

 private:
  std::size_t put(pipeline::TrainingLayer layer) {
    layers.push_back(std::move(layer));
    boards.push_back(board_);
    return layers.size() - 1;
  }

  // Adds the pools that wait after `from`.
  std::size_t pooled(std::size_t from) {
    for (pipeline::TrainingLayer pool : pools_) {
      if (board_ != home_) pool.name += fmt::format(" on board {}", board_ + 1);
      pool.inputs = {from};
      from = put(std::move(pool));
    }
    return from;
  }

  void convolution(const pipeline::TrainingLayer& layer) {
    board_ = home_;
    if (config_.storage.features == fpdeep::Features::Pooled) {
      at_ = pooled(at_);
      pools_.clear();
    }
    std::vector<std::size_t> parts;
    for (std::size_t board = 0; board < plan_.boards.size(); ++board) {
      for (const fpdeep::Part& part : plan_.boards[board].parts) {
        if (part.layer != convolution_) continue;
        board_ = board;
        pipeline::TrainingLayer each = layer;
        each.filters = part.filters();
        each.f = each.gi = each.gw = part.cycles_a_pixel;
        if (part.filters() < layer.filters) each.name += fmt::format(" part {}", parts.size() + 1);
        each.inputs = {pooled(at_)};
        parts.push_back(put(std::move(each)));
      }
    }
    pools_.clear();
    home_ = board_;
    at_ = parts.front();
    if (parts.size() == 1) return;
    pipeline::TrainingLayer joined{
        layer.name, pipeline::TrainingLayer::Kind::Concatenation, parts, {}, {}, layer.filters, layer.filters};
    joined.h.size = layer.h.out();
    joined.w.size = layer.w.out();
    at_ = put(std::move(joined));
  }

  const ArrayConfig& config_;
  const ArrayPlan& plan_;
  std::vector<pipeline::TrainingLayer> pools_;  // after the latest convolution
  std::size_t at_ = pipeline::kNetworkInput, convolution_ = 0, board_ = 0;
  std::size_t home_ = 0;  // board that gives the output of the latest convolution
};

}  // namespace

pipeline::Training array_pipeline(const ArrayConfig& config, const ArrayPlan& plan,
                                  const workloads::ImportedGraph& network) {
  Divided divided(config, plan);
  for (const pipeline::TrainingLayer& layer : training_layers(network, 1)) {
    if (layer.kind == pipeline::TrainingLayer::Kind::Whole) break;
    divided.add(layer);
  }
  divided.finish();
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
