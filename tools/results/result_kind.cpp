#include "tools/results/result_kind.h"

#include "model/core/error.h"
#include "platform/os/content.h"
#include "platform/record/result_dir.h"

namespace weft::tools {

const char* to_string(ResultKind kind) {
  switch (kind) {
    case ResultKind::Run:
      return "run";
    case ResultKind::Timeline:
    case ResultKind::ClusterTimeline:
      return "timeline";
    case ResultKind::Plan:
    case ResultKind::ArrayPlan:
      return "plan";
    case ResultKind::Sweep:
      return "sweep";
    case ResultKind::Dse:
      return "dse";
    case ResultKind::Explain:
      return "explain";
    case ResultKind::Train:
      return "train";
    case ResultKind::Validate:
    case ResultKind::Link:
      return "validate";
  }
  return "";
}

ResultKind kind_of_json(const nlohmann::json& json) {
  if (json.contains("exploration")) return ResultKind::Dse;
  if (json.contains("cluster") && json.contains("steps")) return ResultKind::ClusterTimeline;
  if (json.contains("cluster")) return json.contains("layers") ? ResultKind::Plan : ResultKind::ArrayPlan;
  if (json.contains("training")) return ResultKind::Train;
  if (json.contains("explained")) return ResultKind::Explain;
  if (json.contains("steps")) return ResultKind::Timeline;
  if (json.contains("run")) return ResultKind::Run;
  return json.contains("rungs") ? ResultKind::Validate : ResultKind::Link;
}

ResultKind saved_kind(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / record::kResultJson;
  const nlohmann::json json = nlohmann::json::parse(os::content(path), nullptr, false);
  if (!json.is_object()) throw InputError(path.string(), 0, "", "is not a result of weft");
  return kind_of_json(json);
}

}  // namespace weft::tools
