#include "tools/compare/timelines.h"

#include <fmt/core.h>

#include <utility>

#include "model/core/error.h"
#include "platform/catalogue/load.h"
#include "platform/document/text.h"
#include "platform/os/content.h"
#include "platform/run/comparison.h"
#include "tools/compare/report.h"
#include "tools/results/result_dir.h"
#include "tools/results/saved_value.h"

namespace weft::tools {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr double kPsPerSecond = 1e12;
constexpr std::int64_t kMostBatch = std::int64_t{1} << 31;

double seconds(std::int64_t ps) {
  return static_cast<double>(ps) / kPsPerSecond;
}
double an_image(const SavedTimeline& timeline, std::int64_t ps) {
  return seconds(ps) / static_cast<double>(timeline.batch);
}

const char* part_name(std::size_t part) {
  return part < kTimelineParts.size() ? kTimelineParts[part].name : "idle";
}

struct Count {
  const char* name;
  const char* key;
  std::int64_t SavedTimeline::*count;
};
constexpr Count kCounts[] = {{"kernels", "kernels", &SavedTimeline::kernels},
                             {"loads", "loads", &SavedTimeline::loads},
                             {"launches", "launches", &SavedTimeline::launches},
                             {"calls", "calls", &SavedTimeline::calls},
                             {"bytes to the card", "bytes_to_card", &SavedTimeline::to_card},
                             {"bytes to the host", "bytes_to_host", &SavedTimeline::to_host}};

class TimelineComparer {
 public:
  TimelineComparer(const SavedTimeline& a, const SavedTimeline& b, const std::string& name_a, const std::string& name_b,
                   const TableView& view)
      : a_(a), b_(b), name_a_(name_a), name_b_(name_b), view_(view), keys_(run::differing_keys(a.run, b.run)) {
    check(view, report::columns_of(csv()));
  }

  Report report() const { return {table(), json().dump(2) + "\n", csv()}; }

 private:
  double change(std::int64_t a_ps, std::int64_t b_ps) const {
    return run::change(an_image(a_, a_ps), an_image(b_, b_ps));
  }

  // What either spends time on, and the whole.
  template <class Add>
  void each_part(const Add& add) const {
    for (std::size_t part = 0; part < a_.where_ps.size(); ++part) {
      if (a_.where_ps[part] != 0 || b_.where_ps[part] != 0) add(part_name(part), a_.where_ps[part], b_.where_ps[part]);
    }
    add("iteration", a_.iteration_ps, b_.iteration_ps);
  }

  std::string table() const {
    std::string text = fmt::format("A  {}\nB  {}\n\n", name_a_, name_b_) + keys_table(keys_, view_);
    if (!view_.columns.empty()) return text + report::chosen_table(csv(), view_);
    report::FittedTable where({{"where it goes"},
                               {"A seconds", true, 14},
                               {"B seconds", true, 14},
                               {"A ms an image", true, 13, 1},
                               {"B ms an image", true, 13, 1},
                               {"change", true, 9}});
    constexpr double kMs = 1e3;
    each_part([&](const char* name, std::int64_t a, std::int64_t b) {
      where.add({name, fmt::format("{:.6f}", seconds(a)), fmt::format("{:.6f}", seconds(b)),
                 fmt::format("{:.3f}", kMs * an_image(a_, a)), fmt::format("{:.3f}", kMs * an_image(b_, b)),
                 a == 0 ? "-" : signed_percent(change(a, b))});
    });
    text += where.text(view_.width);
    text += a_.batch == b_.batch
                ? "\n"
                : fmt::format("batch {} and {}: changes are of the time an image\n\n", a_.batch, b_.batch);
    report::FittedTable counts({{"an iteration"}, {"A", true, 16}, {"B", true, 16}});
    counts.add({"GOPS while kernels run", fmt::format("{:.1f}", a_.conv_gops), fmt::format("{:.1f}", b_.conv_gops)});
    counts.add({"GOPS over the iteration", fmt::format("{:.1f}", a_.gops), fmt::format("{:.1f}", b_.gops)});
    for (const Count& each : kCounts) {
      counts.add({each.name, report::thousands(a_.*each.count), report::thousands(b_.*each.count)});
    }
    return text + counts.text(view_.width);
  }

