#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

// What JSON that weft wrote has at a key. Throws nlohmann::json::exception if that is missing or of another type.
namespace weft::tools {

inline std::string text(const nlohmann::ordered_json& json, const char* key) {
  return json.at(key).get<std::string>();
}
inline std::int64_t count(const nlohmann::ordered_json& json, const char* key) {
  return json.at(key).get<std::int64_t>();
}
inline double real(const nlohmann::ordered_json& json, const char* key) {
  return json.at(key).get<double>();
}

}  // namespace weft::tools
