#include "tools/equations_report.h"

#include <fmt/core.h>

#include "platform/config/model_config.h"
#include "platform/config/reader.h"

namespace weft::tools {

std::string equations_text(const config::RunConfig& run) {
  const fpgpt::Readings readings = config::readings(run);
  std::string followed;
  for (const fpgpt::ReadingDescriptor& each : fpgpt::reading_table()) {
    if (!each.profile_switch || !(run.kernel.profile.*each.profile_switch)) continue;
    followed += fmt::format("{}{} {}", followed.empty() ? "" : ", ", each.key, fpgpt::chosen(each, readings));
  }
  std::string text;
  if (!followed.empty()) {
    text = fmt::format("for profile {} read with {}; ", config::profile_text(run.kernel.profile), followed);
  }
  return text + "they do not know " + config::join(config::unknown_to_equations(run));
}

nlohmann::ordered_json equations_json(const config::RunConfig& run) {
  const fpgpt::Readings readings = config::readings(run);
  nlohmann::ordered_json json;
  for (const fpgpt::ReadingDescriptor& each : fpgpt::reading_table()) {
    json["readings"][std::string(each.key)] = fpgpt::chosen(each, readings);
  }
  json["do_not_know"] = config::unknown_to_equations(run);
  return json;
}

}  // namespace weft::tools
