#pragma once

#include "platform/report/report.h"
#include "tools/schema_words.h"

namespace weft::tools {

// What weft prints and saves, key by key: type, unit and meaning. As JSON one JSON Schema, with a definition for each
// kind of result; as CSV and as a table a line for each key.
report::Report results_schema();

// The definitions. Keys that are columns, too, have the column's unit and meaning.
namespace schema {
Json run();               // weft run, and a directory's result.json
Json convolutions_csv();  // a line of its convolutions.csv
Json timeline();          // weft timeline
Json sweep();             // weft show FILE.db
Json sweep_rows_of_convolutions();
Json sweep_rerank();   // weft show FILE.db --rerank
Json compare();        // weft compare
Json explain();        // weft explain, and the result.json of its folder
Json validate();       // weft validate, and its result.json
Json validate_link();  // likewise of a link
Json results();        // weft show FOLDER
}  // namespace schema

}  // namespace weft::tools
