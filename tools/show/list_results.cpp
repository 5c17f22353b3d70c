#include "tools/show/list_results.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/document/fitted_table.h"
#include "platform/os/content.h"
#include "platform/record/csv.h"
#include "platform/record/json.h"
#include "platform/record/result_dir.h"
#include "platform/studies/sweep/store/results.h"
#include "platform/studies/sweep/store/store.h"
#include "tools/cli/options.h"

namespace weft::tools {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

void read_time(ListedResult& entry, const fs::path& path) {
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

ListedResult entry_of_directory(const fs::path& path) {
  ListedResult entry;
  entry.name = path.filename().string();
  read_time(entry, path / record::kResultJson);
  const Json json = Json::parse(os::content(path / record::kResultJson), nullptr, false);
  const std::optional<ResultKind> kind = kind_of_json(json);
  if (!kind) {
    entry.of = json.is_object() ? "another version's" : "not readable";
    return entry;
  }
  entry.of = to_string(*kind);
  for (const auto& [key, text] : {std::pair<const char*, std::string*>{"network", &entry.network},
                                  {"board", &entry.board},
                                  {"array", &entry.array},
                                  {"batch", &entry.batch},
                                  {"rung", &entry.rung}}) {
    *text = text_of(json, key);
  }
  const bool run = kind == ResultKind::Run;
  if (run || kind == ResultKind::Timeline || kind == ResultKind::Explain) entry.kernel = text_of(json, "kernel");
  const char* const place = run ? "/totals/network/cycles" : "/kernels/lines/0/cycles";  // of an explanation
  const Json cycles = json.value(Json::json_pointer(place), Json());
  if (cycles.is_number_integer()) entry.cycles = thousands(cycles.get<std::int64_t>());
  return entry;
}

ListedResult entry_of_sweep(const fs::path& path) {
  ListedResult entry;
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

std::vector<ListedResult> entries_of(const fs::path& folder) {
  std::vector<ListedResult> entries;
  std::error_code code;
  for (const auto& each : fs::directory_iterator(folder, code)) {
    if (record::is_result(each.path())) {
      entries.push_back(entry_of_directory(each.path()));
    } else if (each.is_regular_file(code) && each.path().extension() == ".db" && sweep::is_sqlite(each.path())) {
      entries.push_back(entry_of_sweep(each.path()));
    }
  }
  std::sort(entries.begin(), entries.end(), [](const ListedResult& a, const ListedResult& b) {
    return a.time != b.time ? a.time > b.time : a.name < b.name;
  });
  return entries;
}

}  // namespace

void fields(record::Visitor& io, ListedResult& entry) {
  io("name", "its directory, or its file", entry.name);
  io("of", "what made it: run, timeline, train, explain, sweep, dse, validate", entry.of);
  io("network", "name of the network", entry.network);
  io("board", "name of the board", entry.board);
  io("array", "array of the kernel, as 16x16", entry.array);
  io("kernel", "what kernel it is of, or how many points", entry.kernel);
  io("batch", "images of an iteration", entry.batch);
  io("rung", "what counted the cycles", entry.rung);
  io("cycles", "kernel cycles of an iteration, with commas", entry.cycles);
  io("made_utc", "when it was written", entry.made);
}

bool has_results(const fs::path& folder) {
  std::error_code code;
  const fs::directory_iterator all(folder, code);
  return !code && std::any_of(begin(all), end(all), [](const fs::directory_entry& each) {
    return record::is_result(each.path()) || (each.path().extension() == ".db" && sweep::is_sqlite(each.path()));
  });
}

std::string list_results(const fs::path& folder, Format format) {
  const std::vector<ListedResult> entries = entries_of(folder);
  if (entries.empty()) {
    throw Error(fmt::format("'{}' is a directory, but no result of weft ({}, {}), and there is none in it",
                            folder.string(), record::kResultJson, record::kResultConfig));
  }
  if (format == Format::Json) return record::json_list(std::vector<record::Any>(entries.begin(), entries.end()));
  if (format == Format::Csv) return record::csv_text(entries);
  report::FittedTable table({{"name"},
                             {"of"},
                             {"network", false, 0, 1},
                             {"board", false, 0, 1},
                             {"array", false, 0, 1},
                             {"kernel", false, 0, 3},
                             {"batch", true, 0, 2},
                             {"rung", false, 0, 2},
                             {"cycles", true},
                             {"made (UTC)"}});
  for (const ListedResult& e : entries) {
    table.add({e.name, e.of, e.network, e.board, e.array, e.kernel, e.batch, e.rung, e.cycles, e.made});
  }
  return table.text(page_width()) + left_out_line(table, "--format csv has them");
}

}  // namespace weft::tools
