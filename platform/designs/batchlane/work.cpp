#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/batchlane/analytical/equations.h"
#include "model/batchlane/kernel.h"
#include "model/batchlane/plan.h"
#include "model/batchlane/systemc/virtual_platform.h"
#include "model/batchlane/topology.h"
#include "model/memory/config.h"
#include "model/sparse/mask.h"
#include "platform/config/model_config.h"
#include "platform/config/reader.h"
#include "platform/design/rows_work.h"
#include "platform/designs/batchlane/design.h"
#include "platform/designs/batchlane/kernel_config.h"
#include "workloads/onnx/import.h"

namespace weft::batchlane {

namespace {

using Masks = std::map<std::string, sparse::Mask>;

// A planned row of a run, before simulation: a convolution of a layer, one pass for each `lanes` images of the batch.
struct RowWork : design::ChosenRow {
  std::uint64_t mask = 0;   // digest of the mask
  std::vector<int> images;  // in each pass
  std::int64_t kept = 0;    // kernels kept by the mask
  Bytes csb_bytes = 0, result_bytes = 0;
  EquationTerms terms;  // of one pass
  BramUse bram;
};

struct Placement : design::PlacedTensors<kPorts> {
  using PlacedTensors::PlacedTensors;
  Bases bases;
};

// Operands of a pass in data mode: random values of `seed`, and the channels that hold them.
struct Contents {
  std::vector<std::int8_t> streamed, gradients, weights;
  std::vector<memory::Store> channels;
};

using config::Sparsity;

// Zero kernels of a network with weights; layers are named as PyTorch names their weights: features.0.weight (MSK-6).
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
                         fmt::format("'{}' has no mask of layer '{}'; masks in this file: {}", sparsity.file.string(),
                                     layer.name, names.empty() ? "none" : config::join(names)));
}

// Throws InputError at the key that drops weights: the dense alpha computes every weight (DN-2).
void require_dense(const sparse::Mask& mask, const conv::Layer& layer, const Sparsity& sparsity) {
  const std::int64_t all = std::int64_t{layer.filters} * layer.channels;
  if (mask.kept() == all) return;
  const std::string message = fmt::format(
      "keeps {} of {} kernels of layer '{}', but kernel.across channels computes every weight; allowed: all "
      "kernels, or kernel.across outputs",
      mask.kept(), all, layer.name);
  if (sparsity.mask == Sparsity::Mask::File) throw config::error_at(sparsity.file_place, "sparsity.file", message);
  for (const Sparsity::LayerDensity& each : sparsity.layers) {
    if (each.layer == layer.name) throw config::error_at(each.place, "sparsity.density." + each.layer, message);
  }
  throw config::error_at(sparsity.density_place, "sparsity.density", message);
}

// Returns the masks of a run's layers; without sparsity all kernels are kept. Throws InputError for a density of a
// layer that does not exist, and for a file without the masks of these layers.
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

// Plans one pass; reports missing accumulators at the key of the kernel's file.
Plan plan_of(const config::RunConfig& run, const Alpha& alpha, const RowWork& row, const sparse::Mask& mask) {
  try {
    return make_plan(alpha, row.layer, row.kind, mask, {}, {}, false);
  } catch (const TooFewAccumulators& error) {
    throw config::error_at(KernelConfig::of(run).tile_place, "kernel.tile_pixels", error.what());
  }
}

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

// Bytes of X and dY of `lanes` images.
std::pair<Bytes, Bytes> map_bytes(const conv::Layer& layer, const Alpha& alpha) {
  return {Bytes{layer.channels} * layer.h.size * layer.w.size * alpha.lanes,
          Bytes{layer.filters} * layer.h.out() * layer.w.out() * alpha.lanes};
}

// Throws Error if a channel is too small.
Placement placement_of(const config::RunConfig& run, const Alpha& alpha, const RowWork& row) {
  const conv::Layer& layer = row.layer;
  Placement placement(run);
  const auto [x, dy] = map_bytes(layer, alpha);
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
  contents.streamed = random_bytes(random, static_cast<std::size_t>(plan.channel_bytes() * plan.channels));
  std::memcpy(at(Port::Feature, plan.bases.features), contents.streamed.data(), contents.streamed.size());
  if (plan.kind == conv::Kind::GW) {
    contents.gradients = random_bytes(random, static_cast<std::size_t>(plan.output_bytes() * plan.outputs));
    std::memcpy(at(Port::Feature, plan.bases.gradients), contents.gradients.data(), contents.gradients.size());
  }
  lay_csb(plan, at(Port::Csb, plan.bases.csb));
  return contents;
}

