#include "tools/results/saved_value.h"

#include <fmt/core.h>

#include "platform/design/value_json.h"

namespace weft::tools {

SavedValue SavedValue::at(const char* key) const {
  if (!has(key)) throw error(fmt::format("has no '{}'", key));
  return {file_, key_.empty() ? key : key_ + "." + key, json_.at(key)};
}

std::vector<SavedValue> SavedValue::items() const {
  if (!json_.is_array()) throw error(fmt::format("must be a list, not {}", json_.dump()));
  std::vector<SavedValue> all;
  for (std::size_t i = 0; i < json_.size(); ++i) {
    all.push_back({file_, fmt::format("{}[{}]", key_, i), json_.at(i)});
  }
  return all;
}

Value SavedValue::value() const {
  return value_of(json_);
}

std::vector<std::pair<std::string, Value>> SavedValue::values() const {
  if (!json_.is_object()) throw error(fmt::format("must be a map, not {}", json_.dump()));
  std::vector<std::pair<std::string, Value>> all;
  for (const auto& [key, value] : json_.items()) all.emplace_back(key, value_of(value));
  return all;
}

std::int64_t SavedValue::count(std::int64_t most) const {
  const bool whole = json_.is_number_integer() &&
                     (!json_.is_number_unsigned() || json_.get<std::uint64_t>() <= static_cast<std::uint64_t>(most));
  if (!whole || json_.get<std::int64_t>() < 0 || json_.get<std::int64_t>() > most) {
    throw error(fmt::format("must be a whole number from 0 to {}, not {}", most, json_.dump()));
  }
  return json_.get<std::int64_t>();
}

}  // namespace weft::tools
