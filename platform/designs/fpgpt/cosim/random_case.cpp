#include "platform/designs/fpgpt/cosim/random_case.h"

#include "model/core/error.h"
#include "model/fpgpt/sizing.h"
#include "platform/designs/fpgpt/cosim/kernel_case.h"

namespace weft::fpgpt {

using cosim::pick;
using cosim::Random;
using cosim::random_layer;
using cosim::random_of;

namespace {

constexpr std::int64_t kMostProducts = 60000;
constexpr int kMostDraws = 200000;
constexpr int kFillingDraws = 2000;
constexpr int kBuildsPerLongCase = 10;
constexpr Cycles kStallFrom = 20;

// First addresses of the channels' tensors: 0, up to 1024 words below 4 GiB, or some words above a multiple of it.
Firsts random_firsts(Random& random) {
  constexpr Address kFourGib = Address{1} << 32;
  Firsts firsts{};
  for (Address& first : firsts) {
    switch (pick(random, 0, 3)) {
      case 0:
        first = kFourGib - 4 * pick(random, 1, 1024);
        break;
      case 1:
        first = kFourGib * pick(random, 0, 3) + 4 * pick(random, 0, 1023);
        break;
      default:
        break;
    }
  }
  return firsts;
}

// A drawn convolution and the seed of its data.
struct Draw {
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  int group = 0;
  std::uint64_t seed = 0;
  conv::Convolution c;
};

Draw draw(Random& random) {
  Draw d;
  d.layer = random_layer(random, true);
  d.kind = static_cast<conv::Kind>(pick(random, 0, 2));
  d.group = pick(random, 0, d.layer.groups - 1);
  d.seed = random();
  d.c = workloads::lower(d.layer, d.kind, d.group);
  return d;
}

// True if the convolution is short and fits the table of start(s).
bool is_small(const conv::Convolution& c, const Alpha& alpha) {
  return c.a * c.n_inp * c.n_kern * c.out_map() * c.m() <= kMostProducts &&
         ceil_div(c.out_map(), alpha.x) <= kRandomMaxSets;
}

// Fills memory with the largest and smallest values, so that sums wrap.
void fill_with_extremes(Random& random, const Alpha& alpha, std::vector<memory::Store>& stores) {
  const stream::Lanes lanes = alpha.lanes(Port::Inp);
  const std::uint32_t least = ~std::uint32_t{0} << (alpha.format.bits - 1);
  for (memory::Store& store : stores) {
    const Words words = store.bytes() / lanes.beat_bytes * lanes.band;
    for (Words i = 0; i < words; ++i) lanes.put(store.at(store.first()), i, {pick(random, 0, 1) ? least : ~least});
  }
}

// Makes the case of a convolution that the kernel can hold.
RandomCase case_of(Random& random, const Draw& d, const Alpha& alpha) {
  RandomCase result;
  result.environment = cosim::random_environment(random, alpha.beat_bytes(Port::Inp));
  Alpha clocked = alpha;
  clocked.clock = result.environment.memory.kernel_clock;
  const std::vector<int>& channels = result.environment.channels;
  result.data = make_case(d.layer, d.kind, d.group, clocked, d.seed, {channels[0], channels[1], channels[2]},
                          random_firsts(random));
  if (alpha.format.is_fixed()) {
    if (pick(random, 0, 3) == 0) fill_with_extremes(random, alpha, result.data.memory.channels);
  } else {
    cosim::shape_values(random, result.data.memory.channels);
  }
  return result;
}

// A size of alpha, the value that a convolution needs of it, and the range of its first draw.
struct Limit {
  const char* name;
  Words Alpha::*of_kernel;
  Words Sizes::*needed;
  int least, most;
};
constexpr std::array<Limit, 4> kLimits{Limit{"kern_words", &Alpha::kern_words, &Sizes::kern_words, 256, 1024},
                                       Limit{"out_words", &Alpha::out_words, &Sizes::out_words, 2048, 4096},
                                       Limit{"z_channel", &Alpha::z_channel, &Sizes::z_channel, 64, 128},
                                       Limit{"k_range", &Alpha::k_range, &Sizes::k_range, 64, 128}};

std::size_t limits_of(Variant variant) {
  return variant == Variant::FGI ? 3 : 4;
}

// The kernel of random_build() with sizes at their first draw, larger than any accepted convolution needs.
Alpha roomy_build(std::uint64_t seed, int build, bool fixed_point) {
  Random random = random_of(seed, build, -1);
  Alpha alpha = random_alpha(random, true);
  alpha.z = pick(random, 12, 32);
  for (const Limit& limit : kLimits) alpha.*limit.of_kernel = pick(random, limit.least, limit.most);
  constexpr std::array<Variant, 4> kVariants{Variant::Both, Variant::Both, Variant::FGI, Variant::GW};
  alpha.variant = kVariants.at(static_cast<std::size_t>(pick(random, 0, 3)));
  if (fixed_point) {
    // Widths that the thesis trains with; drawn for half of the kernels.
    constexpr std::array<int, 4> kOften{8, 12, 14, 16};
    const int bits = pick(random, NumberFormat::kLeastFixedBits, NumberFormat::kMostFixedBits);
    alpha.format =
        NumberFormat::fixed(pick(random, 0, 1) ? kOften.at(static_cast<std::size_t>(pick(random, 0, 3))) : bits);
    alpha.packing = pick(random, 0, 1) ? Packing::Packed : Packing::Padded;
  }
  return alpha;
}

// The drawn convolution that needs most of one of kLimits, among many that the kernel holds. Thus the kernel still
// holds all of these when each size is reduced to that need.
struct Filling {
  Draw draw;
  Words needed = 0;
};
std::array<Filling, kLimits.size()> fillings(std::uint64_t seed, int build, const Alpha& roomy) {
  Random random = random_of(seed, build, -2);
  std::array<Filling, kLimits.size()> most;
  for (int i = 0; i < kFillingDraws || (i < kMostDraws && most[0].needed == 0); ++i) {
    const Draw d = draw(random);
    if (!is_small(d.c, roomy) || status_of(roomy, kRandomMaxSets, d.c) != 0) continue;
    const Sizes sizes = sizes_of(roomy, d.c);
    if (sizes.z > roomy.z) continue;
    for (std::size_t j = 0; j < kLimits.size(); ++j) {
      const Words needed = sizes.*kLimits[j].needed;
      if (needed > most[j].needed) most[j] = {d, needed};
    }
  }
  if (most[0].needed == 0) throw Error("no random convolution fits the kernel");
  return most;
}

}  // namespace

Alpha random_build(std::uint64_t seed, int build, bool fixed_point) {
  Alpha alpha = roomy_build(seed, build, fixed_point);
  const auto filling = fillings(seed, build, alpha);
  for (std::size_t i = 0; i < limits_of(alpha.variant); ++i) alpha.*kLimits.at(i).of_kernel = filling.at(i).needed;
  return alpha;
}

RandomCase random_case(std::uint64_t seed, int build, int number, const Alpha& alpha) {
  Random random = random_of(seed, build, number);
  std::optional<conv::Convolution> beyond;
  for (int i = 0; i < kMostDraws; ++i) {
    const Draw d = draw(random);
    if (!is_small(d.c, alpha)) continue;
    if (const int status = status_of(alpha, kRandomMaxSets, d.c); status != 0) {
      if (status > 1 || !beyond) beyond = d.c;  // a size is more informative than the variant
      continue;
    }
    if (sizes_of(alpha, d.c).z > alpha.z) continue;
    RandomCase result = case_of(random, d, alpha);
    result.beyond = beyond;
    return result;
  }
  throw Error("no random convolution fits the kernel");
}

RandomCase campaign_case(std::uint64_t seed, int build, int number, const Alpha& alpha) {
  const auto limits = static_cast<int>(limits_of(alpha.variant));
  if (number < limits) {
    Random random = random_of(seed, build, number);
    const auto filling = fillings(seed, build, roomy_build(seed, build, alpha.format.is_fixed()));
    return case_of(random, filling.at(static_cast<std::size_t>(number)).draw, alpha);
  }
  RandomCase result = random_case(seed, build, number, alpha);
  if (number == limits && build % kBuildsPerLongCase == 0) result.environment.stall = {kStallFrom, cosim::kLongStall};
  return result;
}

cosim::RandomCase to_case(RandomCase drawn, const Alpha& alpha) {
  cosim::RandomCase result;
  const conv::Convolution& c = drawn.data.plan.beta;
  result.kind = static_cast<std::size_t>(c.kind);
  result.sizes = {c.a, c.n_inp, c.n_kern, c.c, c.m(), c.out_map()};
  if (drawn.beyond)
    result.beyond = refused_case(*drawn.beyond, status_of(alpha, kRandomMaxSets, *drawn.beyond), alpha.format);
  result.placed = {std::make_unique<KernelCase>(std::move(drawn.data.plan)), std::move(drawn.data.memory.channels),
                   std::move(drawn.environment)};
  return result;
}

const char* filled_by(int number, Variant variant) {
  const auto limit = static_cast<std::size_t>(number);
  return limit < limits_of(variant) ? kLimits.at(limit).name : nullptr;
}

}  // namespace weft::fpgpt
