#include "model/fpgpt/dse/sharing.h"

#include <algorithm>
#include <tuple>

#include "model/core/checked.h"

namespace weft::fpgpt::dse {

namespace {

constexpr const char* kCycles = "the cycles of the convolutions of a kernel";

Cycles all_launches(Cycles each, const Item& item) {
  return checked::product(kCycles, {each, item.launches});
}

// Elementwise, as Algorithm 2 has it.
void grow(Alpha& alpha, const Alpha& other) {
  alpha.x = std::max(alpha.x, other.x);
  alpha.y = std::max(alpha.y, other.y);
  grow_sizes(alpha, other);
}

bool holds(const Alpha& alpha, const Sizes& sizes) {
  return sizes.z <= alpha.z && sizes.z_channel <= alpha.z_channel && sizes.k_range <= alpha.k_range &&
         sizes.kern_words <= alpha.kern_words && sizes.out_words <= alpha.out_words;
}

class Merger {
 public:
  Merger(const SharingInput& input, MergeReading reading) : in_(input), reading_(reading) {}

  std::optional<Alpha> alpha_of(const std::vector<std::size_t>& items) const {
    Alpha alpha = design(items.front()).alpha;
    for (const std::size_t item : items) {
      if (variant_of(beta(item).kind) != alpha.variant) return std::nullopt;
      grow(alpha, design(item).alpha);
    }
    if (reading_ == MergeReading::Printed) {
      for (const std::size_t item : items) {
        if (!holds(alpha, sizes_of(alpha, beta(item), window(item, alpha.x)))) return std::nullopt;
      }
      return alpha;
    }
    // A Z that an optimum has beyond its needs is at most BAND; needs at the new X replace the needs at the old.
    const int widened = std::min(alpha.z, alpha.band(Port::Inp));
    Alpha refitted = fitted_to(alpha, items.front());
    for (const std::size_t item : items) grow(refitted, fitted_to(alpha, item));
    if (in_.problem.space.z == ZChoice::Searched) refitted.z = std::max(refitted.z, widened);
    return refitted;
  }

  // With the storages that fit the board, if there are any.
  std::optional<Alpha> on_board(const Alpha& alpha, const std::vector<std::size_t>& items) const {
    std::vector<conv::Convolution> betas;
    betas.reserve(items.size());
    for (const std::size_t item : items) betas.push_back(beta(item));
    const Stored kernel = stored(in_.problem, alpha, betas);
    return kernel.fits ? std::optional<Alpha>(kernel.alpha) : std::nullopt;
  }

  // Algorithm 2's kernel for the items if it fits and keeps the limit.
  std::optional<Alpha> sound(const std::vector<std::size_t>& items, PenaltyLimit limit) const {
    std::optional<Alpha> alpha = alpha_of(items);
    if (alpha) alpha = on_board(*alpha, items);
    if (alpha && !keeps(*alpha, items, limit)) alpha.reset();
    return alpha;
  }

  bool keeps(const Alpha& alpha, const std::vector<std::size_t>& items, PenaltyLimit limit) const {
    return std::all_of(items.begin(), items.end(),
                       [&](std::size_t item) { return cycles(alpha, item) <= limit.most_cycles(design(item).cycles); });
  }

 private:
  const conv::Convolution& beta(std::size_t item) const { return in_.problem.shapes[in_.items[item].shape]; }
  const Design& design(std::size_t item) const { return in_.optimal[in_.items[item].shape]; }
  const conv::WindowGeometry& window(std::size_t item, int x) const { return in_.windows[in_.items[item].shape].of(x); }
  Cycles cycles(const Alpha& alpha, std::size_t item) const { return cycles_on(in_, alpha, in_.items[item].shape); }
  Alpha fitted_to(const Alpha& alpha, std::size_t item) const {
    return fitted(alpha, beta(item), window(item, alpha.x));
  }

