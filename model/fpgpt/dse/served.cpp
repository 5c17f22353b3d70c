#include "model/fpgpt/dse/served.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "model/core/error.h"

namespace weft::fpgpt::dse {

namespace {

// Blocks of one memory, by Storage.
using Blocks = std::array<std::int64_t, 2>;

// Needs of one shape on a kernel of one array and one Z.
struct Demand {
  std::size_t shape = 0;
  conv::Convolution launch;                 // its largest
  Words z_channel = 0, most_z_channel = 0;  // smallest that it needs, largest within its limit
  Words k_range = 0, most_k_range = 0;
  Words kern_words = 0;  // words of a partition
  Blocks kern{}, out{};
};

// Kernels of one array, one Z and one variant.
class ServersOfArray {
 public:
  ServersOfArray(const SharingInput& input, const Alpha& alpha, PenaltyLimit limit)
      : in_(input), alpha_(alpha), limit_(limit) {
    storages_ = in_.problem.space.storage == StorageChoice::Searched
                    ? storages(in_.problem)
                    : std::vector<Storages>{{alpha_.inp_storage, alpha_.kern_storage, alpha_.out_storage}};
    for (std::size_t shape = 0; shape < in_.problem.shapes.size(); ++shape) {
      if (variant_of(beta(shape).kind) == alpha_.variant) ask(shape);
    }
    bear();
  }

  void add_to(std::vector<Server>& servers) const {
    std::set<Words> z_channels, k_ranges;
    std::map<Words, Blocks> kern_memories;
    for (const Demand& d : demands_) {
      z_channels.insert(d.z_channel);
      k_ranges.insert(d.k_range);
      kern_memories.emplace(d.kern_words, d.kern);
    }
    std::set<std::vector<std::size_t>> seen;
    for (const Words z_channel : z_channels) {
      const Blocks inp = inp_blocks(z_channel);
      for (const Words k_range : k_ranges) {
        for (const auto& [words, kern] : kern_memories) {
          for (const Storages& where : storages_) {
            std::vector<std::size_t> served = serve({z_channel, k_range, words, inp, kern}, where);
            if (served.empty() || !seen.insert(served).second) continue;
            servers.push_back({alpha_, std::move(served)});
          }
        }
      }
    }
  }

 private:
  const conv::Convolution& beta(std::size_t shape) const { return in_.problem.shapes[shape]; }
  const conv::WindowGeometry& window(std::size_t shape) const { return in_.windows[shape].of(alpha_.x); }
  bool in_time(const Alpha& alpha, std::size_t shape) const {
    return cycles_on(in_, alpha, shape) <= limit_.most_cycles(in_.optimal[shape].cycles);
  }
  // Returns the kernel with this array and Z, all else as small as the launch of the shape allows.
  Alpha smallest(std::size_t shape, const conv::Convolution& launch) const {
    Alpha alpha = fitted(alpha_, launch, window(shape));
    alpha.z = alpha_.z;
    return alpha;
  }

  void ask(std::size_t shape) {
    if (window(shape).z > alpha_.z) return;
    const conv::Convolution launch =
        in_.problem.split ? fitted_launches(in_.problem, alpha_, beta(shape), window(shape)).launch : beta(shape);
    const Alpha alpha = smallest(shape, launch);
    if (!stored(in_.problem, alpha, {launch}).fits || !in_time(alpha, shape)) return;
    Demand d;
    d.shape = shape;
    d.launch = launch;
    d.z_channel = alpha.z_channel;
    d.k_range = alpha.k_range;
    for (const Storage storage : {Storage::BRAM, Storage::URAM}) {
      const Resources needs = resources(in_storage(alpha, storage), {launch}, in_.problem.readings);
      const auto at = static_cast<std::size_t>(storage);
      d.kern_words = needs.memories[1].partition_words;
      d.kern[at] = needs.memories[1].blocks();
      d.out[at] = needs.memories[2].blocks();
    }
    demands_.push_back(d);
  }

