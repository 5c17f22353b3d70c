#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <random>

#include "model/conv/window.h"
#include "model/core/error.h"
#include "model/fpgpt/analytical/resources.h"
#include "model/fpgpt/parts.h"
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
    // The window is equal for all launches of a row.
    windows_.reserve(rows.size());
    for (const RowWork& row : rows)
      windows_.push_back(conv::window_geometry(row.launches.front(), std::max(kernel.x, 1)));
  }

  // To be called when launches of rows have changed.
  void clear_shared() { shared_.clear(); }

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
    return sizes_of(alpha, rows_[row].launches.front(), windows_[row]);
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

// Splits the rows of a kernel into launches (Split::Filters).
class Splitting {
 public:
  Splitting(const config::RunConfig& run, const KernelConfig& kernel, const Readings& readings, Fitting& fitting)
      : run_(run), kernel_(kernel), readings_(readings), fitting_(fitting), budget_(config::budget(run.board)) {}

  // Returns the KERN tensors of each launch of a row whose launches are its groups.
  std::int64_t tensors(const RowWork& row, std::size_t index) const {
    const Convolution& beta = row.launches.front();
    const Alpha alpha = fitting_.kernel_for(kernel_, index);
    std::int64_t most = most_tensors(without_fitted(alpha), beta);
    if (most == 0) return beta.n_kern;  // refused by plan_rows()
    // Memories of a given size are those of a bitstream, whatever the board.
    const bool given = kernel_.kern_words.fit == Size::Fit::Fixed && kernel_.out_words.fit == Size::Fit::Fixed;
    const auto on_board = [&](std::int64_t count) {
      return fits(alpha, part_of(beta, 0, count), fitting_.window(index));
    };
    if (!given && !on_board(most)) {
      std::int64_t fit = 0, beyond = ceil_div(most, alpha.y);
      while (fit + 1 < beyond) {
        const std::int64_t groups = (fit + beyond) / 2;
        (on_board(groups * alpha.y) ? fit : beyond) = groups;
      }
      if (fit > 0) most = fit * alpha.y;
    }
    return even_part(alpha, beta, most);
  }

 private:
  // Calls visit(is fixed, size) for the sizes that depend on the KERN tensors of a launch.
  template <class Visit>
  void for_each_memory(Visit visit) const {
    visit(kernel_.k_range.fit == Size::Fit::Fixed, &Alpha::k_range);
    visit(kernel_.kern_words.fit == Size::Fit::Fixed, &Alpha::kern_words);
    visit(kernel_.out_words.fit == Size::Fit::Fixed, &Alpha::out_words);
  }
  // Returns the kernel with no limit where its sizes are fitted.
  Alpha without_fitted(Alpha alpha) const {
    for_each_memory([&](bool fixed, auto size) {
      if (!fixed) alpha.*size = std::numeric_limits<Words>::max();
    });
    return alpha;
  }
  // True if the board holds the kernel with the memories of a launch.
  bool fits(Alpha alpha, const Convolution& part, const conv::WindowGeometry& window) const {
    const Alpha own = fitted(alpha, part, window);
    for_each_memory([&](bool fixed, auto size) {
      if (!fixed) alpha.*size = own.*size;
    });
    ResourceReport report = compare(resources(alpha, {part}, readings_), budget_);
    for (ResourceUse& use : report) use.known = config::states(run_.board, use.name);
    return weft::fits(report);
  }

  const config::RunConfig& run_;
  const KernelConfig& kernel_;
  const Readings& readings_;
  Fitting& fitting_;
  Budget budget_;
};

void split_rows(const config::RunConfig& run, const KernelConfig& kernel, const Readings& readings,
                std::vector<RowWork>& rows, Fitting& fitting) {
  const Splitting splitting(run, kernel, readings, fitting);
  std::vector<std::int64_t> tensors;
  tensors.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) tensors.push_back(splitting.tensors(rows[i], i));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<Convolution> launches;
    for (const Convolution& group : rows[i].launches) {
      const std::vector<Convolution> parts = parts_of(group, tensors[i]);
      rows[i].parts = static_cast<std::int64_t>(parts.size());
      launches.insert(launches.end(), parts.begin(), parts.end());
    }
    rows[i].launches = std::move(launches);
  }
  fitting.clear_shared();
}