  const SharingInput& in_;
  MergeReading reading_;
};

std::vector<SharedKernel> one_each(const SharingInput& input) {
  std::vector<SharedKernel> groups;
  for (std::size_t item = 0; item < input.items.size(); ++item) {
    const Design& design = input.optimal[input.items[item].shape];
    groups.push_back({design.alpha, {item}, all_launches(design.cycles, input.items[item]), 0});
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const SharedKernel& a, const SharedKernel& b) { return a.cycles > b.cycles; });
  return groups;
}

// The kernel of what `giver` keeps: Algorithm 2's for these items or, should that break the limits, the one they had.
// Fewer members can need more cycles: a smaller X has more sets, and Z_channel need not shrink with it.
SharedKernel rest_of(const SharingInput& input, const SharedKernel& giver, std::vector<std::size_t> items,
                     PenaltyLimit limit, MergeReading reading) {
  const std::optional<Alpha> alpha = Merger(input, reading).sound(items, limit);
  return shared_kernel(input, alpha ? *alpha : giver.alpha, std::move(items));
}

// Where the items of group `giver` go best, and what is left of them.
struct Merge {
  std::size_t taker = 0;
  SharedKernel grown;
  std::vector<std::size_t> left;
};

std::optional<Merge> best_merge(const SharingInput& input, const std::vector<SharedKernel>& groups, std::size_t giver,
                                PenaltyLimit limit, MergeReading reading) {
  std::optional<Merge> best;
  const auto rank = [](const SharedKernel& kernel) { return std::tuple(kernel.worst_penalty, kernel.cycles); };
  for (std::size_t taker = 0; taker < groups.size(); ++taker) {
    if (taker == giver || groups[taker].items.size() < groups[giver].items.size()) continue;
    Merge merged{taker, groups[taker], groups[giver].items};
    if (!merge(input, merged.grown, merged.left, limit, reading)) continue;
    if (!best || rank(merged.grown) < rank(best->grown)) best = std::move(merged);
  }
  return best;
}

}  // namespace

Cycles PenaltyLimit::most_cycles(Cycles optimal) const {
  constexpr std::int64_t kWhole = 100'000;
  // optimal * milli_percent / 100000 without leaving 64 bits: cycles are below 2^60, the limit is at most 100 %.
  return optimal + optimal / kWhole * milli_percent + optimal % kWhole * milli_percent / kWhole;
}

Cycles cycles_on(const SharingInput& input, const Alpha& alpha, std::size_t shape) {
  return gamma(alpha, input.problem.shapes[shape], input.problem.readings, input.windows[shape].of(alpha.x)).total;
}

SharedKernel shared_kernel(const SharingInput& input, const Alpha& alpha, std::vector<std::size_t> items) {
  SharedKernel kernel;
  kernel.alpha = alpha;
  for (const std::size_t item : items) {
    const std::size_t shape = input.items[item].shape;
    const Cycles shared = cycles_on(input, alpha, shape), optimal = input.optimal[shape].cycles;
    const double worse = static_cast<double>(shared - optimal) / static_cast<double>(optimal);
    kernel.worst_penalty = item == items.front() ? worse : std::max(kernel.worst_penalty, worse);
    checked::add(kernel.cycles, all_launches(shared, input.items[item]), kCycles);
  }
  kernel.items = std::move(items);
  return kernel;
}

std::optional<SharedKernel> merged_kernel(const SharingInput& input, const std::vector<std::size_t>& items,
                                          MergeReading reading) {
  const std::optional<Alpha> alpha = Merger(input, reading).alpha_of(items);
  if (!alpha) return std::nullopt;
  return shared_kernel(input, *alpha, items);
}

bool merge(const SharingInput& input, SharedKernel& group, std::vector<std::size_t>& from, PenaltyLimit limit,
           MergeReading reading) {
  const Merger merger(input, reading);
  std::vector<std::size_t> members = group.items, left;
  std::optional<Alpha> alpha;
  for (const std::size_t item : from) {
    members.push_back(item);
    const std::optional<Alpha> tried = merger.sound(members, limit);
    if (tried) {
      alpha = tried;
    } else {
      members.pop_back();
      left.push_back(item);
    }
  }
  if (!alpha) return false;
  group = shared_kernel(input, *alpha, std::move(members));
  from = std::move(left);
  return true;
}

std::vector<SharedKernel> share(const SharingInput& input, PenaltyLimit limit, const SharingReadings& readings) {
  std::vector<SharedKernel> groups = one_each(input);
  for (std::size_t giver = 0; giver < groups.size();) {
    std::optional<Merge> merged = best_merge(input, groups, giver, limit, readings.merge);
    if (!merged) {
      if (readings.stop == StopReading::Printed) break;
      ++giver;
      continue;
    }
    groups[merged->taker] = std::move(merged->grown);
    std::optional<SharedKernel> rest;
    if (!merged->left.empty()) rest = rest_of(input, groups[giver], std::move(merged->left), limit, readings.merge);
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(giver));
    if (rest) groups.push_back(std::move(*rest));
    std::stable_sort(groups.begin(), groups.end(),
                     [](const SharedKernel& a, const SharedKernel& b) { return a.items.size() < b.items.size(); });
    giver = 0;
  }
  return groups;
}

}  // namespace weft::fpgpt::dse
