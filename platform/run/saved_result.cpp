#include "platform/run/saved_result.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/fnv1a.h"
#include "platform/os/content.h"

namespace weft::run {

std::string changed_name(const std::string& name, const std::vector<config::Override>& overrides,
                         const std::string& resolved) {
  constexpr std::size_t kMost = 60;
  if (overrides.empty()) return name;
  std::string changes;
  for (const config::Override& each : overrides) {
    changes += '-' + each.key.substr(each.key.rfind('.') + 1) + '-' + each.value;
  }
  std::string plain;  // only characters that every file system and shell accepts
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

void SavedResult::write(const report::Report& report, const std::string& config_yaml, const config::Library& library,
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

}  // namespace weft::run