struct Sum {
  std::int64_t value = 0, magnitude = 0;
  void add(std::int64_t product) {
    value += product;
    magnitude += std::abs(product);
  }
};

class Reference {
 public:
  Reference(const Plan& plan, const sparse::Mask& mask, const Contents& contents)
      : plan_(plan), mask_(mask), contents_(contents) {}

  // F: sum of x times weights. GI: sum of dY times weights, over the output pixels that an input pixel contributes to.
  Sum output(int channel, int pixel, int lane) const {
    const conv::LayerAxis &h = plan_.layer.h, &w = plan_.layer.w;
    const bool gi = plan_.kind == conv::Kind::GI;
    Sum sum;
    for (int other = 0; other < plan_.channels; ++other) {
      const int o = gi ? other : channel, c = gi ? channel : other;
      if (!mask_.kept(o, c)) continue;
      const std::int64_t first = (std::int64_t{o} * plan_.layer.channels + c) * plan_.taps();  // of its weights
      for (int tap = 0; tap < plan_.taps(); ++tap) {
        const int down = tap / w.kernel - h.pad_begin, right = tap % w.kernel - w.pad_begin;
        int row = pixel / plan_.out.w, column = pixel % plan_.out.w;
        if (gi) {
          if ((row -= down) % h.stride != 0 || (column -= right) % w.stride != 0) continue;
          row /= h.stride;
          column /= w.stride;
        } else {
          row = row * h.stride + down;
          column = column * w.stride + right;
        }
        if (row < 0 || row >= plan_.in.h || column < 0 || column >= plan_.in.w) continue;
        const std::int8_t weight = contents_.weights[static_cast<std::size_t>(first + tap)];
        sum.add(std::int64_t{weight} * streamed(other, row * plan_.in.w + column, lane));
      }
    }
    return sum;
  }
  Sum gradient(int o, int c, int tap) const {
    const conv::LayerAxis &h = plan_.layer.h, &w = plan_.layer.w;
    Sum sum;
    for (int pixel = 0; pixel < plan_.out.pixels(); ++pixel) {
      const int row = pixel / plan_.out.w * h.stride + tap / w.kernel - h.pad_begin;
      const int column = pixel % plan_.out.w * w.stride + tap % w.kernel - w.pad_begin;
      if (row < 0 || row >= h.size || column < 0 || column >= w.size) continue;
      for (int lane = 0; lane < plan_.alpha.lanes; ++lane) {
        sum.add(std::int64_t{gradient_at(o, pixel, lane)} * streamed(c, row * w.size + column, lane));
      }
    }
    return sum;
  }

  // Word i of a dense GW: ordered by block, group, output and the group's channel (DN-5).
  Sum dense_gradient(std::int64_t i) const {
    const int group = plan_.alpha.group(), taps = plan_.taps();
    const auto of_group = static_cast<int>(i / taps % group);
    std::int64_t kernel = i / plan_.sums_of_kernel();
    const std::int64_t of_block = std::int64_t{plan_.block_outputs} * plan_.streamed;  // kernels in a block of outputs
    const auto block = static_cast<int>(kernel / of_block);
    kernel %= of_block;
    const int outputs = plan_.outputs_of(block);
    const int channel = static_cast<int>(kernel / outputs) * group + of_group;
    if (channel >= plan_.channels) return {};
    return gradient(block * plan_.block_outputs + static_cast<int>(kernel % outputs), channel,
                    static_cast<int>(i % taps));
  }

 private:
  std::int8_t streamed(int channel, int pixel, int lane) const {
    return contents_
        .streamed[static_cast<std::size_t>(channel * plan_.channel_bytes() + Bytes{pixel} * plan_.alpha.lanes + lane)];
  }
  std::int8_t gradient_at(int output, int pixel, int lane) const {
    return contents_
        .gradients[static_cast<std::size_t>(output * plan_.output_bytes() + Bytes{pixel} * plan_.alpha.lanes + lane)];
  }

