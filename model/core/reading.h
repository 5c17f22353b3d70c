#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

// Arithmetic range of trial values: from, from + step, ... up to `to`.
struct Range {
  int from = 1, to = 1, step = 1;

  std::int64_t count() const { return to < from ? 0 : (to - from) / step + 1; }
  int at(std::int64_t i) const { return from + static_cast<int>(i) * step; }
};

// A reading of a design's equations: its key, the names of its alternatives in files (the default first), and
// accessors. `set` takes the value of an alternative.
template <class Readings>
struct Reading {
  struct Alternative {
    int value = 0;  // value of the enumerator
    std::string name;
  };

  std::string key;
  std::vector<Alternative> alternatives;
  int (*get)(const Readings&) = nullptr;
  void (*set)(Readings&, int) = nullptr;
  std::string unset;  // additional name for the behaviour if the key is absent; may be empty

  const std::string& chosen(const Readings& readings) const {
    std::size_t i = 0;
    while (alternatives[i].value != get(readings)) ++i;
    return alternatives[i].name;
  }
};

// Names of the alternatives of an enumeration in files.
template <class Enum>
using AlternativeNames = std::vector<std::pair<Enum, const char*>>;

// Returns the reading of an enumeration member of Readings. The compiler checks that the names belong to the same
// enumeration.
template <class Readings, auto kMember, class Enum = std::decay_t<decltype(std::declval<Readings>().*kMember)>>
Reading<Readings> reading_of(const char* key, const AlternativeNames<Enum>& names) {
  Reading<Readings> reading;
  reading.key = key;
  for (const auto& [value, name] : names) reading.alternatives.push_back({static_cast<int>(value), name});
  reading.get = [](const Readings& readings) { return static_cast<int>(readings.*kMember); };
  reading.set = [](Readings& readings, int value) { readings.*kMember = static_cast<Enum>(value); };
  return reading;
}

// Returns the reading with that key, or nullptr. `Table`: a container of readings.
template <class Table>
const typename Table::value_type* find_reading(const Table& table, const std::string& key) {
  for (const auto& each : table) {
    if (each.key == key) return &each;
  }
  return nullptr;
}

}  // namespace weft
