#include "platform/studies/cluster/nada_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "model/core/error.h"
#include "model/pipeline/exact.h"
#include "platform/studies/cluster/training_layers.h"

namespace weft::cluster {

using pipeline::TrainingLayer;

namespace {

constexpr std::int64_t kImages = 32;  // number of images within which a pipeline repeats

std::map<std::string, int> groups_of(const workloads::ImportedGraph& network) {
  std::map<std::string, int> groups;
  for (const workloads::Operator& op : network.graph.operators) {
    if (const auto* const of = std::get_if<workloads::ConvolutionOp>(&op.what)) groups[op.name] = of->layer.groups;
  }
  return groups;
}

bool reads_image(const TrainingLayer& layer) {
  return std::find(layer.inputs.begin(), layer.inputs.end(), pipeline::kNetworkInput) != layer.inputs.end();
}

nada::Entity entity_of(const TrainingLayer& layer, int groups, const NadaConfig& config) {
  nada::Entity entity;
  entity.name = layer.name;
  entity.pixels = std::max(layer.in(), layer.out());
  entity.outputs = layer.out();
  entity.passes = layer.gw == 0 ? 0 : reads_image(layer) && !config.gi_first ? 2 : 3;
  if (layer.kind == TrainingLayer::Kind::Windowed) {
    // Line buffers of k - 1 dilated input rows, for F and again for GI.
    const Words rows = (std::int64_t{layer.h.kernel} - 1) * layer.h.dilation;
    entity.lines = checked::product("the words of the line buffers of a layer",
                                    {rows, layer.w.size, layer.channels, entity.passes == 3 ? 2 : 1});
  }
  if (entity.passes == 0) return entity;
  entity.channels = layer.channels / groups;
  entity.filters = layer.filters;
  entity.window = std::int64_t{layer.h.kernel} * layer.w.kernel;
  entity.stored = layer.in() * layer.channels;
  entity.weights_in_dram = config.fc_in_dram && layer.in() == 1 && entity.window == 1;
  return entity;
}

Cycles cycles_of(const Rational& us, const NadaConfig& config) {
  return us == 0 ? 0 : ceil(us * config.clock_mhz);
}

pipeline::Boards boards_in(const NadaConfig& config, const nada::Problem& problem, const nada::Plan& plan) {
  pipeline::Boards boards;
  boards.board_of = plan.board_of;
  boards.word_bits = config.word_bits;
  boards.link.frames = config.frames();
  boards.link.clock = config.clock_mhz;
  boards.transfer = config.dram_transfer_bytes;
  if (config.activations != nada::Activations::Dram) return boards;
  for (const nada::Board& board : problem.boards) {
    boards.dram.push_back(Rational(board.dram_bytes_per_s) / problem.clock_hz);
  }
  return boards;
}

pipeline::Faults faults_of(const NadaConfig& config) {
  pipeline::Faults faults;
  faults.lost = config.lost_per_million;
  faults.delayed = config.delayed_per_million;
  faults.resend_after = cycles_of(config.resend_after_us.value_or(0), config);
  faults.delay_by = cycles_of(config.delay_us, config);
  return faults;
}

// Gives the pipeline the links of the file, with the depths of FIFOs that suffice for links without faults.
void with_faults(pipeline::Training& training, const pipeline::Training& sized, const NadaConfig& config) {
  for (pipeline::FifoId id = 0; id < training.pipeline.fifos.size(); ++id) {
    training.pipeline.fifos[id].depth = sized.pipeline.fifos[id].depth;
  }
  if (!config.receive_bytes) return;
  for (const pipeline::FifoId id : training.links) {
    pipeline::Fifo& fifo = training.pipeline.fifos[id];
    const Bytes packet = ceil_div(training.token_words[id] * config.word_bits, 8);
    fifo.depth = *config.receive_bytes / packet;
    if (fifo.depth < 1) {
      throw Error(
          fmt::format("links.receive_bytes: {} bytes do not hold a packet of {} bytes of '{}'; allowed: at least "
                      "one packet of each tensor",
                      *config.receive_bytes, packet, fifo.name));
    }
  }
}

// Layers with the cycles of the chosen entities.
std::vector<TrainingLayer> planned_layers(std::vector<TrainingLayer> layers, const nada::Problem& problem,
                                          const nada::Plan& plan) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (problem.entities[i].passes == 0) continue;
    layers[i].f = layers[i].gi = layers[i].gw = nada::interval(problem.entities[i], plan.chosen[i].parallelism);
    layers[i].weights_in_dram = problem.entities[i].weights_in_dram;
  }
  return layers;
}

