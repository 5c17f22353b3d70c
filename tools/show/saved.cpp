#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <map>
#include <system_error>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/os/content.h"
#include "platform/record/csv.h"
#include "platform/studies/sweep/store/results.h"
#include "platform/studies/sweep/store/store.h"
#include "tools/cli/options.h"
#include "tools/cli/views.h"
#include "tools/run/report.h"
#include "tools/show/show.h"
#include "tools/sweep/view.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

void read_time(ListedResult& entry, const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  entry.time = status.st_mtime;
  entry.made = fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(entry.time));
}

ListedResult entry_of_directory(const fs::path& path) {
  ListedResult entry;
  entry.name = path.filename().string();
  read_time(entry, path / record::kResultJson);
  constexpr const char *kOfRun = "/totals/network/cycles", *kOfExplanation = "/lines/0/cycles";
  const auto values = record::json_values(
      os::content(path / record::kResultJson),
      {"/kind", "/network", "/board", "/array", "/batch", "/rung", "/kernel", kOfRun, kOfExplanation});
  const auto value = [&](const char* place) { return values->count(place) > 0 ? values->at(place) : Value(); };
  const std::optional<ResultKind> kind = values ? kind_of(value("/kind")) : std::nullopt;
  if (!kind) {
    entry.of = values ? "another version's" : "not readable";
    return entry;
  }
  entry.of = to_string(*kind);
  for (const auto& [key, text] : {std::pair<const char*, std::string*>{"/network", &entry.network},
                                  {"/board", &entry.board},
                                  {"/array", &entry.array},
                                  {"/rung", &entry.rung}}) {
    *text = to_text(value(key));
  }
  const bool run = kind == ResultKind::Run;
  if (run || kind == ResultKind::Timeline || kind == ResultKind::Explain) entry.kernel = to_text(value("/kernel"));
  const auto count = [&](const char* place, std::optional<std::int64_t>& to) {
    if (const Value found = value(place); const auto* const number = std::get_if<std::int64_t>(&found)) to = *number;
  };
  count("/batch", entry.batch);
  count(run ? kOfRun : kOfExplanation, entry.cycles);
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
  io("name", "directory or file", entry.name);
  io("of", "command that made it: run, timeline, train, explain, sweep, dse, validate", entry.of);
  io("network", "name of the network", entry.network);
  io("board", "name of the board", entry.board);
  io("array", "array of the kernel, as 16x16", entry.array);
  io("kernel", "kernel, or number of points", entry.kernel);
  io("batch", "images", "images of an iteration", entry.batch);
  io("rung", "rung that counted the cycles", entry.rung);
  io("cycles", "cycles", "kernel cycles of an iteration", entry.cycles);
  io("made_utc", "time of the last write", entry.made);
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
    throw Error(fmt::format("directory '{}' contains no result of weft ({}, {})", folder.string(), record::kResultJson,
                            record::kResultConfig));
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
  const auto text = [](const std::optional<std::int64_t>& count) { return count ? thousands(*count) : ""; };
  for (const ListedResult& e : entries) {
    table.add({e.name, e.of, e.network, e.board, e.array, e.kernel, text(e.batch), e.rung, text(e.cycles), e.made});
  }
  return table.text(page_width()) + left_out_line(table, "--format csv has them");
}

bool of_cluster(ResultKind kind) {
  return kind == ResultKind::Plan || kind == ResultKind::ArrayPlan || kind == ResultKind::ClusterTimeline;
}

report::Document saved_view(const fs::path& path, std::size_t width) {
  std::error_code code;
  if (fs::is_regular_file(path, code)) return view_of(path);
  const fs::path json = path / record::kResultJson;
  const std::map<ResultKind, std::function<report::Document()>> views{
      {ResultKind::Run, [&] { return view_of(load_run(path), path); }},
      {ResultKind::Train, [&] { return view_of(train::read_result(json)); }},
      {ResultKind::Timeline, [&] { return view_of(timeline::read_result(json)); }},
      {ResultKind::Validate, [&] { return view_of(record::from_file<validate::ValidateResult>(json), width); }},
      {ResultKind::Link, [&] { return view_of(record::from_file<validate::LinkResult>(json)); }},
      {ResultKind::Dse, [&] { return view_of(record::from_file<dse::Result>(json)); }},
      {ResultKind::Explain, [&] { return view_of(record::from_file<explain::Explanation>(json)); }},
      {ResultKind::Plan, [&] { return view_of(record::from_file<cluster::NadaResult>(json)); }},
      {ResultKind::ArrayPlan, [&] { return view_of(record::from_file<cluster::ArrayResult>(json)); }},
      {ResultKind::ClusterTimeline, [&] { return view_of(record::from_file<cluster::BatchResult>(json)); }}};
  const auto view = views.find(saved_kind(path));
  if (view == views.end()) throw Error("a sweep is saved as a database");
  return view->second();
}

}  // namespace weft::tools