  const Plan& plan_;
  const sparse::Mask& mask_;
  const Contents& contents_;
};

// Digest of a pass' results, and distance of about a hundred of them from the sums of the dense convolution with masked
// weights. `results`: their address.
design::DataCheck check_data(const Plan& plan, const sparse::Mask& mask, const Contents& contents,
                             const std::byte* results) {
  const Reference reference(plan, mask, contents);
  const bool gw = plan.kind == conv::Kind::GW;
  const std::int64_t in_output = plan.output_bytes();  // results hold one word for each byte of a map
  const auto word = [&](std::int64_t i) {
    std::int32_t value = 0;
    std::memcpy(&value, results + 4 * i, 4);
    return value;
  };
  std::size_t block = 0;  // of the previous output: the kernel of a gradient follows from CSB's order
  const auto sum_of = [&](std::int64_t i) {
    if (gw && plan.alpha.dense()) return reference.dense_gradient(i);
    if (gw) {
      const auto kernel = static_cast<std::size_t>(i / plan.taps());
      while (kernel >= plan.csb.begin[block + 1]) ++block;
      const auto columns = static_cast<std::size_t>(plan.csb.block_columns());
      const int o = static_cast<int>(block / columns) * plan.csb.block + plan.csb.row[kernel];
      const int c = static_cast<int>(block % columns) * plan.csb.block + plan.csb.column[kernel];
      return reference.gradient(o, c, static_cast<int>(i % plan.taps()));
    }
    const auto within = static_cast<int>(i % in_output);
    return reference.output(static_cast<int>(i / in_output), within / plan.alpha.lanes, within % plan.alpha.lanes);
  };
  const auto error = [&](std::int64_t i) {
    const Sum sum = sum_of(i);
    const std::int64_t error = std::abs(word(i) - static_cast<std::int32_t>(sum.value));
    return sum.magnitude == 0 ? 0 : static_cast<double>(error) / static_cast<double>(sum.magnitude);
  };
  return design::check_outputs(
      plan.result_bytes() / 4, 256, [&](std::int64_t i) { return static_cast<std::uint32_t>(word(i)); }, error);
}

