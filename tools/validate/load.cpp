#include "tools/validate/load.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "platform/catalogue/designs.h"
#include "platform/config/selection.h"
#include "platform/os/content.h"
#include "platform/record/json.h"
#include "tools/cli/cli.h"
#include "tools/results/result_dir.h"
#include "tools/results/saved_value.h"

namespace weft::tools {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using validate::Measurement;
using validate::Pair;

namespace {

Json read_json(const std::string& file, int schema) {
  Json json = Json::parse(os::content(file), nullptr, false);
  if (!json.is_object()) throw InputError(file, 0, "", "is not a result of weft validate");
  if (!json.contains("schema") || json.at("schema") != schema) {
    throw InputError(file, 0, "schema", fmt::format("must be {}: made by another version of weft", schema));
  }
  return json;
}

conv::Kind kind_of(const SavedValue& value) {
  const auto text = value.as<std::string>();
  const auto kind = config::parse_kind(text);
  if (!kind) throw value.error(fmt::format("must be F, GI or GW, not '{}'", text));
  return *kind;
}

Measurement measurement(const SavedValue& saved, const Topology& topology, bool simulated) {
  Measurement result;
  result.simulated = simulated;
  result.cycles = saved.at("cycles").count();
  if (result.cycles == 0) throw saved.at("cycles").error("must not be 0");
  result.repeats = saved.has("repeats") && saved.at("repeats").as<bool>();
  const SavedValue limiter = saved.at("limiter");
  const auto found = std::find_if(topology.blocks.begin(), topology.blocks.end(),
                                  [name = limiter.as<std::string>()](const auto& block) { return block.name == name; });
  if (found == topology.blocks.end()) throw limiter.error("is no block of the design");
  result.limiter = static_cast<std::size_t>(found - topology.blocks.begin());
  for (const auto& block : topology.blocks) {
    const SavedValue counts = saved.at("blocks").at(block.name);
    if (!simulated) {
      result.work.push_back(counts.count());
      continue;
    }
    Activities& activities = result.activities.emplace_back();
    for (std::size_t i = 0; i < kActivityNames.size(); ++i) {
      activities.cycles[i] = counts.at(kActivityNames[i]).count();
    }
    result.work.push_back(activities.of(Activity::Active));
  }
  return result;
}

BaselineVerdict baseline_of(const SavedValue& saved) {
  BaselineVerdict verdict{saved.at("file").as<std::string>(), {}};
  for (const SavedValue& each : saved.at("deviations").items()) {
    const auto error = [&](const char* key) {
      const SavedValue value = each.at(key);
      return value.is_null() ? std::nullopt : std::optional(value.as<double>());
    };
    verdict.deviations.push_back({each.at("kernel").as<std::string>(), each.at("layer").as<std::string>(),
                                  kind_of(each.at("kind")), error("old"), error("new"),
                                  each.at("tolerance_percent").as<double>()});
  }
  return verdict;
}

}  // namespace

SavedValidation load_validation(const fs::path& folder) {
  SavedValidation saved;
  saved.config = validate::load_validate((folder / kResultConfig).string(), {}, "", project_library());
  const std::string file = (folder / kResultJson).string();
  const Json json = read_json(file, kValidateSchema);
  const SavedValue all(file, "", json);
  // The kernels of a validation are of one design (validate_config.h).
  const Topology& topology = design::design_of(saved.config.kernels.front().run).topology();
  for (const SavedValue& each : all.at("convolutions").items()) {
    Pair pair;
    pair.kernel = each.at("kernel").as<std::string>();
    pair.topology = &topology;
    pair.layer.name = each.at("layer").as<std::string>();
    pair.kind = kind_of(each.at("kind"));
    pair.model = measurement(each.at("model"), topology, saved.config.model != validate::Rung::Analytical);
    pair.against = measurement(each.at("against"), topology, saved.config.against != validate::Rung::Analytical);
    saved.pairs.push_back(std::move(pair));
  }
  if (saved.pairs.empty()) throw all.at("convolutions").error("must not be empty");
  if (all.has("baseline")) saved.verdicts.baseline = baseline_of(all.at("baseline"));
  if (saved.config.limits) saved.verdicts.limits = validate::judge(*saved.config.limits, saved.pairs);
  return saved;
}

validate::LinkResult load_link_result(const fs::path& folder) {
  const std::string file = (folder / kResultJson).string();
  return record::from_json<validate::LinkResult>(file, os::content(file));
}

}  // namespace weft::tools
