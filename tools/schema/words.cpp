#include "tools/schema/words.h"

#include <utility>

namespace weft::tools::schema {

namespace {

Json value(const char* type, const std::string& unit, const std::string& meaning) {
  Json json{{"type", type}};
  if (!unit.empty()) json["unit"] = unit;
  json["description"] = meaning;
  return json;
}

}  // namespace

Json integer(const std::string& unit, const std::string& meaning) {
  return value("integer", unit, meaning);
}
Json number(const std::string& unit, const std::string& meaning) {
  return value("number", unit, meaning);
}
Json text(const std::string& meaning) {
  return value("string", "", meaning);
}
Json flag(const std::string& meaning) {
  return value("boolean", "", meaning);
}

Json of_type(const std::string& type, const std::string& unit, const std::string& meaning) {
  return value(type == "INTEGER" ? "integer" : type == "REAL" ? "number" : "string", unit, meaning);
}

Json or_nothing(Json schema) {
  schema["type"] = Json::array({schema.at("type"), "null"});
  return schema;
}

Json list(const std::string& meaning, Json items) {
  return {{"type", "array"}, {"description", meaning}, {"items", std::move(items)}};
}

Json object(const std::string& meaning, const std::vector<Key>& keys) {
  Json json{{"type", "object"}, {"description", meaning}, {"properties", Json::object()}};
  Json required = Json::array();
  for (const Key& key : keys) {
    json["properties"][key.name] = key.schema;
    if (key.always) required.push_back(key.name);
  }
  json["required"] = std::move(required);
  json["additionalProperties"] = false;
  return json;
}

Json names(const std::string& meaning, Json of, const std::vector<Key>& keys) {
  Json json = object(meaning, keys);
  json["additionalProperties"] = std::move(of);
  return json;
}

}  // namespace weft::tools::schema
