#include "platform/dse/result.h"
#include "platform/record/json.h"
#include "platform/run/record.h"
#include "tools/schema/schema.h"

namespace weft::tools::schema {

namespace {

Json parameter(const std::string& meaning) {
  return {{"type", {"integer", "number", "string", "boolean", "array", "object"}},
          {"description", meaning},
          {"properties", Json::object()},
          {"additionalProperties", text("a part of it")}};
}

}  // namespace

Json kernel_parameters(const std::string& meaning) {
  std::vector<Key> keys;
  for (const record::Word& word : run::kernel_words()) {
    Json schema{{"type", word.type}};
    if (!word.unit.empty()) schema["unit"] = word.unit;
    schema["description"] = word.meaning;
    keys.push_back({word.name, schema, false});
  }
  return names(meaning, parameter("a parameter"), keys);
}

namespace {

// The record has parameters of any design; what they mean is known of all designs.
void describe_kernels(Json& schema) {
  for (auto& [name, of] : schema.at("properties").items()) {
    if (name == "kernel") {
      of = kernel_parameters(of.at("description").get<std::string>());
      continue;
    }
    Json& inner = of.contains("items") ? of.at("items") : of;
    if (inner.contains("properties")) describe_kernels(inner);
  }
}

}  // namespace

Json dse() {
  Json schema = record::json_schema("an exploration (weft dse, and its result.json)", weft::dse::Result());
  describe_kernels(schema);
  return schema;
}

Json dse_several() {
  return list("several explorations (weft dse A B)", dse());
}

}  // namespace weft::tools::schema
