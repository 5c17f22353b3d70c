#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// The words of a description of JSON, as JSON Schema (2020-12). Every value has a `description`; every number has a
// `unit` beside it, "1" for a share or a ratio.
namespace weft::tools::schema {

using Json = nlohmann::ordered_json;

Json integer(const std::string& unit, const std::string& meaning);
Json number(const std::string& unit, const std::string& meaning);
Json text(const std::string& meaning);
Json flag(const std::string& meaning);
// `type`: of SQLite, as of a column: INTEGER, REAL or TEXT.
Json of_type(const std::string& type, const std::string& unit, const std::string& meaning);
Json or_nothing(Json schema);  // or null
Json list(const std::string& meaning, Json items);

struct Key {
  std::string name;
  Json schema;
  bool always = true;
};
// No other keys than these.
Json object(const std::string& meaning, const std::vector<Key>& keys);
// Names that are the user's, or of a table described elsewhere, beside `keys`; the value of each is `of`.
Json names(const std::string& meaning, Json of, const std::vector<Key>& keys = {});

}  // namespace weft::tools::schema