  // Finds the largest Z_channel and K_range, among all needs, with which each shape is still in time: cycles never fall
  // when they grow, and each bounds a component of its own.
  void bear() {
    std::vector<Words> z_channels, k_ranges;
    for (const Demand& d : demands_) {
      z_channels.push_back(d.z_channel);
      k_ranges.push_back(d.k_range);
    }
    std::sort(z_channels.begin(), z_channels.end());
    std::sort(k_ranges.begin(), k_ranges.end());
    for (Demand& d : demands_) {
      const auto largest = [&](const std::vector<Words>& values, Words Alpha::*member) {
        const auto end = std::partition_point(values.begin(), values.end(), [&](Words value) {
          Alpha alpha = smallest(d.shape, d.launch);
          if (value <= alpha.*member) return true;
          alpha.*member = value;
          return in_time(alpha, d.shape);
        });
        return *std::prev(end);
      };
      d.most_z_channel = largest(z_channels, &Alpha::z_channel);
      d.most_k_range = largest(k_ranges, &Alpha::k_range);
    }
  }

  static Alpha in_storage(Alpha alpha, Storage storage) {
    alpha.inp_storage = alpha.kern_storage = alpha.out_storage = storage;
    return alpha;
  }

  Blocks inp_blocks(Words z_channel) const {
    Alpha alpha = alpha_;
    alpha.z_channel = z_channel;
    const auto of = [&](Storage storage) {
      return resources(in_storage(alpha, storage), std::vector<conv::Convolution>{}, in_.problem.readings)
          .memories[0]
          .blocks();
    };
    return {of(Storage::BRAM), of(Storage::URAM)};
  }

  // Sizes of a kernel, without OUT.
  struct Offer {
    Words z_channel = 0, k_range = 0, kern_words = 0;
    Blocks inp{}, kern{};
  };

  std::vector<std::size_t> serve(const Offer& offer, const Storages& where) const {
    std::vector<std::size_t> served;
    for (const Demand& d : demands_) {
      if (d.z_channel <= offer.z_channel && offer.z_channel <= d.most_z_channel && d.k_range <= offer.k_range &&
          offer.k_range <= d.most_k_range && d.kern_words <= offer.kern_words && within(offer, d.out, where)) {
        served.push_back(d.shape);
      }
    }
    return served;
  }

  bool within(const Offer& offer, const Blocks& out, const Storages& where) const {
    Blocks used{};
    const std::array<const Blocks*, 3> memories{&offer.inp, &offer.kern, &out};
    for (std::size_t i = 0; i < memories.size(); ++i) {
      const auto storage = static_cast<std::size_t>(where[i]);
      used[storage] += (*memories[i])[storage];
    }
    return used[0] <= in_.problem.budget.bram18 && used[1] <= in_.problem.budget.uram;
  }