void set_times(SimulatedPlan& result, const pipeline::Pipeline& pipeline, const pipeline::Simulated& simulated) {
  result.period = simulated.period();
  result.latency = simulated.ends.front();
  result.slowest = pipeline::slowest_block(pipeline).name;
}

// Simulates links without faults, with FIFOs as deep as the rate needs. Streams that wait for a shared block may use it
// less than wholly: then images enter more slowly, by about the fewest fiftieths with which the FIFOs no longer grow.
SimulatedPlan simulate(const std::vector<TrainingLayer>& layers, const pipeline::Boards& boards, Cycles planned,
                       pipeline::Training& training) {
  const Cycles step = ceil_div(planned, Cycles{50});
  std::optional<pipeline::Depths> depths;
  const auto fits = [&](Cycles period) {
    pipeline::Training tried = pipeline::training(layers, period, &boards);
    auto found = pipeline::sized_fifos(tried, kImages);
    if (!found) return false;
    depths = std::move(found);
    training = std::move(tried);
    return true;
  };
  Cycles low = planned, high = planned;
  for (Cycles more = step; !fits(high); more *= 2) {
    low = high;
    high = planned + more;
    if (high > 4 * planned) {
      throw Error(fmt::format("the pipeline reaches no steady state within {} images at a quarter of the planned rate",
                              kImages));
    }
  }
  while (high - low > step) {
    const Cycles middle = low + (high - low) / 2;
    (fits(middle) ? high : low) = middle;
  }
  SimulatedPlan result;
  set_times(result, training.pipeline, depths->simulated);
  result.store_words = depths->stores;
  result.fifo_words = depths->others;
  return result;
}

// Simulates the links of the file, if these have faults or limits, with the same FIFOs.
void meet_faults(const NadaConfig& config, const std::vector<TrainingLayer>& layers, pipeline::Boards boards,
                 NadaPlan& planned) {
  boards.faults = faults_of(config);
  boards.wait_for_link = config.wait_for_link;
  if (!boards.faults.any() && config.wait_for_link && !config.receive_bytes) return;
  const pipeline::Training sized = planned.training;
  planned.training = pipeline::training(layers, planned.plan.period, &boards);
  with_faults(planned.training, sized, config);
  const pipeline::Pipeline& pipeline = planned.training.pipeline;
  set_times(planned.simulated, pipeline, pipeline::simulate(pipeline, kImages));
  for (const pipeline::Block& block : pipeline.blocks) {
    for (const pipeline::Stream& stream : block.streams) {
      planned.simulated.resent_frames +=
          static_cast<double>(stream.tokens * stream.faults.frames * stream.faults.lost) / 1e6;
    }
  }
}

// Block RAMs of the FIFOs per board; a FIFO is on its reader's board. Stores, with the activations, are left out.
std::vector<std::int64_t> fifo_blocks(const NadaPlan& planned) {
  constexpr const char* kWords = "the words of the FIFOs of a board";
  const pipeline::Training& training = planned.training;
  std::vector<Words> words(planned.plan.boards.size(), 0);
  for (pipeline::FifoId id = 0; id < training.pipeline.fifos.size(); ++id) {
    if (std::find(training.stores.begin(), training.stores.end(), id) != training.stores.end()) continue;
    const pipeline::Fifo& fifo = training.pipeline.fifos[id];
    checked::add(words[training.board[fifo.to]], checked::product(kWords, {fifo.depth, training.token_words[id]}),
                 kWords);
  }
  std::vector<std::int64_t> blocks;
  blocks.reserve(words.size());
  for (const Words each : words) blocks.push_back(ceil_div(each, planned.problem.costs.m20k_words));
  return blocks;
}

// Returns true if the FIFOs of every board fit into what the layers leave of its blocks. Otherwise lowers the limit for
// the layers. Limits only decrease, so repeated calls end with FIFOs that fit or with no plan.
bool keep_room(NadaPlan& planned, const NadaConfig& config) {
  bool fits = true;
  for (std::size_t board = 0; board < planned.fifo_blocks.size(); ++board) {
    const std::int64_t whole = config.usable(board).limit.m20k;
    if (planned.plan.boards[board].use.m20k + planned.fifo_blocks[board] <= whole) continue;
    planned.problem.boards[board].limit.m20k = std::max<std::int64_t>(whole - planned.fifo_blocks[board], 0);
    fits = false;
  }
  return fits;
}

