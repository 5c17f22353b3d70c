#include "platform/designs/barista/cosim/random_case.h"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "platform/hardware/cosim/random_layer.h"

namespace weft::barista {

using cosim::pick;
using cosim::Random;

namespace {

constexpr Address kPage = 4096;
constexpr std::int64_t kMostProducts = 60000;
constexpr int kMostElements = 16;  // of a mesh: Verilator takes a second or two for each
constexpr int kBuildsPerLongCase = 10;
constexpr Cycles kStallFrom = 20;

// Where the tensors of a channel begin: at 0, some pages below 4 GiB, or some behind a multiple of it.
Address random_first(Random& random) {
  constexpr Address kFourGib = Address{1} << 32;
  switch (pick(random, 0, 3)) {
    case 0:
      return kFourGib - kPage * pick(random, 1, 4);
    case 1:
      return kFourGib * pick(random, 0, 3) + kPage * pick(random, 0, 3);
    default:
      return 0;
  }
}

Gemm random_gemm(Random& random, const Alpha& alpha) {
  while (true) {
    const auto size = [&](int tiles, int of_tile) { return pick(random, 1, tiles * of_tile); };
    const bool shallow = pick(random, 0, 3) == 0;  // tiles of C follow each other closely
    const int most = shallow ? 6 : 4;
    Gemm gemm;
    gemm.r = size(pick(random, 1, most), alpha.tr);
    gemm.c = size(pick(random, 1, most), alpha.tc);
    gemm.p = size(shallow ? 1 : pick(random, 0, 3) ? pick(random, 1, 3) : pick(random, 1, 6), alpha.tp);
    const Tiles tiles(alpha, gemm);
    const std::int64_t of_tile = std::int64_t{alpha.tr} * alpha.tc * alpha.tp, all = tiles.outputs() * tiles.k;
    if (all * of_tile <= kMostProducts || all <= 3) return gemm;
  }
}

cosim::RefusedCase random_refused(Random& random) {
  std::vector<cosim::RefusedCase> all = refused_cases();
  return std::move(all[static_cast<std::size_t>(pick(random, 0, static_cast<int>(all.size()) - 1))]);
}

}  // namespace

Alpha random_build(std::uint64_t seed, int build) {
  Random random = cosim::random_of(seed, build, -1);
  Alpha alpha;
  alpha.tr = pick(random, 1, 7);
  alpha.tc = pick(random, 1, std::min(9, kMostElements / alpha.tr));
  alpha.tp = pick(random, 0, 1) ? pick(random, 1, 9) : pick(random, 1, 40);
  alpha.partials = pick(random, 0, 3) ? pick(random, 1, 5) : pick(random, 6, 11);
  if (pick(random, 0, 3) == 0) {  // a mesh that is through with a tile before C is written
    alpha.tp = pick(random, 1, 3);
    alpha.partials = pick(random, 1, 2);
  }
  alpha.band = 1 << pick(random, 2, 5);
  for (const FifoId fifo : kFreeFifos) alpha.fifo[fifo] = pick(random, 1, 4);
  for (stream::PortConfig* port : {&alpha.a_port, &alpha.b_port, &alpha.c_port}) {
    *port = {pick(random, 0, 2) ? pick(random, 1, 64) : 256, pick(random, 1, 8)};
  }
  return alpha;
}

cosim::PlacedCase place(const Alpha& alpha, const Gemm& gemm, cosim::Surroundings surroundings, Random& random) {
  const Tiles tiles(alpha, gemm);
  struct Tensor {
    Port port;
    Words words;
    Address Bases::*base;
  };
  std::array<Tensor, kPorts> tensors{{{Port::A, tiles.a_words(alpha), &Bases::a},
                                      {Port::B, tiles.b_words(alpha), &Bases::b},
                                      {Port::C, tiles.c_words(alpha), &Bases::c}}};
  std::shuffle(tensors.begin(), tensors.end(), random);
  constexpr std::size_t kChannels = 3;
  std::array<Address, kChannels> first{}, end{};
  for (std::size_t i = 0; i < kChannels; ++i) first.at(i) = end.at(i) = random_first(random);
  Launch launch{tiles, {}, 0, pick(random, 0, 9)};
  for (const Tensor& tensor : tensors) {
    Address& at = end.at(static_cast<std::size_t>(surroundings.channels[static_cast<std::size_t>(tensor.port)]));
    launch.bases.*tensor.base = at;
    at = align_up(at + tensor.words * 4, kPage) + kPage * pick(random, 0, 1);
  }
  launch.params = random_first(random) + alpha.beat_bytes() * pick(random, 0, 31);
  std::vector<memory::Store> stores;
  std::uniform_real_distribution<float> value(-1.0F, 1.0F);
  for (std::size_t i = 0; i < kChannels; ++i) {
    stores.emplace_back(end.at(i) - first.at(i), first.at(i));
    memory::Store& store = stores.back();
    for (Address at = store.first(); at < store.end(); at += 4) *store.floats(at) = value(random);
  }
  cosim::shape_values(random, stores);
  return {std::make_unique<GemmCase>(make_plan(alpha, gemm, launch.bases, true), launch), std::move(stores),
          std::move(surroundings)};
}

cosim::RandomCase random_case(std::uint64_t seed, int build, int number, const Alpha& alpha) {
  Random random = cosim::random_of(seed, build, number);
  Alpha clocked = alpha;
  cosim::Surroundings surroundings = cosim::random_surroundings(random, alpha.beat_bytes());
  clocked.clock = surroundings.memory.kernel_clock;
  if (number == 0 && build % kBuildsPerLongCase == 0) surroundings.stall = {kStallFrom, cosim::kLongStall};
  cosim::RandomCase result;
  if (pick(random, 0, 3) == 0) result.beyond = random_refused(random);
  const Gemm gemm = random_gemm(random, alpha);
  const Tiles tiles(alpha, gemm);
  result.sizes = {tiles.rt, tiles.ct, tiles.k};
  result.placed = place(clocked, gemm, std::move(surroundings), random);
  return result;
}

std::vector<cosim::RefusedCase> refused_cases() {
  const Launch ok{{}, {0x10000, 0x20000, 0x30000}, 0x5000, 2};
  std::vector<cosim::RefusedCase> cases;
  for (std::int64_t Tiles::*count : {&Tiles::rt, &Tiles::ct, &Tiles::k}) {
    Launch launch = ok;
    launch.tiles.*count = 0;
    cases.push_back(refused_case(launch, 1));
  }
  for (Address Bases::*base : {&Bases::a, &Bases::b, &Bases::c}) {
    for (const Address off : {Address{4}, Address{2048}}) {
      Launch launch = ok;
      launch.bases.*base += off;
      cases.push_back(refused_case(launch, 2));
    }
  }
  return cases;
}

}  // namespace weft::barista
