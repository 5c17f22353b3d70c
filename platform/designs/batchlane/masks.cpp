#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "model/batchlane/plan.h"
#include "model/sparse/mask.h"
#include "platform/config/reader.h"
#include "platform/designs/batchlane/design.h"
#include "workloads/onnx/catalogue.h"

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

}  // namespace

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

}  // namespace weft::batchlane
