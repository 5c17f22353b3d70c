#include "platform/designs/batchlane/row_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <utility>

#include "model/batchlane/plan.h"
#include "model/sparse/mask.h"
#include "platform/config/reader.h"
#include "platform/designs/batchlane/design.h"
#include "platform/designs/batchlane/kernel_config.h"
#include "workloads/onnx/import.h"

namespace weft::batchlane {

namespace {

using config::Sparsity;

// The zero kernels of a network with weights, by layers as PyTorch names their weights: features.0.weight (MSK-6).
sparse::LayerMasks read_onnx(const Sparsity& sparsity) {
  constexpr std::size_t kSuffix = std::string_view(".weight").size();
  sparse::LayerMasks masks;
  try {
    for (const workloads::KeptKernels& each : workloads::read_kept_kernels(sparsity.file.string())) {
      sparse::Mask mask(each.outputs, each.inputs);
      for (int o = 0; o < each.outputs; ++o) {
        for (int c = 0; c < each.inputs; ++c) {
          mask.set(o, c, each.kept[static_cast<std::size_t>(std::int64_t{o} * each.inputs + c)]);
        }
      }
      masks.emplace_back(each.weight.substr(0, each.weight.size() - kSuffix), std::move(mask));
    }
  } catch (const Error& error) {
    throw config::error_at(sparsity.file_place, "sparsity.file", error.what());
  }
  return masks;
}

sparse::LayerMasks read_file(const Sparsity& sparsity) {
  std::ifstream file(sparsity.file, std::ios::binary);
  if (!file) {
    throw config::error_at(sparsity.file_place, "sparsity.file",
                           fmt::format("cannot read '{}'", sparsity.file.string()));
  }
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (sparsity.file.extension() == ".onnx") return read_onnx(sparsity);
  try {
    return sparse::read_mask_file(bytes);
  } catch (const Error& error) {
    throw config::error_at(sparsity.file_place, "sparsity.file",
                           fmt::format("'{}' is no file of masks: {}", sparsity.file.string(), error.what()));
  }
}

const sparse::Mask& mask_in(const sparse::LayerMasks& masks, const conv::Layer& layer, const Sparsity& sparsity) {
  std::vector<std::string> names;
  for (const auto& [name, mask] : masks) {
    names.push_back(name);
    if (name != layer.name) continue;
    if (mask.outputs() == layer.filters && mask.inputs() == layer.channels) return mask;
    throw config::error_at(
        sparsity.file_place, "sparsity.file",
        fmt::format("'{}': the mask of layer '{}' has {} outputs x {} inputs; allowed: {} x {}", sparsity.file.string(),
                    name, mask.outputs(), mask.inputs(), layer.filters, layer.channels));
  }
  throw config::error_at(sparsity.file_place, "sparsity.file",
                         fmt::format("'{}': has no mask of layer '{}'; it has {}", sparsity.file.string(), layer.name,
                                     names.empty() ? "none" : config::join(names)));
}

// The dense alpha computes every weight (DN-2): said of the key that has left some out.
void require_dense(const sparse::Mask& mask, const conv::Layer& layer, const Sparsity& sparsity) {
  const std::int64_t all = std::int64_t{layer.filters} * layer.channels;
  if (mask.kept() == all) return;
  const std::string message = fmt::format(
      "keeps {} of {} kernels of layer '{}', and kernel.across channels computes every weight; allowed: all "
      "of them, or kernel.across outputs",
      mask.kept(), all, layer.name);
  if (sparsity.mask == Sparsity::Mask::File) throw config::error_at(sparsity.file_place, "sparsity.file", message);
  for (const Sparsity::LayerDensity& each : sparsity.layers) {
    if (each.layer == layer.name) throw config::error_at(each.place, "sparsity.density." + each.layer, message);
  }
  throw config::error_at(sparsity.density_place, "sparsity.density", message);
}

// The masks of a run's layers; all kept where it has no sparsity. Throws InputError for a density of a layer that does
// not exist, and a file that does not hold the masks of these layers.
std::map<std::string, sparse::Mask> masks_of(const config::RunConfig& run, const std::vector<conv::Layer>& layers,
                                             const Alpha& alpha) {
  const Sparsity sparsity = run.sparsity.value_or(Sparsity{});
  std::vector<std::string> names(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) names[i] = layers[i].name;
  for (const Sparsity::LayerDensity& each : sparsity.layers) {
    if (std::find(names.begin(), names.end(), each.layer) != names.end()) continue;
    throw config::error_at(each.place, "sparsity.density." + each.layer,
                           "no such layer" + config::suggestion(each.layer, names));
  }
  const sparse::LayerMasks file = sparsity.mask == Sparsity::Mask::File ? read_file(sparsity) : sparse::LayerMasks{};
  std::map<std::string, sparse::Mask> masks;
  for (const conv::Layer& layer : layers) {
    require_countable(layer);
    double density = sparsity.density;
    for (const Sparsity::LayerDensity& each : sparsity.layers) {
      if (each.layer == layer.name) density = each.density;
    }
    switch (sparsity.mask) {
      case Sparsity::Mask::Random:
        masks[layer.name] = sparse::random_mask(layer.filters, layer.channels, density, sparsity.seed, layer.name);
        break;
      case Sparsity::Mask::Balanced:
        masks[layer.name] = sparse::balanced_mask(layer.filters, layer.channels, density, {alpha.pes, alpha.block()},
                                                  sparsity.seed, layer.name);
        break;
      case Sparsity::Mask::File:
        masks[layer.name] = mask_in(file, layer, sparsity);
        break;
    }
    if (alpha.dense()) require_dense(masks[layer.name], layer, sparsity);
  }
  return masks;
}

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
