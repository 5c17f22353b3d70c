#include "tools/cli/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/config/difference.h"
#include "platform/os/content.h"
#include "platform/os/standard_streams.h"
#include "platform/os/worker_pool.h"

namespace weft::tools {

int workers_of(const std::string& text) {
  if (text.empty() || text == "auto") return os::processors();
  constexpr std::string_view kDigits = "0123456789";
  if (text.find_first_not_of(kDigits) != std::string::npos) {
    throw Error(fmt::format("--workers: must be auto or a whole number, not '{}'", text));
  }
  return static_cast<int>(whole_number(text, "--workers", 1, 1024));
}

void add_override(std::vector<config::Override>& overrides, const std::string& key, const std::string& flag,
                  const std::string& value, bool text) {
  if (!value.empty()) overrides.push_back({key, value, flag + " " + value, text});
}

void add_override(std::vector<config::Override>& overrides, const std::string& flag, const std::string& value,
                  bool text) {
  std::string key = flag.substr(2);
  std::replace(key.begin(), key.end(), '-', '_');
  add_override(overrides, key, flag, value, text);
}

std::vector<config::Override> changes_of(const ResultOptions& options) {
  std::vector<config::Override> changes = parse_overrides(options.sets);
  add_override(changes, "--rung", options.rung);
  add_override(changes, "--only", options.only);
  return changes;
}

std::vector<config::Override> overrides_of(const ResultOptions& options) {
  std::vector<config::Override> overrides = changes_of(options);
  add_override(overrides, "--workers", options.workers, false);
  return overrides;
}

std::int64_t whole_number(const std::string& text, const std::string& flag, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec == std::errc() && result.ptr == end && value >= low && value <= high) return value;
  const bool bounded = high < std::numeric_limits<std::int64_t>::max();
  throw Error(fmt::format("{}: must be a whole number{}, not '{}'", flag,
                          bounded ? fmt::format(" from {} to {}", low, high) : "", text));
}

Output::Output(const ResultOptions& options)
    : save_(options.save),
      quiet_(options.cache.quiet),
      format_(parse_format(options.format, true)),
      view_(table_view(options.columns, format_, options.rows, options.verbose)) {
  if (save_.no_save && !save_.out.empty()) throw Error("cannot combine --no-save and --out: give one of them");
}

void Output::place(const std::string& name, const std::filesystem::path& out) {
  if (!save_.no_save) saved_.emplace(out, name);
}

std::string Output::saved_config() const {
  const std::filesystem::path file = saved_->path() / record::kResultConfig;
  std::error_code code;
  return std::filesystem::is_regular_file(file, code) ? os::content(file) : "";
}

void Output::note_replaced(const std::string& before) const {
  const std::string now = saved_config();
  if (quiet_ || before.empty() || before == now) return;
  std::string keys;
  std::size_t count = 0;
  const auto source = std::make_shared<config::Source>(config::Source{"config.yaml", {}, true});
  for (const config::Difference& each :
       config::differences(config::parse_yaml(before, source), config::parse_yaml(now, source))) {
    if (each.key.rfind("inputs", 0) == 0 || ++count > 3) continue;
    keys += fmt::format("{}{} {} instead of {}", keys.empty() ? "" : ", ", each.key, each.b, each.a);
  }
  if (keys.empty()) return;
  os::say(fmt::format("weft: replaced another result in {}: {}{}\n", printable(saved_->path().string()),
                      printable(keys), count > 3 ? fmt::format(" and {} more keys", count - 3) : ""));
}

void refuse_result(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (fs::is_regular_file(given, code) || fs::path(given).extension() == ".yaml") return;
  const std::vector<std::string> runs = project_library().names(config::FileKind::Run);
  if (std::find(runs.begin(), runs.end(), given) != runs.end()) return;
  for (const fs::path& folder : {fs::path(given), fs::path("results") / given}) {
    if (!record::is_result(folder)) continue;
    const std::string kind = to_string(saved_kind(folder));
    throw Error(
        fmt::format("'{0}' is a result of weft {1}: weft show {2} prints it, and weft {1} {2}/config.yaml "
                    "makes it again",
                    given, kind, folder.string()));
  }
}

void Output::print(const Report& report) const {
  tools::print(report, format_, view_);
  if (saved_ && format_ == Format::Table) tools::print(saved_->line());
}

namespace {

// Kinds of results as written by Visitor::head() (command, then its kind of result), with their CSV files.
struct SavedKind {
  std::string_view name;
  const char* csv = record::kResultCsv;
};
constexpr std::array<SavedKind, 11> kKinds{{{"run"},
                                            {"timeline", record::kStepsCsv},
                                            {"sweep"},
                                            {"dse"},
                                            {"validate"},
                                            {"validate link"},
                                            {"explain", record::kLadderCsv},
                                            {"train", record::kEpochsCsv},
                                            {"plan", record::kPlanCsv},
                                            {"plan array", record::kPlanCsv},
                                            {"timeline cluster", record::kStepsCsv}}};

}  // namespace

std::string to_string(ResultKind kind) {
  const std::string_view name = kKinds.at(static_cast<std::size_t>(kind)).name;
  return std::string(name.substr(0, name.find(' ')));
}

const char* csv_file(ResultKind kind) {
  return kKinds.at(static_cast<std::size_t>(kind)).csv;
}

std::optional<ResultKind> kind_of(const Value& key) {
  const auto* const found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const SavedKind& each) { return to_text(key) == each.name; });
  if (found == kKinds.end()) return {};
  return static_cast<ResultKind>(found - kKinds.begin());
}

ResultKind saved_kind(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / record::kResultJson;
  const auto values = record::json_values(os::content(path), {"/kind"});
  if (!values) throw InputError(path.string(), 0, "", "is not a result of weft");
  if (values->empty()) throw InputError(path.string(), 0, "kind", fmt::format("is missing{}", record::kMakeAgain));
  if (const std::optional<ResultKind> kind = kind_of(values->at("/kind"))) return *kind;
  throw InputError(path.string(), 0, "kind", fmt::format("is unknown{}", record::kMakeAgain));
}

}  // namespace weft::tools
