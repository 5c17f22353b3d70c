#include "tools/cli/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "model/core/error.h"
#include "model/core/fnv1a.h"
#include "platform/os/content.h"
#include "platform/os/worker_pool.h"
#include "platform/record/json.h"
#include "platform/record/result_dir.h"

namespace weft::tools {

std::string changed_name(const std::string& name, const std::vector<config::Override>& overrides,
                         const std::string& resolved) {
  constexpr std::size_t kMost = 60;
  std::string changes;
  for (const config::Override& each : overrides) {
    changes += '-' + each.key.substr(each.key.rfind('.') + 1) + '-' + each.value;
  }
  std::string plain;  // what every file system and shell takes as it is
  for (const char c : changes) {
    const bool kept =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
    if (kept) {
      plain += c;
    } else if (plain.empty() || plain.back() != '-') {
      plain += '-';
    }
  }
  plain.resize(std::min(plain.size(), kMost));
  while (!plain.empty() && plain.back() == '-') plain.pop_back();
  Fnv1a32 digest;
  digest.add_bytes(resolved);
  return fmt::format("{}{}-{:08x}", name, plain, digest.value());
}

int workers_of(const std::string& text) {
  if (text.empty() || text == "auto") return os::processors();
  constexpr std::string_view kDigits = "0123456789";
  if (text.find_first_not_of(kDigits) != std::string::npos) {
    throw Error(fmt::format("--workers: must be auto or a whole number, not '{}'", text));
  }
  return static_cast<int>(whole_number(text, "--workers", 1, 1024));
}

void check(const SaveOptions& options) {
  if (options.no_save && !options.out.empty()) throw Error("--no-save and --out exclude each other");
}

void add_override(std::vector<config::Override>& overrides, const std::string& key, const std::string& flag,
                  const std::string& value, bool text) {
  if (!value.empty()) overrides.push_back({key, value, flag + " " + value, text});
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

std::string result_name(const std::string& name, config::RunConfig run, const std::vector<config::Override>& changes) {
  if (changes.empty()) return name;
  run.output.clear();
  run.workers.reset();
  return changed_name(name, changes, config::resolved_yaml(run));
}

SavedResult::SavedResult(const std::filesystem::path& out, const std::string& name)
    : standard_(out.empty() ? std::optional<record::DefaultOutput>(std::in_place, name) : std::nullopt),
      folder_(std::filesystem::absolute(standard_ ? standard_->path() : out / "").lexically_normal().parent_path()),
      dir_(standard_ ? standard_->path() : out) {}

void SavedResult::write(const Report& report, const std::string& config_yaml, const config::Library& library,
                        bool keep_inputs, const char* csv) const {
  write({{record::kResultJson, report.json}, {csv, report.csv}, {record::kResultConfig, config_yaml}}, library,
        keep_inputs);
}

void SavedResult::write(std::map<std::string, std::string> files, const config::Library& library,
                        bool keep_inputs) const {
  for (auto& [name, text] : files) {
    if (std::filesystem::path(name).extension() != ".yaml") continue;
    text = config::saved_yaml(text, folder_, *library.inputs, keep_inputs);
  }
  for (const config::Input& input : keep_inputs ? *library.inputs : config::Inputs()) {
    files[config::kept_path(input)] = os::content(input.file);
  }
  dir_.write(files);
}

std::string SavedResult::line() const {
  return fmt::format("saved        {}\n", dir_.path().string());
}

namespace {

// As Visitor::head() writes them: a command, then which of its results.
constexpr std::array<std::string_view, 11> kNames{"run",      "timeline",      "sweep",           "dse",
                                                  "validate", "validate link", "explain",         "train",
                                                  "plan",     "plan array",    "timeline cluster"};

}  // namespace

std::string to_string(ResultKind kind) {
  const std::string_view name = kNames.at(static_cast<std::size_t>(kind));
  return std::string(name.substr(0, name.find(' ')));
}

std::optional<ResultKind> kind_of_json(const nlohmann::json& json) {
  const auto kind = json.is_object() ? json.find("kind") : json.end();
  if (kind == json.end() || !kind->is_string()) return {};
  const auto* const found = std::find(kNames.begin(), kNames.end(), kind->get<std::string>());
  if (found == kNames.end()) return {};
  return static_cast<ResultKind>(found - kNames.begin());
}

ResultKind saved_kind(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / record::kResultJson;
  const nlohmann::json json = nlohmann::json::parse(os::content(path), nullptr, false);
  if (!json.is_object()) throw InputError(path.string(), 0, "", "is not a result of weft");
  if (const std::optional<ResultKind> kind = kind_of_json(json)) return *kind;
  throw InputError(path.string(), 0, "kind",
                   fmt::format("is {}{}", json.contains("kind") ? "unknown" : "missing", record::kMakeAgain));
}

}  // namespace weft::tools
