#pragma once

#include "platform/document/report.h"
#include "tools/schema/words.h"

namespace weft::tools {

// What weft prints and saves, key by key: type, unit and meaning. As JSON one JSON Schema, with a definition for each
// kind of result; as CSV and as a table a line for each key.
report::Report results_schema();

// The definitions. Keys that are columns, too, have the column's unit and meaning.
namespace schema {
Json dse();          // weft dse, and its result.json
Json dse_several();  // weft dse of several

// Of any design's kernel: those that are columns of runs have their words.
Json kernel_parameters(const std::string& meaning);
}  // namespace schema

}  // namespace weft::tools
