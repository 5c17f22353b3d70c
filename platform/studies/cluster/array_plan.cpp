#include "platform/studies/cluster/array_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "model/core/error.h"
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
  const SimulatedArray simulated = simulate_array(plan, graph);
  ArrayResult result;
  result.head = head();
  result.balance = fpdeep::balance(plan.boards);
  result.cycles_an_image = fpdeep::period(plan.boards);
  result.images_per_second = plan.images_per_second(*this);
  result.simulated = {to_double(simulated.period), simulated.latency};
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

pipeline::Training array_pipeline(const ArrayPlan& plan, const workloads::ImportedGraph& network) {
  using pipeline::TrainingLayer;
  std::vector<TrainingLayer> layers = training_layers(network, 1);
  const auto first_whole = std::find_if(layers.begin(), layers.end(), [](const TrainingLayer& layer) {
    return layer.kind == TrainingLayer::Kind::Whole;
  });
  layers.erase(first_whole, layers.end());
  std::size_t convolution = 0;
  for (TrainingLayer& layer : layers) {
    if (layer.gw == 0) continue;
    Cycles slowest = 1;
    for (const fpdeep::BoardWork& board : plan.boards) {
      for (const fpdeep::Part& part : board.parts) {
        if (part.layer == convolution) slowest = std::max(slowest, part.cycles_a_pixel);
      }
    }
    layer.f = layer.gi = layer.gw = slowest;
    ++convolution;
  }
  return pipeline::training(layers);
}

SimulatedArray simulate_array(const ArrayPlan& plan, const workloads::ImportedGraph& network) {
  pipeline::Training array = array_pipeline(plan, network);
  pipeline::size_fifos(array);
  const pipeline::Simulated simulated = pipeline::simulate(array.pipeline, kImagesOfArray);
  if (!simulated.recurrence) {
    throw Error(fmt::format("the array reaches no steady state within {} images", kImagesOfArray));
  }
  return {simulated.recurrence->period(), simulated.ends.front()};
}

}  // namespace weft::cluster
