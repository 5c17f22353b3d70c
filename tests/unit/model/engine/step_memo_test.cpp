#include "model/engine/step_memo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "model/engine/mapping_signature.h"

namespace weft::engine {
namespace {

using memory::Nck;

constexpr Cycles kStart = 2000;

memory::MemoryConfig config_of(Frequency clock, memory::AddressMap map) {
  memory::MemoryConfig config;
  config.port_channel = {0};
  config.kernel_clock = clock;
  config.latency_cycles = 7;
  config.ddr4.map = map;
  return config;
}

// A channel with some reads in its queues.
struct Busy {
  memory::Ddr4Memory memory;
  Busy(const memory::MemoryConfig& config, std::uint64_t seed) : memory(config) {
    std::mt19937_64 random(seed);
    memory.settle(0, kStart - 20);
    for (Cycles i = 0; i < 12; ++i) memory.send_read(0, kStart - 20 + i, static_cast<Address>(random() % 64) * 4096, 8);
    memory.settle(0, kStart);
    for (Cycles at; (at = memory.next_read_beat(0)) != kNever;) memory.take_read_beat(0, at);
  }
};

// Returns the whole outcome of a step as text.
std::string text_of(const StepMemo& memo, const StepMemo::Outcome& outcome) {
  std::string all = memo.bytes(outcome.next) + "/" + std::to_string(outcome.refreshes);
  for (const Return& run : memo.returns(outcome)) {
    all += "/" + std::to_string(run.first) + "+" + std::to_string(run.count);
  }
  for (const std::int16_t rows : memo.rows(outcome, 0)) all += "/" + std::to_string(rows);
  return all;
}

TEST(StepMemo, GivesForARefreshAtEachDistanceTheOutcomeOfAnEmptyMemo) {
  const ChannelPorts ports{{0, PortDirection::Read}};
  std::uint64_t seed = 1;
  for (const Frequency clock : {Frequency{100, 1}, Frequency{250, 1}, Frequency{1000, 3}}) {
    for (const Cycles gap : {4, 13, 40, 200}) {
      const memory::MemoryConfig config = config_of(clock, static_cast<memory::AddressMap>(seed % 3));
      Busy busy(config, seed++);
      StepMemo all(config, 0, ports);
      const std::uint32_t state = all.enter(busy.memory, kStart, 0);
      const Event read{0, Transfer::Read, 0, 8, 0, 0};
      Step step{read, kStart, gap, 3 * 4096, 0, 0};
      std::vector<Nck> dues;
      const Nck from = all.clocks().first_edge(kStart), to = all.clocks().first_edge(kStart + gap);
      for (Nck due = from - 30; due < to; ++due) dues.push_back(due);
      std::shuffle(dues.begin(), dues.end(), std::mt19937_64(seed));
      for (const Nck due : dues) {
        step.refresh_due = due;
        StepMemo alone(config, 0, ports);
        const std::uint32_t same_state = alone.number_of(all.bytes(state));
        ASSERT_EQ(text_of(all, all.take(state, step)), text_of(alone, alone.take(same_state, step)))
            << "a gap of " << gap << " cycles, the refresh due after " << due - from << " edges";
      }
    }
  }
}

using memory::AddressMap;

// Contents of a bank/row signature. Per base: one-row flag of its bytes, distance in rows from the base before, and the
// bits of its first byte that decide bank and row.
using Described = std::vector<std::int64_t>;
Described described(AddressMap map, const PlacedTrace& placed) {
  constexpr Address kRow = Address{1} << memory::kRowBit;
  Described all;
  std::int64_t before = placed.row;
  for (std::size_t i = 0; i < placed.bases.size(); ++i) {
    const Address first = placed.bases[i] + placed.trace.extents[i].first;
    const Address last = placed.bases[i] + placed.trace.extents[i].last;
    const bool one_row = first / kRow == last / kRow;
    const Address within = one_row && map != AddressMap::rbc ? first & memory::bank_mask(map) : first % kRow;
    all.insert(all.end(), {one_row ? 1 : 0, first / kRow - before, within});
    before = first / kRow;
  }
  return all;
}

TEST(MappingSignatures, OfAnyNumberOfBasesAreEqualExactlyWhereBanksAndRowChangesAre) {
  std::mt19937_64 random(3);
  for (const AddressMap map : {AddressMap::rcb, AddressMap::intlv, AddressMap::rbc}) {
    for (std::size_t bases = 1; bases <= 23; ++bases) {
      MappingSignatures signatures(map);
      RequestTrace trace;
      trace.number = static_cast<std::uint32_t>(bases);
      trace.bases.resize(bases);
      for (std::size_t i = 0; i < bases; ++i) trace.extents.push_back({0, static_cast<std::int64_t>(random() % 512)});
      trace.last_base = static_cast<std::int32_t>(bases) - 1;
      std::map<Described, std::uint64_t> number_of;
      std::map<std::uint64_t, Described> of_number;
      for (int i = 0; i < 400; ++i) {
        // In most places only one base differs from the other places.
        std::vector<Address> addresses(bases, Address{5} << memory::kRowBit);
        for (int moved = 1 + static_cast<int>(random() % 2); moved > 0; --moved) {
          addresses[random() % bases] += static_cast<Address>(random() % 4) * 256 +
                                         static_cast<Address>(random() % 2) * (Address{1} << memory::kRowBit);
        }
        const auto row = static_cast<std::int64_t>(random() % 2);
        std::uint64_t spread = 1;  // a separate number for all bases but the first
        for (const Address address : addresses)
          spread = mix(spread, static_cast<std::uint64_t>(address - addresses[0]));
        const MappingSignature signature = signatures.find(
            row, trace, {addresses[0], spread, [&](const RequestTrace&, auto& all) { all = addresses; }});
        EXPECT_EQ(signature.row_delta, (addresses.back() >> memory::kRowBit) - row);
        const Described what = described(map, {0, trace, addresses, row});
        EXPECT_EQ(number_of.emplace(what, signature.number).first->second, signature.number) << bases << " bases";
        EXPECT_EQ(of_number.emplace(signature.number, what).first->second, what) << bases << " bases";
      }
      EXPECT_GT(number_of.size(), 5U);
    }
  }
}

}  // namespace
}  // namespace weft::engine
