#include "tools/cli/cli.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/config/reader.h"
#include "platform/os/failure.h"
#include "platform/os/standard_streams.h"
#include "tools/cli/options.h"
#include "workloads/onnx/import.h"

namespace weft::tools {

Format parse_format(const std::string& text, bool csv) {
  if (text == "table") return Format::Table;
  if (text == "json") return Format::Json;
  if (text == "csv" && csv) return Format::Csv;
  throw Error(fmt::format("--format: must be one of table, json{}, not '{}'", csv ? ", csv" : "", text));
}

std::vector<std::string> names_of(config::FileKind kind, const config::Library& library) {
  if (kind != config::FileKind::Network) return library.names(kind);
  return workloads::known_networks({(library.configs / "networks").string()});
}

std::vector<config::Override> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<config::Override> overrides;
  overrides.reserve(texts.size());
  for (const std::string& text : texts) overrides.push_back(config::parse_override(text));
  return overrides;
}

std::size_t page_width() {
  constexpr std::size_t kFile = 120, kLeast = 40;
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1) return kFile;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::max<std::size_t>(size.ws_col, kLeast);
}

std::string left_out_line(const report::FittedTable& table, const std::string& how) {
  return report::left_out_line(table, page_width(), how);
}

TableView table_view(const std::string& columns, Format format, const std::string& rows, bool verbose) {
  if (format != Format::Table && (verbose || !rows.empty())) {
    throw Error(
        fmt::format("{} is for --format table; the other formats have everything", verbose ? "--verbose" : "--rows"));
  }
  if (format == Format::Json && !columns.empty()) {
    throw Error("--columns is for --format table and csv; JSON has everything");
  }
  TableView view;
  view.width = page_width();
  view.verbose = verbose;
  if (rows == "all") {
    view.rows = TableView::kAll;
  } else if (!rows.empty()) {
    view.rows = static_cast<std::size_t>(whole_number(rows, "--rows", 0));
  }
  std::istringstream names(columns);
  for (std::string name; std::getline(names, name, ',');) {
    if (name.empty()) throw Error(fmt::format("--columns: must be comma-separated names, not '{}'", columns));
    view.columns.push_back(name);
  }
  if (!rows.empty() && !columns.empty()) {
    throw Error("--columns prints every row and cannot be combined with --rows");
  }
  return view;
}

void check(const TableView& view, const std::vector<std::string>& known) {
  for (const std::string& name : view.columns) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = config::nearest(name, known);
    throw Error(fmt::format("--columns: there is no column '{}'{} (the first line of --format csv names all {})", name,
                            near.empty() ? "" : fmt::format("; did you mean '{}'?", near), known.size()));
  }
}

void print(const Report& report, Format format, const TableView& view) {
  if (format == Format::Table) {
    print_page(report.table);
  } else if (format == Format::Csv && !view.columns.empty()) {
    check(view, report::columns_of(report.csv));
    print(report::chosen_csv(report.csv, view.columns));
  } else {
    print(report.in(format));
  }
}

void print_page(const std::string& text) {
  print(::isatty(STDOUT_FILENO) == 1 ? report::wrapped(text, page_width()) : text);
}

void print(const std::string& given) {
  const std::string text = printable(given, "\n\t");  // databases and paths may hold control characters
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return;
  constexpr const char* kWhat = "cannot write to standard output";
  if (errno == EPIPE) throw os::BrokenPipe();
  if (errno == EFBIG) os::fail(kWhat, errno);
  throw Error(fmt::format("{}: {}", kWhat, std::strerror(errno)));
}

}  // namespace weft::tools
