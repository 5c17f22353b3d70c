#include "platform/iteration/timeline/parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include "platform/catalogue/designs.h"
#include "platform/config/selection.h"
#include "platform/design/row.h"
#include "platform/iteration/timeline/iteration.h"
#include "platform/record/json.h"

namespace weft::timeline {

using conv::Kind;
using conv::Layer;
using conv::LayerAxis;

namespace {

LayerAxis product_axis(int size) {
  LayerAxis axis;
  axis.size = size;
  axis.kernel = 1;
  axis.stride = 1;
  axis.pad_begin = axis.pad_end = 0;
  axis.dilation = 1;
  return axis;
}

int times(const Layer& layer, int count) {
  const std::int64_t product = std::int64_t{count} * layer.h.kernel * layer.w.kernel;
  if (product > std::numeric_limits<int>::max()) {
    throw Error(fmt::format("layer '{}': im2col makes {} channels of it; at most {} are allowed", layer.name, product,
                            std::numeric_limits<int>::max()));
  }
  return static_cast<int>(product);
}

void make_products(std::vector<Layer>& layers, Kind kind) {
  for (Layer& layer : layers) layer = as_products(layer, kind);
}

Part part_of(const config::RunConfig& run, const workloads::Network& network, std::vector<Kind> kinds) {
  Part part{run, network, {}, true};
  part.run.kinds = std::move(kinds);
  make_products(part.network.layers, part.run.kinds.front());
  make_products(part.network.fc_layers, part.run.kinds.front());
  return part;
}

using RowKey = std::tuple<bool, std::string, Kind>;

void fill(Job& job, const design::Row& row, Frequency clock, const workloads::Operator& op) {
  for (const design::LaunchedUnit& unit : row.units) {
    const design::Launch& launch = unit.launch;
    job.register_writes = std::max(job.register_writes, launch.register_writes);
    job.launches.push_back(
        {duration(launch.to_start, clock),
         duration(checked::sum("the cycles of a launch", {launch.to_start, unit.cycles, launch.to_done}), clock)});
  }
  job.host_prepared = row.host_prepared;
  if (row.host_prepared) return;
  for (const design::UnitTensor& tensor : row.tensors) {
    auto& list = tensor.written ? job.outputs : job.inputs;
    const workloads::TensorId id = (tensor.written ? op.outputs : op.inputs).at(list.size());
    list.push_back({id, tensor.name, tensor.bytes, tensor.channel});
    list.back().whole = !tensor.raw && !tensor.reordered;
    list.back().reordered = tensor.reordered;
  }
}

}  // namespace

Layer as_products(const Layer& layer, Kind kind) {
  Layer product = layer;
  if (conv::computed_as(layer, kind) == Kind::GI) {
    product.filters = times(layer, layer.filters);
    product.h = product_axis(layer.h.size);
    product.w = product_axis(layer.w.size);
  } else {
    product.channels = times(layer, layer.channels);
    product.h = product_axis(static_cast<int>(layer.h.out()));
    product.w = product_axis(static_cast<int>(layer.w.out()));
  }
  return product;
}

std::vector<Part> parts_of(const config::RunConfig& run, const workloads::Network& network) {
  if (run.schedule.im2col == config::Im2colPlace::Card) return {{run, network, {}, false}};
  std::vector<Part> parts;
  std::vector<Kind> rest;
  for (const Kind kind : run.kinds) {
    if (kind != Kind::GI) rest.push_back(kind);
  }
  if (!rest.empty()) parts.push_back(part_of(run, network, rest));
  if (rest.size() < run.kinds.size()) parts.push_back(part_of(run, network, {Kind::GI}));
  return parts;
}

std::vector<PartView> views(const std::vector<Part>& parts) {
  std::vector<PartView> views;
  views.reserve(parts.size());
  for (const Part& part : parts) views.push_back({&part.run, &part.network, &part.rows, part.im2col_on_host});
  return views;
}

Jobs jobs_of(const workloads::Graph& graph, const std::vector<PartView>& parts) {
  std::vector<const design::Row*> rows;
  std::map<RowKey, std::pair<std::size_t, std::size_t>> known;  // value: part and row
  std::vector<std::size_t> first_row;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    first_row.push_back(rows.size());
    for (std::size_t row = 0; row < parts[part].rows->size(); ++row) {
      const design::Row& each = (*parts[part].rows)[row];
      known[{each.fully_connected, each.layer.name, each.kind}] = {part, row};
      rows.push_back(&each);
    }
  }
  const std::vector<std::size_t> bitstreams = design::bitstreams_of(rows);
  Jobs jobs;
  jobs.of.resize(graph.operators.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (bitstreams[row] == jobs.kernel_names.size()) jobs.kernel_names.push_back(design::kernel_text(*rows[row]));
  }
  for (workloads::OperatorId op = 0; op < graph.operators.size(); ++op) {
    const auto* what = std::get_if<workloads::ConvolutionOp>(&graph.operators[op].what);
    if (!what) continue;
    const auto found = known.find({what->fully_connected, what->layer.name, what->kind});
    if (found == known.end()) {
      throw Error(fmt::format("{} is a part of the iteration, but the run has no cycles of it",
                              workloads::label(graph.operators[op])));
    }
    const auto [part, row] = found->second;
    Job job;
    job.op = op;
    job.kernel = bitstreams[first_row[part] + row];
    job.part = part;
    job.format = parts[part].run->kernel->number_format();
    job.row = row;
    fill(job, *rows[first_row[part] + row], parts[part].run->kernel->clock, graph.operators[op]);
    if (parts[part].im2col_on_host && !job.host_prepared) {
      job.inputs.front().whole = false;
      job.im2col_bytes = job.inputs.front().bytes;
    }
    jobs.of[op] = std::move(job);
  }
  return jobs;
}