NadaLimit limit_of(const NadaConfig& config, std::size_t at) {
  const nada::Board board = config.usable(at);
  NadaLimit limit{
      board.limit.dsp, board.limit.m20k, board.limit.mlab, {}, {}, static_cast<double>(config.link_goodput()) / 1e9};
  if (board.limit.registers < kUnbounded) limit.registers = board.limit.registers;
  if (board.dram_bytes_per_s < kUnbounded) limit.dram_gbytes_per_s = static_cast<double>(board.dram_bytes_per_s) / 1e9;
  return limit;
}

std::vector<NadaBoard> boards_of(const NadaPlan& planned, const NadaConfig& config) {
  const nada::Plan& plan = planned.plan;
  const double rate = planned.images_per_second(plan.period);
  const auto name = [&](const nada::Placed& board, std::size_t at) {
    return board.entities == 0 ? "" : planned.problem.entities[at].name;
  };
  std::vector<NadaBoard> boards;
  for (std::size_t i = 0; i < plan.boards.size(); ++i) {
    const nada::Placed& placed = plan.boards[i];
    NadaBoard& board = boards.emplace_back(NadaBoard{name(placed, placed.first),
                                                     name(placed, placed.last - 1),
                                                     placed.entities,
                                                     placed.use,
                                                     planned.fifo_blocks[i],
                                                     static_cast<double>(placed.dram_bytes) * rate / 1e9,
                                                     {},
                                                     {},
                                                     {}});
    if (!config.row.empty()) {
      board.board = config.row[i].name;
      board.limit = limit_of(config, i);
    }
    if (i >= plan.link_words.size()) continue;
    board.link_gbits_per_s = static_cast<double>(plan.link_words[i]) * config.word_bits * rate / 1e9;
  }
  return boards;
}

std::vector<NadaLayer> layers_of(const NadaPlan& planned) {
  std::vector<NadaLayer> layers;
  for (std::size_t i = 0; i < planned.problem.entities.size(); ++i) {
    const nada::Entity& entity = planned.problem.entities[i];
    const auto& [lanes, used] = planned.plan.chosen[i];
    layers.push_back({entity.name, planned.plan.board_of[i] + 1, entity.passes, lanes,
                      entity.passes == 0 ? 1 : nada::interval(entity, lanes), nada::cycles(entity, lanes), used});
  }
  return layers;
}

NadaSimulated simulated_of(const NadaConfig& config, const NadaPlan& planned) {
  const SimulatedPlan& simulated = planned.simulated;
  const double period = boost::rational_cast<double>(simulated.period);
  std::int64_t left = 0;
  for (int i = 0; i < config.boards; ++i) left += config.usable(static_cast<std::size_t>(i)).limit.m20k;
  for (const nada::Placed& board : planned.plan.boards) left -= board.use.m20k;
  const double rate = planned.images_per_second(simulated.period);
  return {period,
          rate,
          rate / planned.images_per_second(planned.plan.period) - 1,
          simulated.slowest,
          simulated.resent_frames,
          simulated.latency,
          static_cast<double>(simulated.latency) / period,
          simulated.store_words,
          simulated.fifo_words,
          ceil_div(simulated.fifo_words, config.costs.m20k_words),
          left};
}

// True if the row is about the network and the boards of the file.
bool is_of(const PublishedRate& row, const NadaConfig& config) {
  const std::string cluster = fmt::format("{} x {}", config.boards, config.board.name);
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return config.row.empty() && row.network == config.network &&
         std::equal(cluster.begin(), cluster.end(), row.cluster.begin(), row.cluster.end(), same);
}

// Kinds of memory of the boards that no plan uses.
std::vector<std::string> left_out(const NadaConfig& config) {
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < std::max<std::size_t>(config.row.size(), 1); ++i) {
    const config::Board& board = config.board_at(i);
    const std::int64_t urams = board.uram ? board.uram->usable : 0;
    if (urams > 0) kinds.push_back(fmt::format("{} UltraRAMs of {}", urams, board.name));
    if (!board.mlab) kinds.push_back(fmt::format("LUT RAM of {}", board.name));
  }
  return kinds;
}

