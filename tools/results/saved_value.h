#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "model/core/value.h"

namespace weft::tools {

// A value of a saved result, and where it stands. Borrows the file's name and the JSON. What is not as weft writes it
// throws an InputError that names file and key.
class SavedValue {
 public:
  using Json = nlohmann::json;

  SavedValue(const std::string& file, std::string key, const Json& json)
      : file_(file), key_(std::move(key)), json_(json) {}

  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  bool is_null() const { return json_.is_null(); }
  SavedValue at(const char* key) const;
  std::vector<SavedValue> items() const;
  Value value() const;                                                  // nothing, a number or a text
  std::vector<std::pair<std::string, Value>> values() const;            // of a map
  std::int64_t count(std::int64_t most = std::int64_t{1} << 62) const;  // from 0
  template <class T>
  T as() const {
    try {
      return json_.get<T>();
    } catch (const Json::exception&) {
      throw error("is not as weft writes it: " + json_.dump());
    }
  }
  InputError error(const std::string& what) const { return {file_, 0, key_, what}; }

 private:
  const std::string& file_;
  std::string key_;
  const Json& json_;
};

}  // namespace weft::tools
