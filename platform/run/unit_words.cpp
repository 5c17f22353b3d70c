#include "platform/run/unit_words.h"

#include <cstring>
#include <type_traits>

namespace weft::run {

namespace {

// What comes before the blocks and ports.
struct Head {
  Cycles cycles = 0;
  Cycles drain_cycles = 0;
  Cycles skipped_cycles = 0;
  engine::ExactAccount account;
  design::DataCheck data;
};

static_assert(std::is_trivially_copyable_v<Head> && std::is_trivially_copyable_v<Activities> &&
              std::is_trivially_copyable_v<memory::PortStats>);

template <class T>
constexpr std::size_t words_of() {
  static_assert(sizeof(T) % sizeof(std::int64_t) == 0);
  return sizeof(T) / sizeof(std::int64_t);
}
template <class T>
void put(const T& value, std::int64_t*& words) {
  std::memcpy(words, &value, sizeof(T));
  words += words_of<T>();
}
template <class T>
void take(T& value, const std::int64_t*& words) {
  std::memcpy(static_cast<void*>(&value), words, sizeof(T));
  words += words_of<T>();
}

}  // namespace

std::size_t unit_words(const Topology& topology) {
  return words_of<Head>() + topology.blocks.size() * words_of<Activities>() +
         topology.ports.size() * words_of<memory::PortStats>() + topology.pe_classes.size();
}

void write_unit(const design::UnitResult& unit, std::int64_t* words) {
  put(Head{unit.cycles, unit.drain_cycles, unit.skipped_cycles, unit.account, unit.data}, words);
  for (const Activities& block : unit.blocks) put(block, words);
  for (const memory::PortStats& port : unit.ports) put(port, words);
  for (const std::int64_t pe_cycles : unit.pe_cycles) *words++ = pe_cycles;
}

design::UnitResult read_unit(const Topology& topology, const std::int64_t* words) {
  Head head;
  take(head, words);
  design::UnitResult unit;
  unit.cycles = head.cycles;
  unit.drain_cycles = head.drain_cycles;
  unit.skipped_cycles = head.skipped_cycles;
  unit.account = head.account;
  unit.data = head.data;
  unit.blocks.resize(topology.blocks.size());
  for (Activities& block : unit.blocks) take(block, words);
  unit.ports.resize(topology.ports.size());
  for (memory::PortStats& port : unit.ports) take(port, words);
  unit.pe_cycles.resize(topology.pe_classes.size());
  for (std::int64_t& pe_cycles : unit.pe_cycles) pe_cycles = *words++;
  return unit;
}

}  // namespace weft::run
