#include "platform/designs/copy/cosim/launch_case.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>

#include "model/copy/kernel.h"
#include "platform/designs/copy/design.h"
#include "platform/designs/copy/row_work.h"

namespace weft::copy {

using cosim::pick;
using cosim::Random;

cosim::Hardware hardware(const Alpha& alpha) {
  return {&topology(), rtl_kernel(alpha), alpha.band, {alpha.band}, {32}};
}

cosim::RtlStart rtl_start(const Beta& beta) {
  cosim::RtlStart start;
  for (const Address address : {beta.in, beta.out}) {
    const auto value = static_cast<std::uint64_t>(address);
    start.registers.push_back(static_cast<std::uint32_t>(value));
    start.registers.push_back(static_cast<std::uint32_t>(value >> 32));
  }
  start.registers.push_back(static_cast<std::uint32_t>(beta.words));
  start.cycles = kToStart;
  return start;
}

cosim::Place LaunchCase::place(std::size_t /*fifo*/, std::int64_t token, std::optional<std::size_t> lane) const {
  const cosim::Trip beat{"beat", ceil_div(beta_.words, plan_.alpha.band)};
  if (!lane) return cosim::place_of(token, {beat});
  return cosim::place_of(token * plan_.alpha.band + static_cast<std::int64_t>(*lane),
                         {{"lane", plan_.alpha.band}, beat});
}

cosim::RtlInstance LaunchCase::instance_of(std::size_t block) const {
  constexpr std::array<const char*, kBlocks> kFiles{"ddr_reader.sv", "run_writer.sv"};
  return {fmt::format("u_{}", kBlockInfos.at(block).name), kFiles.at(block)};
}

cosim::ModelCounts LaunchCase::run_model(const cosim::AxiEnvironment& environment, std::vector<memory::Store>& stores,
                                         stream::Observer& observer) const {
  DataMemory data{std::move(stores), {environment.channels[0], environment.channels[1]}};
  const Result result = run_exact(plan_, *memory::make_memory(environment.memory), &data, {true, {}, &observer});
  stores = std::move(data.channels);
  return {result.cycles, kToDone, {result.activities.begin(), result.activities.end()}};
}

Alpha random_build(std::uint64_t seed, int build) {
  Random random = cosim::random_of(seed, build, -1);
  Alpha alpha;
  alpha.band = 1 << pick(random, 1, 5);
  alpha.fifo[FifoId::Beat] = pick(random, 1, 4);
  for (stream::PortConfig* port : {&alpha.in, &alpha.out}) {
    *port = {pick(random, 0, 2) ? pick(random, 1, 64) : 256, pick(random, 1, 8)};
  }
  return alpha;
}

namespace {

constexpr std::size_t kChannels = 3;  // of cosim::random_environment
constexpr Cycles kStallFrom = 20;
constexpr int kBuildsPerLongCase = 10;
constexpr Cycles kRefusalCycles = 2;  // COPY-7

// First address of a channel's tensors: 0, some pages below 4 GiB, or some pages above a multiple of it.
Address random_first(Random& random) {
  constexpr Address kFourGib = Address{1} << 32;
  switch (pick(random, 0, 3)) {
    case 0:
      return kFourGib - stream::kPageBytes * pick(random, 1, 4);
    case 1:
      return kFourGib * pick(random, 0, 3) + stream::kPageBytes * pick(random, 0, 3);
    default:
      return 0;
  }
}

}  // namespace

cosim::PlacedCase place(const Alpha& alpha, Words words, cosim::AxiEnvironment environment, Random& random) {
  std::array<Address, kChannels> first{}, end{};
  for (std::size_t i = 0; i < kChannels; ++i) first.at(i) = end.at(i) = random_first(random);
  Beta beta;
  beta.words = words;
  const auto put = [&](std::size_t port, Address Beta::*base) {
    Address& at = end.at(static_cast<std::size_t>(environment.channels[port]));
    beta.*base = at;
    at = align_up(at + words * 4, stream::kPageBytes) + stream::kPageBytes * pick(random, 0, 1);
  };
  put(0, &Beta::in);
  put(1, &Beta::out);
  std::vector<memory::Store> stores;
  for (std::size_t i = 0; i < kChannels; ++i) {
    stores.emplace_back(end.at(i) - first.at(i), first.at(i));
    memory::Store& store = stores.back();
    for (Address at = store.first(); at < store.end(); at += 4) {
      *store.floats(at) = std::uniform_real_distribution<float>(-1.0F, 1.0F)(random);
    }
  }
  cosim::shape_values(random, stores);
  return {std::make_unique<LaunchCase>(alpha, beta), std::move(stores), std::move(environment)};
}

cosim::RandomCase random_case(std::uint64_t seed, int build, int number, const Alpha& alpha) {
  Random random = cosim::random_of(seed, build, number);
  Alpha clocked = alpha;
  cosim::AxiEnvironment environment = cosim::random_environment(random, alpha.beat_bytes());
  clocked.clock = environment.memory.kernel_clock;
  if (number == 0 && build % kBuildsPerLongCase == 0) environment.stall = {kStallFrom, cosim::kLongStall};
  cosim::RandomCase result;
  if (pick(random, 0, 3) == 0) {
    std::vector<cosim::RefusedCase> all = refused_cases();
    result.beyond = std::move(all[static_cast<std::size_t>(pick(random, 0, static_cast<int>(all.size()) - 1))]);
  }
  const Words words = pick(random, 1, pick(random, 1, 200) * alpha.band);
  result.sizes = {words};
  result.placed = place(clocked, words, std::move(environment), random);
  return result;
}

std::vector<cosim::RefusedCase> refused_cases() {
  std::vector<cosim::RefusedCase> cases;
  for (const auto& [beta, status] : {std::pair(Beta{0, 4096, 0}, 1), std::pair(Beta{4, 4096, 1}, 2),
                                     std::pair(Beta{0, 4096 + 2048, 1}, 2), std::pair(Beta{4, 4096, 0}, 1)}) {
    cosim::RefusedCase& refused = cases.emplace_back(cosim::RefusedCase{"launch", rtl_start(beta), status});
    refused.start.cycles = kRefusalCycles;
  }
  return cases;
}

}  // namespace weft::copy
