#pragma once

#include <string>
#include <vector>

#include "platform/document/fitted_table.h"
#include "platform/document/table_view.h"
#include "platform/os/output_file.h"
#include "platform/os/progress.h"

namespace weft::tools {

using config::project_library;
using os::OutputFile;
using os::Progress;
using report::Format;
using report::Report;
using report::TableView;

// "table", "json" or, where `csv` allows it, "csv". Throws Error that lists what there is.
Format parse_format(const std::string& text, bool csv);

std::vector<config::Override> parse_overrides(const std::vector<std::string>& texts);

// The columns that a table may take: those of the terminal on standard output; 120 for a file or a pipe, so that what
// is printed there does not depend on where.
std::size_t page_width();

// Of --columns and --summary. Throws Error.
report::TableView table_view(const std::string& columns, Format format, bool summary = false);
// Throws Error that suggests others if the rows have no such column.
void check(const report::TableView& view, const std::vector<std::string>& known);

// See report::left_out_line.
std::string left_out_line(const report::FittedTable& table, const std::string& how);

// Prints the report; a table on a terminal is broken at its edge.
void print(const Report& report, Format format);
// A text to look at, likewise.
void print_page(const std::string& text);

// Writes to standard output and makes sure that it arrived. Throws Error, for instance on a full disk.
void print(const std::string& text);

}  // namespace weft::tools
