#include "tools/cli/options.h"

#include <fmt/core.h>

#include <charconv>
#include <string_view>

#include "model/core/error.h"
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
    : standard_(out.empty() ? std::optional<DefaultOutput>(std::in_place, name) : std::nullopt),
      dir_(standard_ ? standard_->path() : out) {}

void SavedResult::write(const Report& report, const std::string& config_yaml, const char* csv) const {
  dir_.write({{kResultJson, report.json}, {csv, report.csv}, {kResultConfig, config_yaml}});
}

std::string SavedResult::line() const {
  return fmt::format("saved        {}\n", dir_.path().string());
}

}  // namespace weft::tools