class Work : public design::RowsWork<RowWork> {
 public:
  Work(config::RunConfig run, const workloads::Network& network)
      : RowsWork(std::move(run)), alpha_(KernelConfig::of(run_).alpha) {
    rows_ = plan_rows(run_, network, alpha_, readings_of(run_.readings), masks_);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (std::size_t pass = 0; pass < rows_[row].images.size(); ++pass) {
        units_.push_back({row, rows_[row].terms.cycles, 0});
        images_.push_back(rows_[row].images[pass]);
      }
    }
  }

  // Placement is left out: it follows from the sizes.
  std::vector<std::int64_t> identity(std::size_t unit) const override {
    const RowWork& row = row_of(unit);
    const conv::Layer& layer = row.layer;
    std::vector<std::int64_t> all{static_cast<std::int64_t>(row.kind), images_[unit], layer.channels, layer.filters};
    for (const int size : {layer.h.size, layer.w.size, layer.h.kernel, layer.w.kernel}) all.push_back(size);
    for (const conv::LayerAxis& axis : {layer.h, layer.w}) {
      all.insert(all.end(), {axis.stride, axis.pad_begin, axis.out()});
    }
    all.push_back(static_cast<std::int64_t>(row.mask));
    return all;
  }

  design::UnitResult simulate(std::size_t unit, std::uint64_t seed,
                              const std::function<void(Cycles)>& report) const override {
    const RowWork& row = row_of(unit);
    const sparse::Mask& mask = masks_.at(row.layer.name);
    const Placement placement = placement_of(run_, alpha_, row);
    const bool with_data = run_.mode == config::Mode::Data;
    conv::Layer layer = row.layer;
    layer.batch = images_[unit];
    const auto weights = with_data ? random_weights(layer, seed) : std::vector<std::int8_t>{};
    const Plan plan = make_plan(alpha_, layer, row.kind, mask, weights, placement.bases, with_data);
    Contents contents;
    if (with_data) {
      contents = contents_of(plan, placement, seed);
      contents.weights = weights;
    }
    DataMemory data{std::move(contents.channels), placement.channel_of_port};
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(config::memory_config(run_));
    const PassResult pass = step(plan, *memory, data, report);
    design::UnitResult result = design::unit_result(pass);
    if (run_.rung == config::Rung::Exact) result.account.simulated = pass.cycles;
    if (with_data) {
      result.data = check_data(plan, mask, contents, data.of(Port::Result).at(plan.bases.results));
      result.data.overflows = pass.overflows;
    }
    return result;
  }

  // The host writes no registers: the start of such a kernel is not modelled.
  design::Launch launch(std::size_t) const override { return {}; }

  std::vector<design::UnitTensor> tensors(std::size_t unit) const override { return tensors_of(row_of(unit)); }
  std::vector<design::UnitTensor> tensors_of(const RowWork& row) const {
    const std::vector<int> channels = config::port_channels(run_);
    const auto [x, dy] = map_bytes(row.layer, alpha_);
    switch (row.kind) {
      case conv::Kind::F:
        return {{"X", false, x, channels[0]},
                {"W", false, row.csb_bytes, channels[1]},
                {"Y", true, row.result_bytes, channels[2]}};
      case conv::Kind::GI:
        return {{"DY", false, dy, channels[0]},
                {"W", false, row.csb_bytes, channels[1]},
                {"DX", true, row.result_bytes, channels[2]}};
      default:  // the kept kernels are on the card since F
        return {
            {"X", false, x, channels[0]}, {"DY", false, dy, channels[0]}, {"DW", true, row.result_bytes, channels[2]}};
    }
  }

  std::string limiter(const design::Row& row) const override { return topology().blocks[most_active(row.blocks)].name; }

 private:
  PassResult step(const Plan& plan, memory::Memory& memory, DataMemory& data,
                  const std::function<void(Cycles)>& report) const {
    if (run_.rung == config::Rung::Exact) {
      return run_exact(plan, memory, plan.with_data ? &data : nullptr, {false, report});
    }
    auto& platform = systemc::virtual_platform();
    platform.on_progress = report;
    return platform.run(plan, memory, data.channel_of_port, &data.channels);
  }

  design::Equations equations_of(const RowWork& row) const {
    const EquationTerms& t = row.terms;
    const auto passes = static_cast<std::int64_t>(row.images.size());
    const auto of_all = [&](Cycles each) { return checked::product("the cycles of all passes", {each, passes}); };
    design::Equations all;
    all.cycles = of_all(t.cycles);
    all.limiter = t.memory_bound ? "memory" : "array";
    for (const Cycles each : {t.reads, t.csb, t.compute, Cycles{0}, t.writes}) all.work.push_back(of_all(each));
    for (std::size_t i = 0; i < kBlocks; ++i) all.terms.emplace_back(kBlockInfos[i].name, all.work[i]);
    const double kernels = static_cast<double>(row.layer.filters) * row.layer.channels;
    all.summary = {{"kept", static_cast<double>(row.kept) / kernels}, {"passes", passes}};
    all.terms.insert(all.terms.end(), all.summary.begin(), all.summary.end());
    all.terms.emplace_back("fill", of_all(t.fill));
    all.terms.emplace_back("tail", of_all(t.tail));
    all.terms.emplace_back("transfers", of_all(t.transfers));
    all.terms.emplace_back("dense_macs", workloads::macs(row.layer));
    all.terms.emplace_back("limiter", all.limiter);
    return all;
  }

  void fill(design::Row& row, const RowWork& chosen, const Budget& budget) const override {
    const Bytes map = Bytes{chosen.layer.h.out()} * chosen.layer.w.out();
    const Bytes taps = Bytes{chosen.layer.h.kernel} * chosen.layer.w.kernel;
    row.macs = chosen.kept * taps * map * chosen.layer.batch;
    row.kernel = {{"lanes", std::int64_t{alpha_.lanes}},
                  {"pes", std::int64_t{alpha_.pes}},
                  {"ahead", std::int64_t{alpha_.ahead}},
                  {"tile_pixels", std::int64_t{alpha_.tile_pixels}}};
    row.bitstream = {alpha_.lanes, alpha_.pes, alpha_.ahead, alpha_.tile_pixels};
    row.resources = {{"DSP", std::int64_t{alpha_.lanes} * alpha_.pes, budget.dsp},
                     {"BRAM18", 2 * chosen.bram.all(), budget.bram18},
                     {"URAM", chosen.bram.uram, budget.uram}};
    const FabricUse fabric = fabric_of(alpha_, KernelConfig::of(run_).fabric);
    if (budget.lut) row.resources.push_back({"LUT", fabric.lut, *budget.lut});
    if (budget.ff) row.resources.push_back({"FF", fabric.ff, *budget.ff});
    row.equations = equations_of(chosen);
    row.launches = static_cast<std::int64_t>(chosen.images.size());
    for (const design::UnitTensor& tensor : tensors_of(chosen)) {
      const Bytes all = checked::product("the bytes of all passes", {tensor.bytes, row.launches});
      (tensor.written ? row.pcie_to_host : row.pcie_to_card) += all;
    }
  }

  Alpha alpha_;
  Masks masks_;
  std::vector<int> images_;  // images in each unit
};