namespace fs = std::filesystem;

namespace {

constexpr const char* kDseKey = "schedule.kernels.dse";
constexpr const char* kResultJson = "result.json";  // in a folder of results

std::string text_of(const fs::path& path, const config::Place& place) {
  std::error_code code;
  if (!fs::is_regular_file(path, code)) {
    throw config::error_at(
        place, kDseKey, fmt::format("no such file: '{}'; make a result with weft dse NAME --out DIR", path.string()));
  }
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) throw config::error_at(place, kDseKey, fmt::format("cannot read '{}'", path.string()));
  return text;
}

dse::KernelSet of_result(const config::RunConfig& run, const config::Library& library) {
  const config::KernelsOfDse& wanted = run.schedule.kernels;
  std::error_code code;
  fs::path path(wanted.dse);
  if (fs::is_directory(path, code)) path /= kResultJson;
  library.note(path);
  const std::string json = text_of(path, wanted.place);
  const design::Design& design = design::design_of(run);
  if (!design.explorer()) {
    throw config::error_at(wanted.place, kDseKey, fmt::format("the design {} has no exploration", design.name()));
  }
  return dse::kernel_set(*design.explorer(), record::from_json<dse::Result>(path.string(), json), path.string(), wanted,
                         run);
}

// Reports errors of an exploration's run at the key that names the exploration.
void put_at(config::Node& node, const config::Place& place) {
  node.place = place;
  for (config::Node& child : node.children) put_at(child, place);
}

// Reads the exploration `file` with the run of a part in place of its own.
config::Experiment study_of(const Part& part, const fs::path& file, const config::Library& library) {
  const config::KernelsOfDse& wanted = part.run.schedule.kernels;
  config::Experiment experiment;
  experiment.file = config::load_file(config::FileKind::Dse, file, library);
  for (const char* key : {"set", "published"}) experiment.file.erase(key);
  config::Node run = config::write_run(part.run);
  for (const char* key : {"schedule", "published", "output"}) run.erase(key);
  put_at(run, wanted.place);
  experiment.file.set("run", std::move(run));
  return experiment;
}

dse::KernelSet of_exploration(const Part& part, const config::Library& library, const dse::Progress& progress) {
  const config::KernelsOfDse& wanted = part.run.schedule.kernels;
  const fs::path file = config::find_file(config::FileKind::Dse, wanted.dse, wanted.place, kDseKey, library);
  config::Experiment experiment = study_of(part, file, library);
  const dse::Explorer& explorer = design::explorer_of(experiment, library);
  explorer.keep_only(experiment.file, wanted);
  const auto exploration = explorer.load(experiment, library);
  const auto simulated = [](const config::RunConfig&, const workloads::Network&,
                            const std::function<void(std::int64_t, std::int64_t)>&) -> Cycles {
    throw std::logic_error("an exploration without a rerank simulates nothing");
  };
  return dse::kernel_set(explorer, exploration->explore(part.network, simulated, progress), file.string(), wanted,
                         part.run);
}

}  // namespace

std::vector<Part> parts_on(const Part& part, const dse::KernelSet& set, const std::string& what) {
  const config::Place& place = part.run.schedule.kernels.place;
  if (set.network != part.network.name) {
    throw config::error_at(place, kDseKey,
                           fmt::format("'{}' is about network '{}', not '{}'", what, set.network, part.network.name));
  }
  std::vector<conv::Layer> layers = part.network.layers;
  layers.insert(layers.end(), part.network.fc_layers.begin(), part.network.fc_layers.end());
  std::set<std::pair<std::string, conv::Kind>> left;
  for (const config::Chosen& chosen : config::choose(part.run, layers)) {
    left.emplace(layers[chosen.layer].name, chosen.kind);
  }
  std::vector<Part> parts;
  for (const dse::FoundKernel& found : set.kernels) {
    std::vector<std::pair<std::string, conv::Kind>> runs;
    for (const auto& convolution : found.convolutions) {
      if (left.erase(convolution) != 0) runs.push_back(convolution);
    }
    if (runs.empty()) continue;  // the set may include GI of the first layer when the run does not
    parts.push_back(part);
    parts.back().run.kernel = found.kernel;
    parts.back().run.only = config::Selection::exactly(runs);
  }
  if (!left.empty()) {
    const auto& [layer, kind] = *left.begin();
    throw config::error_at(
        place, kDseKey,
        fmt::format("'{}' has no kernel for {} of {} convolutions, such as '{}:{}'; explore all of them with weft dse",
                    what, left.size(), config::choose(part.run, layers).size(), layer, conv::to_string(kind)));
  }
  return parts;
}

