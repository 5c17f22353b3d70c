#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "platform/config/kernel.h"
#include "platform/config/reader.h"

namespace weft::config {

// A reading of a design's equations by its key, and its values as files spell them, in the order of its enumeration.
template <class Readings>
struct Reading {
  const char* key;
  std::vector<std::string> values;
  std::size_t (*get)(const Readings&);
  void (*set)(Readings&, std::size_t);
};

// kMember: the enumeration in Readings.
template <class Readings, auto kMember>
Reading<Readings> reading(const char* key, std::vector<std::string> values) {
  using Enum = std::decay_t<decltype(std::declval<Readings>().*kMember)>;
  return {key, std::move(values), [](const Readings& r) { return static_cast<std::size_t>(r.*kMember); },
          [](Readings& r, std::size_t i) { r.*kMember = static_cast<Enum>(i); }};
}

// What `given` says, the rest as Readings has it. Throws InputError at the key or value that does not exist.
template <class Readings>
Readings readings_of(const std::vector<Reading<Readings>>& table, const std::vector<ReadingChoice>& given) {
  Readings result;
  for (const ReadingChoice& each : given) {
    const std::string key = "readings." + each.key;
    const Reading<Readings>* found = nullptr;
    std::vector<std::string> known;
    known.reserve(table.size());
    for (const Reading<Readings>& one : table) {
      known.emplace_back(one.key);
      if (each.key == one.key) found = &one;
    }
    if (!found) throw error_at(each.place, key, "unknown reading" + suggestion(each.key, known));
    Node node = scalar_node(each.value);
    node.place = each.place;
    found->set(result, read_choice(node, key, found->values));
  }
  return result;
}

// Every reading with its value, as a file would give it.
template <class Readings>
std::vector<ReadingChoice> all_readings(const std::vector<Reading<Readings>>& table, const Readings& readings) {
  std::vector<ReadingChoice> all;
  all.reserve(table.size());
  for (const Reading<Readings>& each : table) all.push_back({each.key, each.values[each.get(readings)], {}});
  return all;
}

}  // namespace weft::config
