#include <system_error>

#include "platform/studies/sweep/store/store.h"
#include "tools/dse/view.h"
#include "tools/explain/view.h"
#include "tools/plan/view.h"
#include "tools/run/report.h"
#include "tools/show/show.h"
#include "tools/sweep/view.h"
#include "tools/timeline/view.h"
#include "tools/train/view.h"
#include "tools/validate/view.h"

namespace weft::tools {

bool of_cluster(ResultKind kind) {
  return kind == ResultKind::Plan || kind == ResultKind::ArrayPlan || kind == ResultKind::ClusterTimeline;
}

report::Document saved_view(const std::filesystem::path& path, std::size_t width) {
  std::error_code code;
  if (std::filesystem::is_regular_file(path, code)) return view_of(path);
  const std::filesystem::path json = path / record::kResultJson;
  switch (saved_kind(path)) {
    case ResultKind::Sweep:
      break;
    case ResultKind::Run:
      return view_of(load_run(path), path);
    case ResultKind::Train:
      return view_of(train::read_result(json));
    case ResultKind::Timeline:
      return view_of(timeline::read_result(json));
    case ResultKind::Validate:
      return view_of(record::from_file<validate::ValidateResult>(json), width);
    case ResultKind::Link:
      return view_of(record::from_file<validate::LinkResult>(json));
    case ResultKind::Dse:
      return view_of(record::from_file<dse::Result>(json));
    case ResultKind::Explain:
      return view_of(record::from_file<explain::Explanation>(json));
    case ResultKind::Plan:
      return view_of(record::from_file<cluster::NadaResult>(json));
    case ResultKind::ArrayPlan:
      return view_of(record::from_file<cluster::ArrayResult>(json));
    case ResultKind::ClusterTimeline:
      return view_of(record::from_file<cluster::BatchResult>(json));
  }
  throw Error("a sweep is saved as a database");
}

}  // namespace weft::tools