namespace {

std::vector<Part> on_kernels(const config::RunConfig& run, std::vector<Part> parts, const config::Library& library,
                             const dse::Progress& progress) {
  const config::KernelsOfDse& wanted = run.schedule.kernels;
  if (!wanted.given()) return parts;
  if (wanted.is_result() && run.schedule.im2col != config::Im2colPlace::Card) {
    throw config::error_at(wanted.place, kDseKey,
                           fmt::format("'{}' has kernels for im2col on the card; with schedule.im2col: cpu, name an "
                                       "exploration instead of a result",
                                       wanted.dse));
  }
  std::vector<Part> split;
  for (const Part& part : parts) {
    const dse::KernelSet set =
        wanted.is_result() ? of_result(part.run, library) : of_exploration(part, library, progress);
    for (Part& each : parts_on(part, set, wanted.dse)) split.push_back(std::move(each));
  }
  return split;
}

}  // namespace

std::vector<Part> parts_on_kernels(const config::RunConfig& run, std::vector<Part> parts,
                                   const config::Library& library, const dse::Progress& progress) {
  try {
    return on_kernels(run, std::move(parts), library, progress);
  } catch (const InputError& error) {
    throw ScheduleError(error);
  }
}

namespace {

// Rate of a transfer alone in bytes/s, rounded down.
std::int64_t rate_of(const link::Transfer& transfer, Bytes bytes) {
  __extension__ using Wide = unsigned __int128;
  const auto ps = static_cast<Wide>(std::max<Picoseconds>(transfer.end.rounded_up(), 1));
  return std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<Wide>(bytes) * 1'000'000'000'000 / ps), 1);
}

// Converts `time` to cycles, rounded up.
Cycles cycles(Picoseconds time, Frequency clock) {
  __extension__ using Wide = unsigned __int128;
  const Wide us = static_cast<Wide>(clock.denominator()) * 1'000'000;
  return static_cast<Cycles>((static_cast<Wide>(time) * static_cast<Wide>(clock.numerator()) + us - 1) / us);
}

}  // namespace

Contention::Contention(const std::vector<PartView>& parts, const link::PcieConfig& link)
    : parts_(parts), config_(link), link_(link), works_(parts.size()) {}

const design::Work& Contention::work(std::size_t part) {
  if (!works_[part]) works_[part] = design::design_of(*parts_[part].run).plan(*parts_[part].run, *parts_[part].network);
  return *works_[part];
}

Contended Contention::of(const Job& job, const std::vector<Contender>& transfers) {
  const config::RunConfig& run = *parts_.at(job.part).run;
  const std::vector<design::Work::Unit> units = work(job.part).units();
  const auto last = std::find_if(units.rbegin(), units.rend(), [&](const auto& unit) { return unit.row == job.row; });
  const std::size_t unit = static_cast<std::size_t>(units.rend() - last) - 1;
  const design::Launch launch = work(job.part).launch(unit);
  const Frequency clock = run.kernel->clock;
  std::vector<design::ConcurrentTransfer> beside;
  beside.reserve(transfers.size());
  for (const Contender& transfer : transfers) {
    memory::Traffic traffic;
    traffic.start = std::max<Cycles>(cycles(transfer.from, clock) - launch.to_start, 0);
    traffic.pause = cycles(transfer.pause, clock);
    traffic.bytes = transfer.bytes;
    traffic.write = transfer.direction == link::Direction::HostToCard;
    traffic.rate = {rate_of(link_.transfer(transfer.direction, 0, transfer.bytes), transfer.bytes), 1};
    traffic.buffer_bytes = config_.dma.buffer_bytes;
    beside.push_back({transfer.channel, traffic});
  }
  const design::UnitWithTransfers result =
      design::offered<design::SharesChannels>(work(job.part)).simulate_with_transfers(unit, beside, {});
  Contended contended;
  contended.launch = {
      duration(launch.to_start, clock),
      duration(launch.to_start + result.unit.cycles + result.unit.drain_cycles + launch.to_done, clock)};
  for (const Cycles end : result.ends) contended.ends.push_back(duration(launch.to_start + end, clock));
  return contended;
}

}  // namespace weft::timeline
