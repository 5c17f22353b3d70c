#pragma once

#include <string>
#include <vector>

#include "platform/config/compose.h"

namespace weft::tools {

struct FileSchema {
  std::string kind;     // "run"; the schema is in run.schema.json
  std::string folders;  // folders of configs/ with such files: "runs, timeline"
  config::Node schema;  // JSON Schema, draft 2020-12
  bool of_kind = true;  // config::load_file() reads such files
};

// Returns the JSON Schemas of all kinds of YAML files. Types, ranges and defaults are those that the readers use,
// meanings are from keys.yaml of the library. Throws InputError unless keys.yaml has a meaning for each key and nothing
// else.
std::vector<FileSchema> file_schemas(const config::Library& library);

// Returns the node as JSON, indented by two spaces.
std::string json_of(const config::Node& node);

}  // namespace weft::tools
