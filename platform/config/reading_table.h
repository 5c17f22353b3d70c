#pragma once

#include <string>
#include <vector>

#include "model/core/reading.h"
#include "platform/config/kernel.h"
#include "platform/config/reader.h"

namespace weft::config {

// Returns `readings` changed by `given`. Throws InputError at an unknown key or value.
template <class Table, class Readings>
Readings readings_of(const Table& table, const std::vector<ReadingChoice>& given, Readings readings) {
  for (const ReadingChoice& each : given) {
    const std::string key = "readings." + each.key;
    const auto* const found = find_reading(table, each.key);
    if (!found) {
      std::vector<std::string> known;
      known.reserve(table.size());
      for (const auto& one : table) known.push_back(one.key);
      throw error_at(each.place, key, "unknown reading" + suggestion(each.key, known));
    }
    std::vector<std::string> names;
    for (const auto& alternative : found->alternatives) names.push_back(alternative.name);
    if (!found->unset.empty()) names.push_back(found->unset);
    Node node = scalar_node(each.value);
    node.place = each.place;
    const std::size_t chosen = read_choice(node, key, names);
    if (chosen < found->alternatives.size()) found->set(readings, found->alternatives[chosen].value);
  }
  return readings;
}

// Returns every reading with its value, as a file would give it.
template <class Readings>
std::vector<ReadingChoice> all_readings(const std::vector<Reading<Readings>>& table, const Readings& readings) {
  std::vector<ReadingChoice> all;
  all.reserve(table.size());
  for (const Reading<Readings>& each : table) all.push_back({each.key, each.chosen(readings), {}});
  return all;
}

}  // namespace weft::config