// `latency_images`: latency of the plan in images.
NadaPublished published_of(const PublishedRate& row, const NadaPlan& planned, double latency_images) {
  const auto measured = static_cast<double>(row.measured), rate = static_cast<double>(row.planned);
  NadaPublished published{row, 1000. / measured - 1000. / rate, kEpochs, row.epochs_hours(), {}};
  const double period = static_cast<double>(planned.problem.clock_hz) / rate;
  const auto batch = [&](double update) {
    return implied_batch(measured / rate, period, latency_images * period, update);
  };
  published.implied_batch = {batch(0), batch(static_cast<double>(planned.update)), planned.update};
  return published;
}

}  // namespace

double NadaPlan::images_per_second(const Rational& period) const {
  return static_cast<double>(problem.clock_hz) / boost::rational_cast<double>(period);
}

nada::Problem nada_problem(const NadaConfig& config, const workloads::ImportedGraph& network) {
  nada::Problem problem;
  const std::vector<TrainingLayer> layers = training_layers(network, 1);
  const std::map<std::string, int> groups = groups_of(network);
  std::vector<std::set<std::size_t>> readers(layers.size());  // by layer whose output they read
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto of = groups.find(layers[i].name);
    problem.entities.push_back(entity_of(layers[i], of == groups.end() ? 1 : of->second, config));
    for (const std::size_t input : layers[i].inputs) {
      if (input != pipeline::kNetworkInput) readers[input].insert(i);
    }
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (readers[i].empty()) continue;
    const auto last = std::prev(readers[i].end());
    problem.tensors.push_back({i, *last, layers[i].out() * layers[i].filters, {readers[i].begin(), last}});
  }
  for (int i = 0; i < config.boards; ++i) problem.boards.push_back(config.usable(static_cast<std::size_t>(i)));
  problem.link_bits_per_s.assign(static_cast<std::size_t>(config.boards) - 1, config.link_goodput());
  problem.clock_hz = config.clock_hz();
  problem.word_bits = config.word_bits;
  problem.costs = config.costs;
  problem.activations = config.activations;
  problem.stored_images = config.stored_images;
  problem.placement = config.placement;
  problem.solver_steps = static_cast<std::uint32_t>(config.solver_millions * 1'000'000);
  return problem;
}

NadaPlan plan_nada(const NadaConfig& config, const workloads::ImportedGraph& network, const nada::Progress& progress) {
  NadaPlan result;
  result.problem = nada_problem(config, network);
  for (const nada::Entity& entity : result.problem.entities) {
    if (entity.passes > 0) result.update = std::max(result.update, entity.weights());
  }
  std::vector<TrainingLayer> layers;
  pipeline::Boards boards;
  bool stopped = false;
  const auto watch = [&](std::int64_t done, std::int64_t all, Cycles best) {
    stopped = stopped || (progress && !progress(done, all, best));
    return !stopped;
  };
  for (bool fits = false; !fits && !stopped;) {
    result.plan = nada::plan_alone(result.problem, watch);
    layers = planned_layers(training_layers(network, 1), result.problem, result.plan);
    boards = boards_in(config, result.problem, result.plan);
    result.simulated = simulate(layers, boards, result.plan.period, result.training);
    result.fifo_blocks = fifo_blocks(result);
    if (result.period_beside == 0) result.period_beside = result.plan.period;
    fits = !config.fifos_within || keep_room(result, config);
  }
  meet_faults(config, layers, boards, result);
  if (!stopped) result.plan.binds = nada::what_binds(result.problem, result.plan, watch);
  return result;
}

Cluster::Plan NadaConfig::plan(const workloads::ImportedGraph& graph, const nada::Progress& progress) const {
  const NadaPlan planned = plan_nada(*this, graph, progress);
  const nada::Plan& plan = planned.plan;
  const auto gap = [&](Cycles best) { return static_cast<double>(plan.period) / static_cast<double>(best) - 1; };
  NadaResult result;
  result.head = head();
  result.cycles_an_image = plan.period;
  result.images_per_second = planned.images_per_second(plan.period);
  result.pooled_images_per_second = planned.images_per_second(plan.pooled_period);
  result.gap = gap(plan.pooled_period);
  result.placement = placement == nada::Placement::Any ? "any" : "contiguous";
  if (plan.contiguous_period > 0)
    result.contiguous_images_per_second = planned.images_per_second(plan.contiguous_period);
  result.proven_images_per_second = planned.images_per_second(plan.proven_period);
  result.proven_gap = gap(plan.proven_period);
  result.questions_given_up = plan.unknown;
  result.binds = plan.binds;
  if (board.block_ram_kind == config::BlockRam::Bram36) {
    std::replace(result.binds.begin(), result.binds.end(), std::string("M20K"), std::string("BRAM36"));
  }
  if (plan.next_period > 0) result.next_images_per_second = planned.images_per_second(plan.next_period);
  result.simulated = simulated_of(*this, planned);
  result.fifos = fifos_within ? "within" : "beside";
  result.images_per_s_with_fifos_beside = planned.images_per_second(planned.period_beside);
  if (row.empty()) result.limit = limit_of(*this, 0);
  result.boards = boards_of(planned, *this);
  result.layers = layers_of(planned);
  for (const PublishedRate& each : published) {
    if (!is_of(each, *this)) continue;
    result.published.push_back(published_of(each, planned, result.simulated.latency_images));
  }
  result.assumed = assumed;
  result.left_out = left_out(*this);
  return result;
}

