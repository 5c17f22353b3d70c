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
Json cosim();        // weft cosim CONFIG
Json cosim_campaign();
Json cosim_mutants();
Json synth();         // weft synth KERNEL
Json synth_errors();  // weft synth --errors
Json bench();
Json bench_growth();

Json parameter(const std::string& meaning);  // of a kind that only its design knows
}  // namespace schema

}  // namespace weft::tools
