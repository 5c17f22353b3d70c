#pragma once

#include "platform/document/report.h"

namespace weft::tools {

// What weft prints and saves, key by key: type, unit and meaning. As JSON one JSON Schema, with a definition for each
// kind of result; as CSV and as a table a line for each key.
report::Report results_schema();

}  // namespace weft::tools
