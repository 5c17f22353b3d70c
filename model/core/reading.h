#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

// Values that are tried: from, from + step, ... up to `to`.
struct Range {
  int from = 1, to = 1, step = 1;

  std::int64_t count() const { return to < from ? 0 : (to - from) / step + 1; }
  int at(std::int64_t i) const { return from + static_cast<int>(i) * step; }
};

// A reading of a design's equations: its key, its alternatives by the names that files give them, the default first,
// and how to get and set it. `set` takes the value of an alternative.
template <class Readings>
struct Reading {
  struct Alternative {
    int value = 0;  // of the enumerator
    std::string name;
  };

  std::string key;
  std::vector<Alternative> alternatives;
  int (*get)(const Readings&) = nullptr;
  void (*set)(Readings&, int) = nullptr;
  std::string unset;  // the name, beside those of the alternatives, for what holds where nothing is given; or empty

  const std::string& chosen(const Readings& readings) const {
    std::size_t i = 0;
    while (alternatives[i].value != get(readings)) ++i;
    return alternatives[i].name;
  }
};

// Names that files give the alternatives of an enumeration.
template <class Enum>
using AlternativeNames = std::vector<std::pair<Enum, const char*>>;

// The reading of a member of Readings, which is an enumeration; the compiler checks that the names are those of its
// own.
template <class Readings, auto kMember, class Enum = std::decay_t<decltype(std::declval<Readings>().*kMember)>>
Reading<Readings> reading_of(const char* key, const AlternativeNames<Enum>& names) {
  Reading<Readings> reading;
  reading.key = key;
  for (const auto& [value, name] : names) reading.alternatives.push_back({static_cast<int>(value), name});
  reading.get = [](const Readings& readings) { return static_cast<int>(readings.*kMember); };
  reading.set = [](Readings& readings, int value) { readings.*kMember = static_cast<Enum>(value); };
  return reading;
}

// The reading of that key, or nullptr. `Table`: of readings.
template <class Table>
const typename Table::value_type* find_reading(const Table& table, const std::string& key) {
  for (const auto& each : table) {
    if (each.key == key) return &each;
  }
  return nullptr;
}

}  // namespace weft