// Returns the equations of each launch of a row; throws Error for a kernel that does not hold them.
std::vector<Gamma> gammas_of(const Alpha& alpha, const RowWork& row, const conv::WindowGeometry& window,
                             const Readings& readings) {
  // The launches of a group differ in the last, and groups do not.
  const Gamma first = gamma(alpha, row.launches.front(), readings, window);
  std::vector<Gamma> gammas(row.launches.size(), first);
  if (row.parts == 1) return gammas;
  const auto parts = static_cast<std::size_t>(row.parts);
  const Gamma last = gamma(alpha, row.launches[parts - 1], readings, window);
  for (std::size_t i = parts - 1; i < gammas.size(); i += parts) gammas[i] = last;
  return gammas;
}

// Throws Error, as gamma() does, but says what a split would need or do.
[[noreturn]] void refuse(const KernelConfig& kernel, const RowWork& row, const std::string& why) {
  const std::string name = fmt::format("layer '{}', {}: ", row.layer.name, conv::to_string(row.kind));
  const Convolution& beta = row.launches.front();
  const std::int64_t group = std::min<std::int64_t>(beta.n_kern, row.alpha.y);
  const auto refusal = [&](const Convolution& launch) -> std::string {
    try {
      refuse_beyond(row.alpha, launch);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string of_group = refusal(part_of(beta, 0, group));
  if (kernel.split_by == Split::Filters && !of_group.empty()) {
    throw Error(name + fmt::format("kernel.split_by: a launch of one Y-group, {} of {} KERN tensors, does not fit: {}",
                                   group, beta.n_kern, of_group));
  }
  const bool helps = kernel.split_by == Split::None && of_group.empty() && !refusal(beta).empty();
  throw Error(name + why + (helps ? "; kernel.split_by: filters runs it in parts that fit" : ""));
}

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

std::string RowWork::name_of(std::size_t launch) const {
  std::string name;
  if (layer.groups > 1) name += fmt::format(" group {}", group_of(launch));
  if (parts > 1) name += fmt::format(" part {}", part_of(launch));
  return name;
}

std::vector<RowWork> plan_rows(const config::RunConfig& run, const workloads::Network& network,
                               const Readings& readings) {
  const KernelConfig& kernel = KernelConfig::of(run);
  std::vector<RowWork> rows = design::chosen_rows<RowWork>(run, network);
  for (RowWork& row : rows) row.launches = workloads::lower_groups(row.layer, row.kind);
  Fitting fitting(kernel, rows);
  if (kernel.split_by == Split::Filters) split_rows(run, kernel, readings, rows, fitting);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RowWork& row = rows[i];
    row.alpha = fitting.kernel_for(kernel, i);
    try {
      row.gammas = gammas_of(row.alpha, row, fitting.window(i), readings);
      if (uses(kernel, Size::Fit::Shared)) {
        row.unshared = 0;
        for (const Gamma& each : gammas_of(fitting.kernel_for(unshared(kernel), i), row, fitting.window(i), readings)) {
          checked::add(*row.unshared, each.total, "the cycles of the groups of a layer");
        }
      }
    } catch (const Error& error) {
      refuse(kernel, row, error.what());
    }
  }
  return rows;
}

std::vector<Job> jobs_of(const std::vector<RowWork>& rows) {
  std::vector<Job> jobs;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t launch = 0; launch < rows[row].launches.size(); ++launch) jobs.push_back({row, launch});
  }
  return jobs;
}

std::vector<std::int64_t> weights_of(const std::vector<RowWork>& rows, const std::vector<Job>& jobs) {
  std::vector<std::int64_t> weights;
  weights.reserve(jobs.size());
  for (const Job& job : jobs) weights.push_back(rows[job.row].gammas[job.launch].total);
  return weights;
}

PlacedJob place_job(const config::RunConfig& run, const RowWork& row, const Convolution& launch, bool with_data,
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
  job.plan = make_plan(row.alpha, placed(launch, row.alpha, placement), with_data);
  job.channel_bytes = placement.channel_bytes;
  if (!with_data) return job;
  for (const Bytes bytes : placement.channel_bytes) job.stores.emplace_back(bytes);
  fill(job.stores, row.alpha.format, seed);
  return job;
}

}  // namespace weft::fpgpt
