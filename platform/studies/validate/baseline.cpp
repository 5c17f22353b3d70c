#include "platform/studies/validate/baseline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "model/core/error.h"
#include "platform/config/selection.h"

namespace weft::validate {

using Json = nlohmann::ordered_json;

namespace {

constexpr int kSchema = 1;
constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;

using Key = std::tuple<std::string, std::string, conv::Kind>;

Rung parse_rung(const std::string& text) {
  for (const Rung rung : {Rung::Analytical, Rung::SystemC, Rung::Exact, Rung::Rtl}) {
    if (text == to_string(rung)) return rung;
  }
  throw Error(fmt::format("there is no rung '{}'", text));
}

BaselineEntry parse_entry(const Json& json) {
  BaselineEntry entry;
  json.at("kernel").get_to(entry.kernel);
  json.at("layer").get_to(entry.layer);
  const auto kind = config::parse_kind(json.at("kind").get<std::string>());
  if (!kind) throw Error(fmt::format("'{}' is no kind of convolution", json.at("kind").get<std::string>()));
  entry.kind = *kind;
  json.at("model").get_to(entry.model);
  json.at("against").get_to(entry.against);
  json.at("tolerance_percent").get_to(entry.tolerance_percent);
  if (entry.against < 1 || entry.model < 0 || !(entry.tolerance_percent >= 0)) {
    throw Error(fmt::format("{} on {} has a number out of range", entry.layer, entry.kernel));
  }
  return entry;
}

Baseline parse(const Json& json) {
  if (!json.is_object() || !json.contains("schema")) throw Error("has no schema: it is no baseline");
  if (json.at("schema") != kSchema) {
    throw Error(fmt::format("has schema {}, this weft reads {}", json.at("schema").dump(), kSchema));
  }
  Baseline baseline;
  json.at("name").get_to(baseline.name);
  baseline.model = parse_rung(json.at("rungs").at("model").get<std::string>());
  baseline.against = parse_rung(json.at("rungs").at("against").get<std::string>());
  std::map<Key, int> seen;
  for (const Json& each : json.at("convolutions")) {
    baseline.entries.push_back(parse_entry(each));
    const BaselineEntry& entry = baseline.entries.back();
    if (++seen[{entry.kernel, entry.layer, entry.kind}] > 1) {
      throw Error(fmt::format("has {} {} on {} twice", entry.layer, conv::to_string(entry.kind), entry.kernel));
    }
  }
  return baseline;
}

std::string percent(const std::optional<double>& error) {
  return error ? fmt::format("{:+.4f}%", 100 * *error) : "none";
}

}  // namespace

Baseline make_baseline(const ValidateConfig& config, const std::vector<Pair>& pairs) {
  Baseline baseline{config.name, config.model, config.against, {}};
  for (const Pair& pair : pairs) {
    baseline.entries.push_back(
        {pair.kernel, pair.layer.name, pair.kind, pair.model.cycles, pair.against.cycles, config.tolerance_percent});
  }
  return baseline;
}

std::string to_json(const Baseline& baseline) {
  // A line for each convolution, so that a diff of two baselines can be read.
  std::string text =
      fmt::format("{{\n  \"schema\": {},\n  \"name\": {},\n  \"rungs\": {},\n  \"convolutions\": [\n", kSchema,
                  Json(baseline.name).dump(),
                  Json{{"model", to_string(baseline.model)}, {"against", to_string(baseline.against)}}.dump());
  for (std::size_t i = 0; i < baseline.entries.size(); ++i) {
    const BaselineEntry& entry = baseline.entries[i];
    const Json line{
        {"kernel", entry.kernel}, {"layer", entry.layer},     {"kind", conv::to_string(entry.kind)},
        {"model", entry.model},   {"against", entry.against}, {"tolerance_percent", entry.tolerance_percent}};
    text += "    " + line.dump() + (i + 1 < baseline.entries.size() ? ",\n" : "\n");
  }
  return text + "  ]\n}\n";
}

Baseline read_baseline(const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& why) {
    return InputError(file.string(), 0, "baseline", why + "; save a new one with --save-baseline");
  };
  std::error_code code;
  if (!std::filesystem::is_regular_file(file, code)) throw refuse("there is no such file");
  if (static_cast<std::int64_t>(std::filesystem::file_size(file, code)) > kMostBytes) throw refuse("is too large");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw refuse("cannot be read");
  try {
    return parse(Json::parse(in));
  } catch (const Json::exception& error) {
    throw refuse(fmt::format("is no baseline: {}", error.what()));
  } catch (const Error& error) {
    throw refuse(error.what());
  }
}

std::string Deviation::text() const {
  const std::string who = fmt::format("{} {} on {}", layer, conv::to_string(kind), kernel);
  if (!old_error) return fmt::format("{}: is not in the baseline, error now {}", who, percent(new_error));
  if (!new_error) return fmt::format("{}: error was {}, and this run has no such convolution", who, percent(old_error));
  return fmt::format("{}: error was {}, is {}: moved by {:+.4f} points, {} allowed", who, percent(old_error),
                     percent(new_error), 100 * (*new_error - *old_error), tolerance_percent);
}

void require_same_rungs(const Baseline& baseline, const ValidateConfig& config) {
  if (baseline.model == config.model && baseline.against == config.against) return;
  throw Error(fmt::format("the baseline holds {} against {}, this validation is {} against {}",
                          to_string(baseline.model), to_string(baseline.against), to_string(config.model),
                          to_string(config.against)));
}

std::vector<Deviation> deviations(const Baseline& baseline, const ValidateConfig& config,
                                  const std::vector<Pair>& pairs, bool subset) {
  require_same_rungs(baseline, config);
  std::map<Key, const BaselineEntry*> missed;
  for (const BaselineEntry& entry : baseline.entries) missed[{entry.kernel, entry.layer, entry.kind}] = &entry;
  std::vector<Deviation> result;
  for (const Pair& pair : pairs) {
    const auto found = missed.find({pair.kernel, pair.layer.name, pair.kind});
    Deviation one{pair.kernel, pair.layer.name, pair.kind, {}, pair.error(), 0};
    if (found == missed.end()) {
      result.push_back(one);
      continue;
    }
    one.old_error = found->second->error();
    one.tolerance_percent = found->second->tolerance_percent;
    missed.erase(found);
    if (100 * std::fabs(*one.new_error - *one.old_error) > one.tolerance_percent) result.push_back(one);
  }
  if (subset) return result;
  for (const BaselineEntry& entry : baseline.entries) {
    if (missed.count({entry.kernel, entry.layer, entry.kind}) == 0) continue;
    result.push_back({entry.kernel, entry.layer, entry.kind, entry.error(), {}, entry.tolerance_percent});
  }
  return result;
}

}  // namespace weft::validate
