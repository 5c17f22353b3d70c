#include "platform/dse/result.h"
#include "platform/record/json.h"
#include "tools/schema/schema.h"

namespace weft::tools::schema {

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