double implied_batch(double efficiency, double period, double latency, double update) {
  return efficiency * (latency + update - period) / (period * (1 - efficiency));
}

namespace {

constexpr std::int64_t kMostBatch = 1024;     // largest batch whose efficiency is reported
constexpr std::int64_t kSteadyImages = 1000;  // number of images within which a pipeline repeats
constexpr double kSecondsPerHour = 3600;

std::vector<pipeline::Updater> updaters(const NadaConfig& config, const nada::Problem& problem) {
  std::vector<pipeline::Updater> all;
  for (const nada::Entity& entity : problem.entities) {
    if (entity.passes > 0) all.push_back({entity.name, entity.weights(), config.update_words_per_cycle});
  }
  return all;
}

}  // namespace

NadaTimeline nada_timeline(const NadaConfig& config, const workloads::ImportedGraph& network,
                           const nada::Progress& progress) {
  NadaPlan plan = plan_nada(config, network, progress);
  const pipeline::Pipeline& pipeline = plan.training.pipeline;
  const std::vector<pipeline::Updater> updates = updaters(config, plan.problem);
  // Images with faults do not repeat, so that no more are simulated than a batch has.
  const bool faults = faults_of(config).any();
  const std::int64_t images =
      faults ? std::max(config.batch, kImages) : std::max({config.batch, kMostBatch, kSteadyImages});
  const pipeline::Simulated simulated = pipeline::simulate(pipeline, images);
  const auto of = [&](std::int64_t images) { return pipeline::batch(simulated, images, updates); };
  const pipeline::BatchTimes batch = of(config.batch);
  BatchResult result;
  result.head = config.head();
  result.batch = config.batch;
  const Cycles begun = std::min(batch.fill, batch.written);
  const Cycles cycles[] = {begun, batch.written - begun, batch.drain(), batch.update};
  for (std::size_t i = 0; i < std::size(kBatchSteps); ++i) {
    result.steps.push_back({kBatchSteps[i].first, cycles[i], seconds(cycles[i], config.clock_mhz)});
  }
  for (std::int64_t batch_size = 1; batch_size <= std::min(images, kMostBatch); batch_size *= 2) {
    result.efficiencies.push_back({batch_size, of(batch_size).efficiency()});
  }
  for (const pipeline::FifoId id : plan.training.stores) {
    const pipeline::Fifo& fifo = pipeline.fifos[id];
    const std::int64_t tokens = simulated.high_water[id];
    const Words words = tokens * plan.training.token_words[id];
    result.stores.push_back({fifo.name, words / plan.training.store_words[result.stores.size()], words,
                             static_cast<double>(tokens) / static_cast<double>(pipeline.taken(id))});
  }
  const double rate = plan.images_per_second(plan.simulated.period);
  for (const Words words : plan.plan.link_words) {
    const double bits = static_cast<double>(words) * config.word_bits * rate;
    result.links.push_back({result.links.size() + 1, bits / 1e9, bits / static_cast<double>(config.link_goodput())});
  }
  result.efficiency = batch.efficiency();
  result.images_per_second = rate * result.efficiency;
  result.endless_images_per_second = rate;
  result.dataset_images = config.dataset_images;
  result.epoch_hours = static_cast<double>(config.dataset_images) / result.images_per_second / kSecondsPerHour;
  result.assumed = config.assumed;
  return {std::move(plan), batch, std::move(result)};
}

std::optional<BatchResult> NadaConfig::timeline(const workloads::ImportedGraph& graph,
                                                const nada::Progress& progress) const {
  return nada_timeline(*this, graph, progress).result;
}

}  // namespace weft::cluster
