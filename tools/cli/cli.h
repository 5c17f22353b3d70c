#pragma once

#include <string>
#include <vector>

#include "platform/config/compose.h"
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

// Parses "table", "json" or, if `csv`, "csv". Throws Error that lists the allowed values.
Format parse_format(const std::string& text, bool csv);

// Names in the folder of a kind in configs/, for networks also those of workloads.
std::vector<std::string> names_of(config::FileKind kind, const config::Library& library);

std::vector<config::Override> parse_overrides(const std::vector<std::string>& texts);

// Width of tables: that of the terminal on standard output; 120 for a file or a pipe, to be independent of the
// terminal.
std::size_t page_width();

// View from --columns, --rows ("" for its default) and --verbose. Throws Error.
report::TableView table_view(const std::string& columns, Format format, const std::string& rows = "",
                             bool verbose = false);
// Throws Error with suggestions if the rows lack a column.
void check(const report::TableView& view, const std::vector<std::string>& known);

// See report::left_out_line.
std::string left_out_line(const report::FittedTable& table, const std::string& how);

// Prints the report; a table on a terminal is wrapped at its width.
// `view`: columns of a CSV.
void print(const Report& report, Format format, const TableView& view = {});
// Prints a text for reading, wrapped in the same way.
void print_page(const std::string& text);

// Returns a file of tools/texts, which are in the binary; "" if there is none of this name. NAME.txt is the end of
// `weft NAME --help`.
std::string text_file(const std::string& name);

// Writes all of `text` to standard output. Throws Error, for instance on a full disk.
void print(const std::string& text);

}  // namespace weft::tools