  const SharingInput& in_;
  Alpha alpha_;
  PenaltyLimit limit_;
  std::vector<Storages> storages_;
  std::vector<Demand> demands_;
};

// Returns every Z that a kernel of x columns may have for shapes of the variant.
std::set<int> z_values(const SharingInput& input, int x, Variant variant) {
  std::set<int> values;
  for (std::size_t shape = 0; shape < input.problem.shapes.size(); ++shape) {
    if (variant_of(input.problem.shapes[shape].kind) != variant) continue;
    const int needed = static_cast<int>(input.windows[shape].of(x).z);
    for (int z = needed; z <= largest_z(input.problem, needed); ++z) values.insert(z);
  }
  return values;
}

// Returns the server with its sizes shrunk to the largest needs of `shapes`.
Alpha shrunk(const SharingInput& input, const Alpha& server, const std::vector<std::size_t>& shapes) {
  Sizes largest;
  for (const std::size_t shape : shapes) {
    const conv::Convolution& beta = input.problem.shapes[shape];
    const conv::WindowGeometry& window = input.windows[shape].of(server.x);
    const conv::Convolution launch =
        input.problem.split ? fitted_launches(input.problem, server, beta, window).launch : beta;
    grow_sizes(largest, sizes_of(server, launch, window));
  }
  largest.z = server.z;
  return with_sizes(server, largest);
}

SharedKernel kernel_of(const SharingInput& input, const Alpha& server, const std::vector<std::size_t>& items) {
  std::vector<std::size_t> shapes;
  shapes.reserve(items.size());
  for (const std::size_t item : items) shapes.push_back(input.items[item].shape);
  std::vector<conv::Convolution> betas;
  betas.reserve(shapes.size());
  const Alpha alpha = shrunk(input, server, shapes);
  for (const std::size_t shape : shapes) betas.push_back(launched(input.problem, alpha, input.problem.shapes[shape]));
  return shared_kernel(input, stored(input.problem, alpha, betas).alpha, items);
}

}  // namespace

std::vector<Server> servers(const SharingInput& input, int x, PenaltyLimit limit) {
  const Problem& problem = input.problem;
  if (problem.readings.k_range == reading::KRange::Group) {
    throw Error(
        "readings.k_range: the fewest kernels cannot be found with 'group'; use 'tensor', or sharing.minimum: "
        "false");
  }
  std::vector<Server> found;
  for (const Variant variant : {Variant::FGI, Variant::GW}) {
    for (const int z : z_values(input, x, variant)) {
      Alpha alpha = problem.base;
      alpha.variant = variant;
      alpha.x = x;
      alpha.z = z;
      for (alpha.y = 1; alpha.y <= problem.tallest(); ++alpha.y) {
        const std::int64_t pes = std::int64_t{alpha.x} * alpha.y;
        if (pes < problem.space.min_pes) continue;
        if (pes > problem.space.max_pes || pes * dsp_per_pe(alpha.format) > problem.budget.dsp) break;
        ServersOfArray(input, alpha, limit).add_to(found);
      }
    }
  }
  return undominated(std::move(found));
}

std::vector<Server> undominated(std::vector<Server> all) {
  std::stable_sort(all.begin(), all.end(), [](const Server& a, const Server& b) {
    return a.shapes.size() != b.shapes.size() ? a.shapes.size() > b.shapes.size() : a.shapes < b.shapes;
  });
  std::vector<Server> kept;
  for (Server& server : all) {
    const bool dominated = std::any_of(kept.begin(), kept.end(), [&](const Server& other) {
      return std::includes(other.shapes.begin(), other.shapes.end(), server.shapes.begin(), server.shapes.end());
    });
    if (!dominated) kept.push_back(std::move(server));
  }
  return kept;
}

FewestKernels fewest_kernels(const SharingInput& input, const std::vector<Server>& servers) {
  std::vector<std::vector<std::size_t>> columns;
  columns.reserve(servers.size());
  for (const Server& server : servers) columns.push_back(server.shapes);
  const SetCover cover = minimum_set_cover(input.problem.shapes.size(), columns);

  std::map<std::size_t, std::vector<std::size_t>> items_of;
  for (std::size_t item = 0; item < input.items.size(); ++item) {
    const std::size_t shape = input.items[item].shape;
    std::size_t best = 0;
    Cycles fewest = kNever;
    for (const std::size_t column : cover.columns) {
      const Server& server = servers[column];
      if (!std::binary_search(server.shapes.begin(), server.shapes.end(), shape)) continue;
      const Cycles cycles = cycles_on(input, shrunk(input, server.alpha, server.shapes), shape);
      if (cycles >= fewest) continue;
      best = column;
      fewest = cycles;
    }
    items_of[best].push_back(item);
  }
  FewestKernels fewest;
  fewest.at_least = cover.at_least;
  for (const auto& [column, items] : items_of) {
    fewest.kernels.push_back(kernel_of(input, servers[column].alpha, items));
  }
  return fewest;
}

}  // namespace weft::fpgpt::dse
