#include "platform/designs/barista/cosim/random_case.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <utility>

#include "model/barista/kernel.h"
#include "model/core/error.h"
#include "platform/designs/barista/design.h"

namespace weft::barista {

using cosim::pick;
using cosim::Random;

namespace {

constexpr Address kPage = 4096;
constexpr std::int64_t kMostProducts = 60000;
constexpr int kMostElements = 16;  // Verilator takes one or two seconds for each element of the mesh
constexpr int kBuildsPerLongCase = 10;
constexpr Cycles kStallFrom = 20;

// First address of a channel's tensors: 0, some pages below 4 GiB, or some pages above a multiple of it.
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
  if (pick(random, 0, 3) == 0) {  // the mesh finishes a tile before C is written
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

cosim::PlacedCase place(const Alpha& alpha, const Gemm& gemm, cosim::AxiEnvironment environment, Random& random) {
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
    Address& at = end.at(static_cast<std::size_t>(environment.channels[static_cast<std::size_t>(tensor.port)]));
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
          std::move(environment)};
}

cosim::RandomCase random_case(std::uint64_t seed, int build, int number, const Alpha& alpha) {
  Random random = cosim::random_of(seed, build, number);
  Alpha clocked = alpha;
  cosim::AxiEnvironment environment = cosim::random_environment(random, alpha.beat_bytes());
  clocked.clock = environment.memory.kernel_clock;
  if (number == 0 && build % kBuildsPerLongCase == 0) environment.stall = {kStallFrom, cosim::kLongStall};
  cosim::RandomCase result;
  if (pick(random, 0, 3) == 0) result.beyond = random_refused(random);
  const Gemm gemm = random_gemm(random, alpha);
  const Tiles tiles(alpha, gemm);
  result.sizes = {tiles.rt, tiles.ct, tiles.k};
  result.placed = place(clocked, gemm, std::move(environment), random);
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

namespace {

constexpr Cycles kLaunchCycles = 5;   // BLC-2, BLC-3: read of the beat, two cycles, cycle 0
constexpr Cycles kRefusalCycles = 4;  // REGISTERS.md: read of the beat; done two cycles later
constexpr Cycles kDoneCycles = 1;     // BLC-4: drained in cycle T

std::vector<int> compared_words(const Alpha& alpha) {
  std::vector<int> words;
  for (std::size_t i = 0; i < kFifos; ++i) {
    const auto fifo = static_cast<FifoId>(i);
    const bool whole_tile = fifo == FifoId::ATile || fifo == FifoId::BTile;
    words.push_back(whole_tile ? 0 : fifo_width(alpha, fifo));
  }
  return words;
}

}  // namespace

cosim::Hardware hardware(const Alpha& alpha) {
  std::vector<int> words = compared_words(alpha);
  std::vector<int> bits(words.size(), 32);
  return {&topology(), rtl_kernel(alpha), alpha.band, std::move(words), std::move(bits)};
}

cosim::RtlStart rtl_start(const Launch& launch) {
  cosim::RtlStart start;
  for (const Address address : {launch.bases.a, launch.bases.b, launch.params, launch.bases.c}) {
    const auto bits = static_cast<std::uint64_t>(address);
    start.registers.push_back(static_cast<std::uint32_t>(bits));
    start.registers.push_back(static_cast<std::uint32_t>(bits >> 32));
  }
  const auto word = [](std::int64_t count) { return static_cast<std::uint32_t>(count); };
  const Tiles& tiles = launch.tiles;
  start.read = {static_cast<std::size_t>(Port::A),
                launch.params,
                {word(tiles.rt), word(tiles.ct), word(tiles.k)},
                launch.read_cycles};
  start.cycles = kLaunchCycles + launch.read_cycles;
  return start;
}

cosim::RefusedCase refused_case(const Launch& launch, int status) {
  cosim::RefusedCase refused{"GEMM", rtl_start(launch), status};
  refused.start.cycles = kRefusalCycles + launch.read_cycles;
  return refused;
}

cosim::ModelCounts GemmCase::run_model(const cosim::AxiEnvironment& environment, std::vector<memory::Store>& stores,
                                       stream::Observer& observer) const {
  DataMemory data{std::move(stores), {}};
  std::copy_n(environment.channels.begin(), kPorts, data.channel_of_port.begin());
  const GemmResult result = run_exact(plan_, *memory::make_memory(environment.memory), &data, {true, {}, &observer});
  stores = std::move(data.channels);
  return {result.cycles, kDoneCycles, {result.activities.begin(), result.activities.end()}};
}

cosim::Place GemmCase::place(std::size_t fifo, std::int64_t token, std::optional<std::size_t> lane) const {
  const Alpha& a = plan_.alpha;
  const cosim::Trip column{"tile_column", plan_.tiles.ct}, row{"tile_row", plan_.tiles.rt},
      product{"tile_product", plan_.tiles.k};
  const Words first_word = token * a.band + static_cast<Words>(lane.value_or(0));
  switch (static_cast<FifoId>(fifo)) {
    case FifoId::ABeat:
      return cosim::place_of(token, {{"beat", a.a_tile_words() / a.band}, product, column, row});
    case FifoId::BBeat:
      return cosim::place_of(token, {{"beat", a.b_tile_words() / a.band}, product, column, row});
    case FifoId::ATile:
    case FifoId::BTile:
      return cosim::place_of(token, {product, column, row});
    case FifoId::CTile:
      return cosim::place_of(token, {column, row});
    case FifoId::CRow:
      return cosim::place_of(token, {{"row", a.tr}, column, row});
    case FifoId::CBeat:
      return cosim::place_of(first_word, {{"column", a.tc}, {"row", a.tr}, column, row});
  }
  return {};
}

cosim::RtlInstance GemmCase::instance_of(std::size_t block) const {
  constexpr std::array<const char*, kBlocks> kFiles{"ddr_reader.sv", "tile_fill.sv", "ddr_reader.sv", "tile_fill.sv",
                                                    "mesh.sv",       "drain.sv",     "encode.sv",     "run_writer.sv"};
  return {fmt::format("u_{}", topology().blocks[block].name), kFiles.at(block)};
}

rtl::Kernel rtl_kernel(const Alpha& a) {
  if (a.band < kLeastRtlBand || a.band > kMostRtlBand || (a.band & (a.band - 1)) != 0) {
    throw Error(fmt::format("band: the RTL's bus has 4, 8, 16 or 32 words a beat, not {}", a.band));
  }
  std::vector<rtl::Parameter> all{{"Tr", a.tr}, {"Tc", a.tc}, {"Tp", a.tp}, {"S1", a.partials}, {"Band", a.band}};
  for (const FifoId fifo : kFreeFifos) all.push_back({rtl::camel_case(to_string(fifo)) + "Depth", a.fifo[fifo]});
  const auto port = [&](Port which, const stream::PortConfig& config) {
    const std::string name = rtl::camel_case(kPortInfos[static_cast<std::size_t>(which)].name);
    all.push_back({name + "MaxBurstBeats", config.max_burst_beats});
    all.push_back({name + "Outstanding", config.outstanding});
  };
  port(Port::A, a.a_port);
  port(Port::B, a.b_port);
  port(Port::C, a.c_port);
  return {kRtlSources, all};
}

}  // namespace weft::barista
