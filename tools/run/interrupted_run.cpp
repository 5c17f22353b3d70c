#include "tools/run/interrupted_run.h"

#include <fmt/core.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "model/core/fnv1a.h"
#include "platform/catalogue/designs.h"
#include "platform/catalogue/load.h"
#include "platform/os/content.h"
#include "platform/os/shell.h"
#include "platform/run/unit_words.h"
#include "platform/studies/sweep/code_version.h"
#include "tools/cli/cli.h"
#include "tools/results/result_dir.h"
#include "tools/run/report.h"

namespace weft::tools {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kSuffix = ".interrupted";

std::string digest_of(const std::string& text) {
  Fnv1a64 digest;
  digest.add_bytes(text);
  return fmt::format("{:016x}", digest.value());
}

Json read(const fs::path& folder) {
  const fs::path path = folder / kIncomplete;
  Json json = Json::parse(os::content(path), nullptr, false);
  if (!json.is_object()) throw InputError(path.string(), 0, "", "is not as weft run wrote it");
  return json;
}

// A value of incomplete.json.
template <class T>
T value(const Json& json, const char* key, const fs::path& folder) {
  try {
    return json.at(key).get<T>();
  } catch (const Json::exception&) {
    throw InputError((folder / kIncomplete).string(), 0, key, "is not as weft run wrote it");
  }
}

}  // namespace

bool is_interrupted(const fs::path& folder) {
  std::error_code code;
  return fs::is_regular_file(folder / kIncomplete, code) && fs::is_regular_file(folder / kResultConfig, code);
}

std::string interrupted_text(const fs::path& folder) {
  const Json json = read(folder);
  return fmt::format("{} of {} convolutions; weft run --resume {} goes on",
                     value<std::int64_t>(json, "finished", folder), value<std::int64_t>(json, "convolutions", folder),
                     os::shell_word(folder.string()));
}

std::map<std::string, std::string> files_of(const run::Part& part, const std::string& config_yaml) {
  Json json{{"code_version", sweep::code_version()}, {"finished", part.result.rows.size()}, {"convolutions", part.rows},
            {"config", digest_of(config_yaml)},      {"work", part.checkpoint.work},        {"units", Json::array()}};
  for (const auto& [unit, words] : part.checkpoint.units) json["units"].push_back({{"unit", unit}, {"words", words}});
  std::map<std::string, std::string> files{{kIncomplete, json.dump() + "\n"}, {kResultConfig, config_yaml}};
  if (!part.result.rows.empty()) files.emplace(kResultCsv, report(part.result, around(part.result, "")).csv);
  return files;
}

InterruptedRun load_interrupted(const fs::path& folder) {
  if (is_result(folder)) {
    throw Error(fmt::format("--resume: '{0}' is a whole result; weft show {0} prints it", folder.string()));
  }
  if (!is_interrupted(folder)) {
    throw Error(fmt::format("--resume: '{}' is no directory of an interrupted weft run", folder.string()));
  }
  const Json json = read(folder);
  const fs::path config = folder / kResultConfig;
  const auto anew = [&](const std::string& why) {
    return Error(fmt::format("--resume: {}; start it anew: weft run {}", why, config.string()));
  };
  const auto version = value<std::string>(json, "code_version", folder);
  if (version != sweep::code_version()) {
    throw anew(
        fmt::format("'{}' was simulated by weft {}, and this is {}", folder.string(), version, sweep::code_version()));
  }
  InterruptedRun run;
  run.config_yaml = os::content(config);
  if (value<std::string>(json, "config", folder) != digest_of(run.config_yaml)) {
    throw anew(fmt::format("'{}' was changed after the run was interrupted", config.string()));
  }
  run.config = design::load_run(config.string(), {}, project_library());
  run.checkpoint.work = value<std::string>(json, "work", folder);
  const std::size_t words = run::unit_words(design::design_of(run.config).topology());
  for (const Json& each : value<std::vector<Json>>(json, "units", folder)) {
    auto known = value<std::vector<std::int64_t>>(each, "words", folder);
    if (known.size() != words) {
      throw InputError((folder / kIncomplete).string(), 0, "units",
                       fmt::format("has {} words of a unit, not {}", known.size(), words));
    }
    run.checkpoint.units.emplace(value<std::size_t>(each, "unit", folder), std::move(known));
  }
  return run;
}

fs::path finished_place(const fs::path& folder) {
  const fs::path place = folder.has_filename() ? folder : folder.parent_path();
  return place.extension() == kSuffix ? fs::path(place).replace_extension() : place;
}

fs::path interrupted_place(const fs::path& result) {
  return is_result(result) ? fs::path(result.string() + kSuffix) : result;
}

}  // namespace weft::tools
