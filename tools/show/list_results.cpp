#include "tools/show/list_results.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/catalogue/load.h"
#include "platform/document/text.h"
#include "platform/os/content.h"
#include "platform/record/result_dir.h"
#include "platform/studies/sweep/results.h"
#include "platform/studies/sweep/store.h"
#include "tools/results/result_kind.h"

namespace weft::tools {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

// What a list says of a result; empty where it has none of it.
struct Entry {
  std::string name, of, network, board, array, kernel, batch, rung, cycles, made;
  std::time_t time = 0;
};
using Member = std::string Entry::*;
struct Column {
  const char* name;
  Member text;
  bool right;  // aligned
  int spare;   // as report::TableColumn has it
};
constexpr std::array<Column, 10> kColumns{{{"name", &Entry::name, false, 0},
                                           {"of", &Entry::of, false, 0},
                                           {"network", &Entry::network, false, 1},
                                           {"board", &Entry::board, false, 1},
                                           {"array", &Entry::array, false, 1},
                                           {"kernel", &Entry::kernel, false, 3},
                                           {"batch", &Entry::batch, true, 2},
                                           {"rung", &Entry::rung, false, 2},
                                           {"cycles", &Entry::cycles, true, 0},
                                           {"made (UTC)", &Entry::made, false, 0}}};

void read_time(Entry& entry, const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  entry.time = status.st_mtime;
  entry.made = fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(entry.time));
}

std::string text_of(const Json& json, const char* key) {
  if (!json.contains(key)) return "";
  const Json& value = json.at(key);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Entry entry_of_directory(const fs::path& path) {
  Entry entry;
  entry.name = path.filename().string();
  read_time(entry, path / record::kResultJson);
  const Json json = Json::parse(os::content(path / record::kResultJson), nullptr, false);
  if (!json.is_object()) {
    entry.of = "not readable";
    return entry;
  }
  const ResultKind kind = kind_of_json(json);
  entry.of = to_string(kind);
  for (const auto& [key, member] : {std::pair<const char*, Member>{"network", &Entry::network},
                                    {"board", &Entry::board},
                                    {"batch", &Entry::batch},
                                    {"rung", &Entry::rung}}) {
    entry.*member = text_of(json, key);
  }
  if (kind == ResultKind::Explain) {
    entry.kernel = text_of(json, "kernel");
    const Json as_is = json.value("/kernels/lines/0/cycles"_json_pointer, Json());
    if (as_is.is_number_integer()) entry.cycles = thousands(as_is.get<std::int64_t>());
    return entry;
  }
  if (kind != ResultKind::Run && kind != ResultKind::Timeline) return entry;
  const Json cycles = json.value("/totals/network/cycles"_json_pointer, Json());
  if (cycles.is_number_integer()) entry.cycles = thousands(cycles.get<std::int64_t>());
  try {
    const config::RunConfig run = design::load_run((path / record::kResultConfig).string(), {}, project_library());
    entry.kernel = run.kernel->headline();
    entry.array = run.kernel->shape();
  } catch (const Error&) {
    entry.kernel = "not readable";  // of a version that knew other keys
  }
  return entry;
}

Entry entry_of_sweep(const fs::path& path) {
  Entry entry;
  entry.name = path.filename().string();
  entry.of = "sweep";
  read_time(entry, path);
  try {
    const sweep::Results results(path);
    entry.kernel = fmt::format("{}: {} points", results.name(), thousands(results.points()));
  } catch (const Error&) {
    entry.kernel = "not readable";
  }
  return entry;
}

std::vector<Entry> entries_of(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code code;
  for (const auto& each : fs::directory_iterator(folder, code)) {
    if (record::is_result(each.path())) {
      entries.push_back(entry_of_directory(each.path()));
    } else if (each.is_regular_file(code) && each.path().extension() == ".db" && sweep::is_sqlite(each.path())) {
      entries.push_back(entry_of_sweep(each.path()));
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.time != b.time ? a.time > b.time : a.name < b.name; });
  return entries;
}

}  // namespace

bool has_results(const fs::path& folder) {
  std::error_code code;
  const fs::directory_iterator all(folder, code);
  return !code && std::any_of(begin(all), end(all), [](const fs::directory_entry& each) {
    return record::is_result(each.path()) || (each.path().extension() == ".db" && sweep::is_sqlite(each.path()));
  });
}

std::string list_results(const fs::path& folder, Format format) {
  const std::vector<Entry> entries = entries_of(folder);
  if (entries.empty()) {
    throw Error(fmt::format("'{}' is a directory, but no result of weft ({}, {}), and there is none in it",
                            folder.string(), record::kResultJson, record::kResultConfig));
  }
  if (format == Format::Json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Entry& entry : entries) {
      nlohmann::ordered_json& each = json.emplace_back();
      for (const Column& column : kColumns)
        each[column.text == &Entry::made ? "made_utc" : column.name] = entry.*column.text;
    }
    return json.dump(2) + "\n";
  }
  std::string text;
  if (format == Format::Csv) {
    for (const Column& column : kColumns) {
      text += fmt::format("{}{}", text.empty() ? "" : ",", column.text == &Entry::made ? "made_utc" : column.name);
    }
    text += '\n';
    for (const Entry& entry : entries) {
      std::string line;
      for (const Column& column : kColumns) {
        line += (&column == &kColumns.front() ? "" : ",") + report::csv_field(entry.*column.text);
      }
      text += line + '\n';
    }
    return text;
  }
  std::vector<report::TableColumn> columns;
  columns.reserve(kColumns.size());
  for (const Column& column : kColumns) columns.push_back({column.name, column.right, 0, column.spare});
  report::FittedTable table(std::move(columns));
  for (const Entry& entry : entries) {
    std::vector<std::string> cells;
    cells.reserve(kColumns.size());
    for (const Column& column : kColumns) cells.push_back(entry.*column.text);
    table.add(std::move(cells));
  }
  return table.text(page_width()) + left_out_line(table, "--format csv has them");
}

}  // namespace weft::tools
