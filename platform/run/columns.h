#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/core/text.h"
#include "platform/design/design.h"
#include "platform/run/record.h"

namespace weft::run {

// A column of results: of a CSV file, of a sweep's database, and a name for objectives, filters and sorting. What only
// a simulation knows is empty on the analytical rung.
template <class Of>
struct Column {
  std::string name;
  const char* type;  // as record::Column has it
  std::string unit;  // "cycles"; "1" for a share or a ratio, empty for what has none
  std::string meaning;
  std::function<Value(const Of&)> value;
  bool in_csv = true;      // convolutions.csv has it
  bool simulated = false;  // equations alone have none of it in their CSV file
};

// The resources that a kernel may take of the device: the key of each, and its name in tables and messages.
inline constexpr std::array<std::pair<const char*, const char*>, 5> kResources{
    {{"dsp", "DSP"}, {"bram18", "BRAM18"}, {"uram", "URAM"}, {"lut", "LUT"}, {"ff", "FF"}}};

const char* resource_key(std::string_view name);
const char* resource_name(std::string_view key);

// A result as a whole.
struct WholeOf {
  const Result& result;
  Sum sum;
  Figures figures;
  ResourceReport largest_use;
};

// The columns of a row are the design's: kernel parameters, blocks and ports follow from what it says of itself.
std::vector<Column<RowRecord>> row_columns(const design::Design& design);
const std::vector<Column<WholeOf>>& whole_columns();

// Unit and meaning of a column of rows, of any design, and of a whole result.
record::Field row_field(const std::string& name);
record::Field whole_field(const std::string& name);
// The words of the types of columns in JSON Schema.
const char* json_type(const std::string& type);

// The columns that convolutions.csv has of a design.
std::vector<Column<RowRecord>> csv_columns(const design::Design& design, bool simulated);
// convolutions.csv: a line a row.
std::string csv_text(const Record& record);
// Its columns, of all designs.
const record::Words& csv_words();

WholeOf whole_of(const Result& result);

}  // namespace weft::run
