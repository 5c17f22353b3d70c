#pragma once

#include <nlohmann/json.hpp>

#include "model/core/text.h"

namespace weft {

// A value as JSON, and back: null is nothing. `Json`: nlohmann::json or ordered_json.
template <class Json>
Json json_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

template <class Json>
Value value_of(const Json& json) {
  if (json.is_number_integer()) return json.template get<std::int64_t>();
  if (json.is_number()) return json.template get<double>();
  if (json.is_string()) return json.template get<std::string>();
  return {};
}

}  // namespace weft
