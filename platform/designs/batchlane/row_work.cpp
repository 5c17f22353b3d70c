#include "platform/designs/batchlane/row_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "platform/designs/batchlane/design.h"
#include "platform/designs/batchlane/kernel_config.h"

namespace weft::batchlane {

namespace {

std::vector<std::int8_t> random_bytes(std::mt19937_64& random, std::size_t count) {
  std::vector<std::int8_t> bytes(count);
  for (std::int8_t& each : bytes) each = static_cast<std::int8_t>(random() >> 56);
  return bytes;
}

// Of one pass; what the accumulators do not hold is said of the key of the kernel's file.
Plan plan_of(const config::RunConfig& run, const Alpha& alpha, const RowWork& row, const sparse::Mask& mask) {
  try {
    return make_plan(alpha, row.layer, row.kind, mask, {}, {}, false);
  } catch (const TooFewAccumulators& error) {
    throw config::error_at(KernelConfig::of(run).tile_place, "kernel.tile_pixels", error.what());
  }
}

}  // namespace

std::vector<RowWork> plan_rows(const config::RunConfig& run, const workloads::Network& network, const Alpha& alpha,
                               const Readings& readings, Masks& masks) {
  std::vector<conv::Layer> layers = network.layers;
  layers.insert(layers.end(), network.fc_layers.begin(), network.fc_layers.end());
  masks = masks_of(run, layers, alpha);
  const Latencies wait = latencies(run);
  std::vector<RowWork> rows = design::chosen_rows<RowWork>(run, network);
  for (RowWork& row : rows) {
    row.mask = masks.at(row.layer.name).digest();
    for (int left = row.layer.batch; left > 0; left -= alpha.lanes) row.images.push_back(std::min(left, alpha.lanes));
    const Plan plan = plan_of(run, alpha, row, masks.at(row.layer.name));
    row.kept = plan.kept_pairs();
    row.csb_bytes = plan.csb_bytes();
    row.result_bytes = plan.result_bytes();
    row.terms = equations(plan, readings, wait);
    row.bram = bram36_of(plan);
  }
  return rows;
}

Placement placement_of(const config::RunConfig& run, const Alpha& alpha, const RowWork& row) {
  const conv::Layer& layer = row.layer;
  Placement placement(run);
  const Bytes map = Bytes{layer.h.size} * layer.w.size * alpha.lanes;
  const Bytes x = layer.channels * map, dy = layer.filters * map;
  placement.bases.features = placement.put(Port::Feature, row.kind == conv::Kind::GI ? dy : x);
  if (row.kind == conv::Kind::GW) placement.bases.gradients = placement.put(Port::Feature, dy);
  placement.bases.csb = placement.put(Port::Csb, row.csb_bytes);
  placement.bases.results = placement.put(Port::Result, row.result_bytes);
  placement.require_fit(run.board, fmt::format("layer '{}' needs", layer.name));
  return placement;
}

std::vector<std::int8_t> random_weights(const conv::Layer& layer, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return random_bytes(random, static_cast<std::size_t>(layer.filters) * static_cast<std::size_t>(layer.channels) *
                                  static_cast<std::size_t>(layer.h.kernel * layer.w.kernel));
}

Contents contents_of(const Plan& plan, const Placement& placement, std::uint64_t seed) {
  Contents contents;
  contents.channels = placement.stores();
  const auto at = [&](Port port, Address base) {
    const int channel = placement.channel_of_port[static_cast<std::size_t>(port)];
    return contents.channels[static_cast<std::size_t>(channel)].at(base);
  };
  std::mt19937_64 random(seed + 1);
  const auto map = static_cast<std::size_t>(plan.channel_bytes());
  contents.streamed = random_bytes(random, map * static_cast<std::size_t>(plan.channels));
  std::memcpy(at(Port::Feature, plan.bases.features), contents.streamed.data(), contents.streamed.size());
  if (plan.kind == conv::Kind::GW) {
    contents.gradients = random_bytes(random, map * static_cast<std::size_t>(plan.outputs));
    std::memcpy(at(Port::Feature, plan.bases.gradients), contents.gradients.data(), contents.gradients.size());
  }
  lay_csb(plan, at(Port::Csb, plan.bases.csb));
  return contents;
}

}  // namespace weft::batchlane
