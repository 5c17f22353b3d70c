#include "torch/kernel_set.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/core/error.h"
#include "model/fpgpt/sizing.h"
#include "platform/card/xrt/kernel_folder.h"
#include "platform/catalogue/designs.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/designs/fpgpt/work.h"
#include "platform/record/json.h"

namespace weft::nn {

namespace {

using fpgpt::Alpha;
using fpgpt::Sizes;

// Size of a kernel, with its name in configuration files.
struct NamedSize {
  const char* name;
  Words needed = 0, held = 0;
};
std::array<NamedSize, 5> sizes(const Sizes& needed, const Alpha& held) {
  return {{{"z", needed.z, held.z},
           {"z_channel", needed.z_channel, held.z_channel},
           {"k_range", needed.k_range, held.k_range},
           {"kern_words", needed.kern_words, held.kern_words},
           {"out_words", needed.out_words, held.out_words}}};
}

// Reason why a kernel cannot run a convolution; nothing if it can.
std::optional<std::string> refusal(const Alpha& alpha, const conv::Convolution& c, bool split) {
  if (!fpgpt::runs(alpha.variant, c.kind)) {
    return fmt::format("is of variant {}", fpgpt::to_string(alpha.variant));
  }
  for (const NamedSize& size : sizes(fpgpt::sizes_of(alpha, split ? fpgpt::first_launch(alpha, c) : c), alpha)) {
    if (size.needed > size.held) return fmt::format("has {} {}, not {}", size.name, size.held, size.needed);
  }
  return std::nullopt;
}

Words words_of(const Alpha& alpha) {
  return alpha.z + alpha.z_channel + alpha.k_range + alpha.kern_words + alpha.out_words;
}

std::size_t pick(const KernelSet& set, const conv::Convolution& c, const std::string& name, NumberFormat format) {
  std::optional<std::size_t> best;
  std::vector<std::string> refusals;
  for (std::size_t i = 0; i < set.kernels.size(); ++i) {
    const CardKernel& kernel = set.kernels[i];
    if (kernel.alpha.format != format) continue;
    if (const auto why = refusal(kernel.alpha, c, set.split)) {
      refusals.push_back(fmt::format("{} {}", kernel.xclbin.filename().string(), *why));
      continue;
    }
    const auto& made_for = kernel.convolutions;
    if (std::find(made_for.begin(), made_for.end(), name) != made_for.end()) return i;
    if (!best || words_of(kernel.alpha) < words_of(set.kernels[*best].alpha)) best = i;
  }
  if (best) return *best;
  constexpr std::size_t kMost = 4;
  const std::size_t more = refusals.size() > kMost ? refusals.size() - kMost : 0;
  refusals.resize(refusals.size() - more);
  throw Error(
      fmt::format("no kernel can run {}: {}{}", name,
                  refusals.empty() ? "there are none" + (format.is_fixed() ? " of " + to_string(format) : "") : "",
                  fmt::format("{}{}", fmt::join(refusals, "; "), more == 0 ? "" : fmt::format("; and {} more", more))));
}

// Reads alpha from the configuration in an xclbin, in which all sizes are fixed.
Alpha alpha_of(const std::string& yaml, const std::string& file) {
  const config::Node node = config::parse_yaml(
      yaml, std::make_shared<const config::Source>(config::Source{"the kernel of " + file, {}, false}));
  const std::shared_ptr<fpgpt::KernelConfig> kernel = fpgpt::KernelConfig::read(node, "");
  // Kernels for F and GI have no k_range.
  if (kernel->variant == fpgpt::VariantChoice::Fgi) kernel->k_range = {fpgpt::Size::Fit::Fixed, 0};
  if (!kernel->fixed_sizes()) throw config::error_at(node.place, "", "must have fixed sizes and a variant");
  Alpha alpha = fpgpt::alpha_of(*kernel);
  switch (kernel->variant) {
    case fpgpt::VariantChoice::Fgi:
      alpha.variant = fpgpt::Variant::FGI;
      break;
    case fpgpt::VariantChoice::Gw:
      alpha.variant = fpgpt::Variant::GW;
      break;
    case fpgpt::VariantChoice::Both:
      alpha.variant = fpgpt::Variant::Both;
      break;
    case fpgpt::VariantChoice::Auto:
      break;
  }
  return alpha;
}

}  // namespace

KernelSet card_memory_of(const config::RunConfig& run) {
  KernelSet set;
  set.split = fpgpt::KernelConfig::of(run).split_by == fpgpt::Split::Filters;  // throws for another design
  const std::vector<int> channels = config::port_channels(run);
  std::copy_n(channels.begin(), fpgpt::kPorts, set.channel_of_port.begin());
  set.channels = 1 + *std::max_element(channels.begin(), channels.end());
  set.channel_bytes = config::channel_capacity(run.board);
  return set;
}

KernelFolder read_kernel_folder(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / xrt::kKernelIndex;
  if (!std::filesystem::exists(path)) {
    throw Error(fmt::format("cannot read '{}': write it with weft card CONFIG --xclbin FOLDER/", path.string()));
  }
  const auto index = record::from_file<xrt::KernelIndex>(path);
  config::RunConfig run = design::read_run(config::parse_file(folder / index.config));
  KernelSet set = card_memory_of(run);
  const std::vector<std::string>& files = index.xclbins;
  if (index.kernels.size() < files.size()) {
    throw InputError(path.string(), 0, "kernels", "has fewer kernels than xclbins");
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    set.kernels.push_back({folder / files[i], alpha_of(index.kernels[i], files[i]), {}});
  }
  for (const xrt::IndexedConvolution& each : index.convolutions) {
    const auto file = std::find(files.begin(), files.end(), each.xclbin);
    if (file == files.end()) throw InputError(path.string(), 0, "convolutions", "names a missing xclbin");
    set.kernels[static_cast<std::size_t>(file - files.begin())].convolutions.push_back(
        fmt::format("{}:{}", each.layer, each.kind));
  }
  return {std::move(run), std::move(set)};
}

ConvolutionPlan plan_convolution(const KernelSet& set, const conv::Layer& layer, conv::Kind kind, NumberFormat format) {
  const std::vector<conv::Convolution> groups = workloads::lower_groups(layer, kind);
  ConvolutionPlan plan;
  // Groups differ only in their addresses.
  plan.kernel = pick(set, groups.front(), fmt::format("{}:{}", layer.name, conv::to_string(kind)), format);
  plan.words = workloads::tensor_words(layer, kind);
  const Alpha& alpha = set.kernels[plan.kernel].alpha;
  const fpgpt::TensorSizes sizes{plan.words.inp, plan.words.kern, plan.words.out};
  plan.bytes = {fpgpt::tensor_bytes(alpha, fpgpt::Port::Inp, plan.words.inp),
                fpgpt::tensor_bytes(alpha, fpgpt::Port::Kern, plan.words.kern),
                fpgpt::tensor_bytes(alpha, fpgpt::Port::Out, plan.words.out)};
  plan.placement = fpgpt::place(alpha, sizes, set.channel_of_port, set.channels, set.channel_bytes);
  plan.group = groups.front();
  const std::int64_t tensors = (set.split ? fpgpt::first_launch(alpha, plan.group) : plan.group).n_kern;
  if (tensors < plan.group.n_kern) plan.parts = fpgpt::parts_of(plan.group, tensors);
  for (const conv::Convolution& group : groups) {
    for (const conv::Convolution& part : fpgpt::parts_of(group, tensors)) {
      plan.launches.push_back(fpgpt::placed(part, alpha, plan.placement));
    }
  }
  return plan;
}

}  // namespace weft::nn
