#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

// Members of what weft saved as JSON, for what prints it. What is not there or of another kind throws
// nlohmann::json::exception.
namespace weft::tools {

inline std::string word(const nlohmann::ordered_json& json, const char* key) {
  return json.at(key).get<std::string>();
}
inline std::int64_t count(const nlohmann::ordered_json& json, const char* key) {
  return json.at(key).get<std::int64_t>();
}
inline double real(const nlohmann::ordered_json& json, const char* key) {
  return json.at(key).get<double>();
}

}  // namespace weft::tools