  Json json() const {
    Json json{{"schema", 1}, {"a", name_a_}, {"b", name_b_}, {"keys", keys_json(keys_)}};
    const auto side = [](const SavedTimeline& of) {
      Json json{{"batch", of.batch}, {"conv_gops", of.conv_gops}, {"gops", of.gops}};
      for (const Count& each : kCounts) json[each.key] = of.*each.count;
      return json;
    };
    json["iteration"] = {{"a", side(a_)}, {"b", side(b_)}};
    json["where"] = Json::array();
    each_part([&](const char* name, std::int64_t a, std::int64_t b) {
      json["where"].push_back({{"part", name},
                               {"a_ps", a},
                               {"b_ps", b},
                               {"a_image_s", an_image(a_, a)},
                               {"b_image_s", an_image(b_, b)},
                               {"change", a == 0 ? Json() : Json(change(a, b))}});
    });
    return json;
  }

  std::string csv() const {
    std::string text = "part,a_ps,b_ps,a_image_s,b_image_s,change\n";
    each_part([&](const char* name, std::int64_t a, std::int64_t b) {
      text += fmt::format("{},{},{},{},{},{}\n", name, a, b, an_image(a_, a), an_image(b_, b),
                          a == 0 ? "" : fmt::format("{}", change(a, b)));
    });
    return text;
  }

  const SavedTimeline &a_, &b_;
  const std::string &name_a_, &name_b_;
  const TableView& view_;
  std::vector<config::Difference> keys_;
};

}  // namespace

SavedTimeline load_timeline(const fs::path& folder) {
  SavedTimeline timeline;
  timeline.run = design::load_run((folder / kResultConfig).string(), {}, project_library());
  const std::string file = (folder / kResultJson).string();
  const nlohmann::json json = nlohmann::json::parse(os::content(file), nullptr, false);
  const SavedValue saved(file, "", json);
  if (const std::int64_t schema = saved.at("schema").count(); schema != kTimelineSchema) {
    throw InputError(file, 0, "schema",
                     fmt::format("must be {}, not {}: made by another version of weft", kTimelineSchema, schema));
  }
  timeline.batch = saved.at("batch").count(kMostBatch);
  if (timeline.batch == 0) throw saved.at("batch").error("must be from 1 on, not 0");
  timeline.iteration_ps = saved.at("iteration_ps").count();
  const SavedValue where = saved.at("where_ps");
  for (std::size_t part = 0; part <= kTimelineParts.size(); ++part) {
    // Parts that only some kernels have are in no other timeline.
    const bool missing =
        part < kTimelineParts.size() && of_some_kernels(kTimelineParts[part].activity) && !where.has(part_name(part));
    timeline.where_ps.push_back(missing ? 0 : where.at(part_name(part)).count());
  }
  timeline.conv_gops = saved.at("conv_gops").as<double>();
  timeline.gops = saved.at("gops").as<double>();
  timeline.kernels = saved.at("kernels").count();
  timeline.loads = saved.at("loads").at("count").count();
  timeline.launches = saved.at("launches").count();
  timeline.calls = saved.at("calls").count();
  timeline.to_card = saved.at("bytes_to_card").count();
  timeline.to_host = saved.at("bytes_to_host").count();
  return timeline;
}

Report compare_timelines(const SavedTimeline& a, const SavedTimeline& b, const std::string& name_a,
                         const std::string& name_b, const TableView& view) {
  return TimelineComparer(a, b, name_a, name_b, view).report();
}

double iteration_change(const SavedTimeline& a, const SavedTimeline& b) {
  return run::change(an_image(a, a.iteration_ps), an_image(b, b.iteration_ps));
}

}  // namespace weft::tools
