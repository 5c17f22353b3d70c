#include "torch/kernel_set.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/core/error.h"
#include "model/fpgpt/sizing.h"
#include "platform/config/reader.h"
#include "platform/design/load.h"
#include "platform/fpgpt/kernel_config.h"
#include "platform/fpgpt/work.h"
#include "workloads/lowering.h"

namespace weft::nn {

namespace {

using fpgpt::Alpha;
using fpgpt::Sizes;

// A size of a kernel, by the name that its file gives it.
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

// Why a kernel cannot run a convolution; nothing if it can.
std::optional<std::string> refusal(const Alpha& alpha, const conv::Convolution& c) {
  if (!fpgpt::runs(alpha.variant, c.kind)) {
    return fmt::format("is of variant {}", fpgpt::to_string(alpha.variant));
  }
  for (const NamedSize& size : sizes(fpgpt::sizes_of(alpha, c), alpha)) {
    if (size.needed > size.held) return fmt::format("has {} {}, not {}", size.name, size.held, size.needed);
  }
  return std::nullopt;
}

Words words_of(const Alpha& alpha) {
  return alpha.z + alpha.z_channel + alpha.k_range + alpha.kern_words + alpha.out_words;
}

std::size_t pick(const KernelSet& set, const conv::Convolution& c, const std::string& name) {
  std::optional<std::size_t> best;
  std::vector<std::string> refusals;
  for (std::size_t i = 0; i < set.kernels.size(); ++i) {
    const CardKernel& kernel = set.kernels[i];
    if (const auto why = refusal(kernel.alpha, c)) {
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
      fmt::format("no kernel holds {}: {}{}", name, refusals.empty() ? "there are none" : "",
                  fmt::format("{}{}", fmt::join(refusals, "; "), more == 0 ? "" : fmt::format("; and {} more", more))));
}

CardKernel read_entry(const config::Node& node, const std::string& key, const std::filesystem::path& folder) {
  CardKernel kernel;
  config::MapReader reader(node, key);
  std::string xclbin;
  reader.text("xclbin", xclbin, config::Need::Required);
  reader.custom(
      "kernel", config::Need::Required,
      [&](const config::Node& each, const std::string& at) {
        const std::shared_ptr<fpgpt::KernelConfig> read = fpgpt::read_kernel(each, at);
        if (!read->fixed_sizes()) throw config::error_at(each.place, at, "a size of it is no number");
        kernel.alpha = fpgpt::alpha_of(*read);
        switch (read->variant) {
          case fpgpt::VariantChoice::Fgi:
            kernel.alpha.variant = fpgpt::Variant::FGI;
            break;
          case fpgpt::VariantChoice::Gw:
            kernel.alpha.variant = fpgpt::Variant::GW;
            break;
          case fpgpt::VariantChoice::Both:
            kernel.alpha.variant = fpgpt::Variant::Both;
            break;
          case fpgpt::VariantChoice::Auto:
            throw config::error_at(each.place, at + ".variant", "must be one of fgi, gw, both, not 'auto'");
        }
      },
      [] { return std::optional<config::Node>(); });
  reader.custom(
      "convolutions", config::Need::Optional,
      [&](const config::Node& each, const std::string& at) {
        for (const config::Node& name : config::expect_list(each, at).children) {
          kernel.convolutions.push_back(config::read_text(name, at));
        }
      },
      [] { return std::optional<config::Node>(); });
  reader.finish();
  kernel.xclbin = folder / xclbin;
  return kernel;
}

}  // namespace

KernelSet card_memory_of(const config::RunConfig& run) {
  fpgpt::kernel_of(run);  // of another design: says so
  KernelSet set;
  const std::vector<int> channels = config::port_channels(run);
  std::copy_n(channels.begin(), fpgpt::kPorts, set.channel_of_port.begin());
  set.channels = 1 + *std::max_element(channels.begin(), channels.end());
  set.channel_bytes = fpgpt::channel_capacity(run.board);
  return set;
}

KernelFolder read_kernel_folder(const std::filesystem::path& folder) {
  const config::Node index = config::parse_file(folder / "index.yaml");
  config::MapReader reader(index, "");
  std::string run;
  std::vector<CardKernel> kernels;
  reader.text("run", run, config::Need::Required);
  reader.custom(
      "kernels", config::Need::Required,
      [&](const config::Node& each, const std::string& at) {
        std::size_t i = 0;
        for (const config::Node& entry : config::expect_list(each, at).children) {
          kernels.push_back(read_entry(entry, fmt::format("{}[{}]", at, i++), folder));
        }
      },
      [] { return std::optional<config::Node>(); });
  reader.finish();
  config::RunConfig read = design::read_run(config::parse_file(folder / run));
  KernelSet set = card_memory_of(read);
  set.kernels = std::move(kernels);
  return {std::move(read), std::move(set)};
}

ConvolutionPlan plan_convolution(const KernelSet& set, const conv::Layer& layer, conv::Kind kind) {
  const std::vector<conv::Convolution> groups = workloads::lower_groups(layer, kind);
  ConvolutionPlan plan;
  // Groups differ in nothing but where they lie.
  plan.kernel = pick(set, groups.front(), fmt::format("{}:{}", layer.name, conv::to_string(kind)));
  const workloads::TensorWords words = workloads::tensor_words(layer, kind);
  plan.bytes = {words.inp * 4, words.kern * 4, words.out * 4};
  plan.placement =
      fpgpt::place(set.kernels[plan.kernel].alpha, plan.bytes, set.channel_of_port, set.channels, set.channel_bytes);
  for (const conv::Convolution& group : groups) plan.launches.push_back(fpgpt::placed(group, plan.placement));
  return plan;
}

}  // namespace weft::nn
