#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "model/conv/window.h"
#include "model/core/error.h"
#include "model/fpgpt/placement.h"
#include "model/fpgpt/sizing.h"
#include "platform/config/model_config.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/designs/fpgpt/work.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {

using conv::Convolution;
using conv::Kind;

namespace {

Variant variant_for(const KernelConfig& kernel, Kind kind) {
  switch (kernel.variant) {
    case VariantChoice::Fgi:
      return Variant::FGI;
    case VariantChoice::Gw:
      return Variant::GW;
    case VariantChoice::Both:
      return Variant::Both;
    case VariantChoice::Auto:
      break;
  }
  return kind == Kind::GW ? Variant::GW : Variant::FGI;
}

bool uses(const KernelConfig& kernel, Size::Fit fit) {
  bool used = false;
  for_each_size([&](const char*, auto size, auto) { used = used || (kernel.*size).fit == fit; });
  return used;
}

// Returns the kernel with `auto` in place of `shared`.
KernelConfig unshared(KernelConfig kernel) {
  for_each_size([&](const char*, auto size, auto) {
    if ((kernel.*size).fit == Size::Fit::Shared) (kernel.*size).fit = Size::Fit::Auto;
  });
  return kernel;
}

// Cached inputs for fitting the kernels of rows.
class Fitting {
 public:
  Fitting(const KernelConfig& kernel, const std::vector<RowWork>& rows) : rows_(rows) {
    // The window is equal for all groups.
    windows_.reserve(rows.size());
    for (const RowWork& row : rows)
      windows_.push_back(conv::window_geometry(row.groups.front(), std::max(kernel.x, 1)));
  }

  const conv::WindowGeometry& window(std::size_t row) const { return windows_[row]; }

  // Returns the row's kernel. `auto` is fitted to the row's own convolutions, `shared` to all that the variant runs.
  Alpha kernel_for(const KernelConfig& kernel, std::size_t index) {
    const RowWork& row = rows_[index];
    Alpha alpha = alpha_of(kernel);
    alpha.variant = variant_for(kernel, row.kind);
    if (!runs(alpha.variant, row.kind)) {
      throw Error(
          fmt::format("kernel.variant: a kernel of variant {} cannot run {} of layer '{}'; use variant auto or both, "
                      "or choose kinds that it runs",
                      to_string(alpha.variant), conv::to_string(row.kind), row.layer.name));
    }
    const Alpha own = uses(kernel, Size::Fit::Auto) ? with_sizes(alpha, sizes(alpha, index)) : alpha;
    const Alpha all = uses(kernel, Size::Fit::Shared) ? with_sizes(alpha, shared(alpha)) : alpha;
    for_each_size([&](const char*, auto size, auto member) {
      if ((kernel.*size).fit == Size::Fit::Auto) alpha.*member = own.*member;
      if ((kernel.*size).fit == Size::Fit::Shared) alpha.*member = all.*member;
    });
    return alpha;
  }

 private:
  Sizes sizes(const Alpha& alpha, std::size_t row) const {
    return sizes_of(alpha, rows_[row].groups.front(), windows_[row]);
  }
  const Sizes& shared(const Alpha& alpha) {
    const auto [found, first] = shared_.try_emplace(alpha.variant);
    for (std::size_t row = 0; first && row < rows_.size(); ++row) {
      if (runs(alpha.variant, rows_[row].kind)) grow_sizes(found->second, sizes(alpha, row));
    }
    return found->second;
  }

  const std::vector<RowWork>& rows_;
  std::vector<conv::WindowGeometry> windows_;
  std::map<Variant, Sizes> shared_;
};

// Fills every word of the channels, guards included, with random values in [-1, 1): guards must not affect results. In
// fixed point with random bits, so that words have any value and lanes any bits above it.
void fill(std::vector<memory::Store>& channels, NumberFormat format, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (memory::Store& store : channels) {
    for (Address at = store.first(); at < store.end(); at += kSumBytes) {
      const auto bits = static_cast<std::uint32_t>(random() >> 32);
      if (format.is_fixed()) {
        std::memcpy(store.at(at), &bits, sizeof bits);
      } else {
        *store.floats(at) = static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-31F;
      }
    }
  }
}

}  // namespace

std::vector<RowWork> plan_rows(const config::RunConfig& run, const workloads::Network& network,
                               const Readings& readings) {
  const KernelConfig& kernel = KernelConfig::of(run);
  std::vector<RowWork> rows = design::chosen_rows<RowWork>(run, network);
  for (RowWork& row : rows) row.groups = workloads::lower_groups(row.layer, row.kind);
  Fitting fitting(kernel, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RowWork& row = rows[i];
    row.alpha = fitting.kernel_for(kernel, i);
    // The equations are equal for all groups.
    const Convolution& beta = row.groups.front();
    try {
      row.gammas.assign(row.groups.size(), gamma(row.alpha, beta, readings, fitting.window(i)));
      if (uses(kernel, Size::Fit::Shared)) {
        const Alpha own = fitting.kernel_for(unshared(kernel), i);
        row.unshared = checked::product(
            "the cycles of the groups of a layer",
            {gamma(own, beta, readings, fitting.window(i)).total, static_cast<Cycles>(row.groups.size())});
      }
    } catch (const Error& error) {
      throw Error(fmt::format("layer '{}', {}: {}", row.layer.name, conv::to_string(row.kind), error.what()));
    }
  }
  return rows;
}

std::vector<Job> jobs_of(const std::vector<RowWork>& rows) {
  std::vector<Job> jobs;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t group = 0; group < rows[row].groups.size(); ++group) jobs.push_back({row, group});
  }
  return jobs;
}

std::vector<std::int64_t> weights_of(const std::vector<RowWork>& rows, const std::vector<Job>& jobs) {
  std::vector<std::int64_t> weights;
  weights.reserve(jobs.size());
  for (const Job& job : jobs) weights.push_back(rows[job.row].gammas[job.group].total);
  return weights;
}

PlacedJob place_job(const config::RunConfig& run, const RowWork& row, const Convolution& group, bool with_data,
                    std::uint64_t seed) {
  PlacedJob job;
  job.memory = config::memory_config(run);
  const std::vector<int> port_channels = config::port_channels(run);
  std::copy_n(port_channels.begin(), kPorts, job.channel_of_port.begin());
  const int channels =
      std::max(job.memory.channels, 1 + *std::max_element(job.channel_of_port.begin(), job.channel_of_port.end()));
  const workloads::TensorWords words = workloads::tensor_words(row.layer, row.kind);
  const Placement placement = place(row.alpha, {words.inp, words.kern, words.out}, job.channel_of_port, channels,
                                    config::channel_capacity(run.board));
  job.plan = make_plan(row.alpha, placed(group, row.alpha, placement), with_data);
  job.channel_bytes = placement.channel_bytes;
  if (!with_data) return job;
  for (const Bytes bytes : placement.channel_bytes) job.stores.emplace_back(bytes);
  fill(job.stores, row.alpha.format, seed);
  return job;
}

}  // namespace weft::fpgpt
