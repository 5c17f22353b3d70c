#include "platform/iteration/timeline/parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "model/core/checked.h"
#include "model/core/error.h"
#include "platform/design/bitstreams.h"

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
  job.served = row.served;
  if (row.served) return;
  for (const design::UnitTensor& tensor : row.tensors) {
    auto& list = tensor.written ? job.outputs : job.inputs;
    const workloads::TensorId id = (tensor.written ? op.outputs : op.inputs).at(list.size());
    list.push_back({id, tensor.name, tensor.bytes, tensor.channel});
    list.back().whole = !tensor.raw;
  }
}

}  // namespace

Layer as_products(const Layer& layer, Kind kind) {
  Layer product = layer;
  if (kind == Kind::GI) {
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
  std::map<RowKey, std::pair<std::size_t, std::size_t>> known;  // part and row
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
    if (parts[part].im2col_on_host && !job.served) {
      job.inputs.front().whole = false;
      job.im2col_bytes = job.inputs.front().bytes;
    }
    jobs.of[op] = std::move(job);
  }
  return jobs;
}

}  // namespace weft::timeline