std::int64_t term(const design::Row& row, const char* name) {
  for (const auto& [key, value] : row.equations.terms) {
    if (key == name) return std::get<std::int64_t>(value);
  }
  return 0;
}

// Published resources of this array, compared with the largest use of a row.
std::string published_line(const KernelConfig& kernel, const std::vector<design::Row>& rows) {
  std::int64_t bram18 = 0;
  for (const design::Row& row : rows) bram18 = std::max(bram18, row.resources[1].used);
  const PublishedResources& published = *kernel.published;
  const FabricUse fabric = fabric_of(kernel.alpha, kernel.fabric);
  const auto beside = [](const char* name, std::int64_t ours, int theirs) {
    return fmt::format("{} {} (ours {}, {:+.1f} %)", name, theirs, ours,
                       100 * static_cast<double>(ours - theirs) / theirs);
  };
  return fmt::format("published    {}, {}, {}, {}: LUT and FF by the assumptions of kernel.fabric, fitted to nothing",
                     beside("DSP", kernel.peak_macs(), published.dsp),
                     beside("BRAM36", ceil_div(bram18, 2), published.bram36), beside("LUT", fabric.lut, published.lut),
                     beside("FF", fabric.ff, published.ff));
}

}  // namespace

std::unique_ptr<design::Work> plan_work(const config::RunConfig& run, const workloads::Network& network) {
  return std::make_unique<Work>(run, network);
}

std::vector<std::string> remarks(const config::RunConfig& run, const std::vector<design::Row>& rows) {
  std::int64_t transfers = 0, dense = 0;
  Cycles waited = 0, cycles = 0;
  for (const design::Row& row : rows) {
    checked::add(dense, term(row, "dense_macs"), "the multiply-accumulates of all convolutions");
    checked::add(cycles, row.cycles, "the cycles of all convolutions");
    if (row.ports.empty()) continue;
    transfers += term(row, "transfers");
    waited += row.ports[static_cast<std::size_t>(Port::Feature)].wait_cycles +
              row.ports[static_cast<std::size_t>(Port::Result)].wait_cycles;
  }
  std::vector<std::string> lines;
  if (run.rung != config::Rung::Analytical && transfers > 0) {
    lines.push_back(
        fmt::format("round trip   {:.1f} cycles a transfer waits for its first beat or its response, "
                    "mean of the port of features and results",
                    static_cast<double>(waited) / static_cast<double>(transfers)));
  }
  if (cycles > 0) {
    const double seconds = static_cast<double>(cycles) / (mhz(run.kernel->clock) * 1e6);
    lines.push_back(fmt::format("dense        {:.1f} GOP/s of the same layers with every weight kept",
                                2 * static_cast<double>(dense) / seconds / 1e9));
  }
  const KernelConfig& kernel = KernelConfig::of(run);
  const auto is_of_array = [&](const auto& known) {
    return known && known->lanes == kernel.alpha.lanes && known->pes == kernel.alpha.pes;
  };
  if (is_of_array(kernel.published)) lines.push_back(published_line(kernel, rows));
  const auto& said = kernel.unverified;
  if (is_of_array(said)) {
    lines.push_back(
        fmt::format("context      {:g} GOP/s and {:g} W are said of it: unverified, and compared with nothing",
                    said->gops, said->watts));
  }
  return lines;
}

}  // namespace weft::batchlane
