#include "tools/options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string_view>

#include "model/core/error.h"
#include "platform/os/worker_pool.h"

namespace weft::tools {

CLI::Option* add_list(CLI::App& command, const std::string& flag, std::vector<std::string>& values,
                      const std::string& type, const std::string& help) {
  return command.add_option(flag, values, help)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* add_set(CLI::App& command, std::vector<std::string>& sets, const std::string& what) {
  return add_list(command, "--set", sets, "KEY=VALUE", fmt::format("Override {}; repeatable", what));
}

CLI::Option* add_only(CLI::App& command, std::string& only) {
  return command
      .add_option("--only", only, "Only these convolutions: LAYER or LAYER:KIND, with * and ?, commas between")
      ->type_name("PATTERN");
}

void add_format(CLI::App& command, std::string& format, bool csv) {
  command
      .add_option("--format", format, csv ? "What is printed: table, json or csv" : "What is printed: table or json")
      ->type_name("FORMAT");
}

void add_workers(CLI::App& command, std::string& workers, const std::string& who) {
  command.add_option("--workers", workers, who + ": auto, or a number")->type_name("N");
}

int workers_of(const std::string& text) {
  if (text.empty() || text == "auto") return os::processors();
  constexpr std::string_view kDigits = "0123456789";
  if (text.find_first_not_of(kDigits) != std::string::npos) {
    throw Error(fmt::format("--workers: must be auto or a whole number, not '{}'", text));
  }
  return static_cast<int>(whole_number(text, "--workers", 1, 1024));
}

void add_save(CLI::App& command, SaveOptions& options, const std::string& name, const std::string& what) {
  command
      .add_option("--out", options.out,
                  fmt::format("Save the result in this directory: new, empty, or an earlier result. Unless given: "
                              "results/{0}, or results/{0}-CHANGES-DIGEST if options changed the {1}",
                              name, what))
      ->type_name("DIR");
  command.add_flag("--no-save", options.no_save, "Print only, save nothing");
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

SavedResult::SavedResult(const std::filesystem::path& out, const std::string& name)
    : standard_(out.empty() ? std::optional<DefaultOutput>(std::in_place, name) : std::nullopt),
      dir_(standard_ ? standard_->path() : out) {}

void SavedResult::write(const Report& report, const std::string& config_yaml) const {
  dir_.write({{kResultJson, report.json}, {kResultCsv, report.csv}, {kResultConfig, config_yaml}});
}

std::string SavedResult::line() const {
  return fmt::format("saved        {}\n", dir_.path().string());
}

}  // namespace weft::tools
