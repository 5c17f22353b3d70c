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

// Column of results: in a CSV file, in a sweep's database, and as a name in objectives, filters and sort keys. Columns
// that need a simulation are empty on the analytical rung.
template <class Of>
struct Column {
  std::string name;
  const char* type;  // one of record::Column's types
  std::string unit;  // e.g. "cycles"; "1" for a share or a ratio, empty if the value has no unit
  std::string meaning;
  std::function<Value(const Of&)> value;
  bool in_csv = true;      // part of convolutions.csv
  bool simulated = false;  // not in the CSV file of the analytical rung
};

// Resources of the device that a kernel uses: the key of each, and its name in tables and messages.
inline constexpr std::array<std::pair<const char*, const char*>, 5> kResources{
    {{"dsp", "DSP"}, {"bram18", "BRAM18"}, {"uram", "URAM"}, {"lut", "LUT"}, {"ff", "FF"}}};

const char* resource_key(std::string_view name);
const char* resource_name(std::string_view key);

// Whole result, as the columns of results read it.
struct WholeOf {
  const Result& result;
  Sum sum;
  Figures figures;
  ResourceReport largest_use;
};

// Columns that charts of a run show.
inline constexpr const char *kAnalyticalCycles = "analytical_cycles", *kAnalyticalError = "analytical_error";

// Columns of rows. They follow from the design's kernel parameters, blocks and ports.
std::vector<Column<RowRecord>> row_columns(const design::Design& design);
const std::vector<Column<WholeOf>>& whole_columns();

// Unit and meaning of a column of rows (of any design), and of a column of whole results.
record::Field row_field(const std::string& name);
record::Field whole_field(const std::string& name);
// Returns the JSON Schema name of a column type.
const char* json_type(const std::string& type);

// Columns of convolutions.csv for a design.
std::vector<Column<RowRecord>> csv_columns(const design::Design& design, bool simulated);
// True for a column that these rows do not need: LUT and FF if they are unknown (analytical rung), `transposed` if no
// layer is.
bool has_nothing(const Column<RowRecord>& column, const std::vector<RowRecord>& rows);
// Text of convolutions.csv: one line per row.
std::string csv_text(const Record& record);
// Columns of convolutions.csv, of all designs.
const record::Words& csv_words();

WholeOf whole_of(const Result& result);

}  // namespace weft::run
