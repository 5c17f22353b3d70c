#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "model/core/text.h"
#include "platform/config/reader.h"
#include "platform/studies/sweep/store/judge.h"
#include "platform/studies/sweep/store/results.h"
#include "tools/sweep/view.h"

namespace weft::tools {

using namespace report;
using sweep::ResultRow;

namespace {

constexpr std::size_t kFrontRows = 200;  // rows in the table of the front

// Page with all points of a sweep.
class SweepPage {
 public:
  explicit SweepPage(const std::filesystem::path& path)
      : results_(path),
        names_(results_.axes(), sweep::point_columns()),
        judge_(names_, results_.constraints(), results_.objectives(), path.string()),
        rows_(results_.read_points()) {
    for (const ResultRow& row : rows_) feasible_.push_back(judge_.feasible(row));
    read_front();
    read_frame();
  }

  Document document() const {
    Document d{"sweep", results_.name(), results_.title()};
    for (const auto& [name, what] : results_.about()) {
      d.lead += fmt::format("{}{}{}",
                            d.lead.empty() ? ""
                            : name.empty() ? "; "
                                           : "\n",
                            name.empty() ? "" : name + " ", what);
    }
    d.weft_version = results_.weft_version();
    d.frame = frame_;
    const auto failed = std::count_if(rows_.begin(), rows_.end(), [](const ResultRow& row) { return !row.done; });
    const auto feasible = std::count(feasible_.begin(), feasible_.end(), true);
    std::vector<std::string> objectives, axes;
    for (const sweep::Objective& each : results_.objectives())
      objectives.push_back((each.maximize ? "most " : "least ") + each.expression);
    for (const std::string& axis : results_.axes()) axes.push_back(results_.title_of(axis));
    d.figures = {{"Points", thousands(static_cast<std::int64_t>(rows_.size())),
                  fmt::format("of {} in the space", thousands(results_.points()))},
                 {"Within the constraints", thousands(feasible),
                  results_.constraints().empty() ? "there are none" : config::join(results_.constraints())},
                 {"Pareto front", thousands(static_cast<std::int64_t>(front_.size())),
                  objectives.empty() ? "no objectives are recorded" : config::join(objectives)},
                 {"Axes", fmt::format("{}", axes.size()), config::join(axes)}};
    if (failed > 0) d.figures.push_back({"Failed", thousands(failed), "weft show --failed says why"});
    add_charts(d.sections);
    d.sections.push_back({"front", "The front", {front()}});
    for (Section& section : rerank_sections(results_)) d.sections.push_back(std::move(section));
    Points all{Points::Kind::Rows, "points", "All points"};
    for (const Series& each : frame_) all.columns.push_back(each.name);
    d.sections.push_back({"points", "All points", {all}});
    return d;
  }

 private:
  void read_front() {
    if (results_.objectives().empty()) return;
    std::vector<ResultRow> candidates;
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!feasible_[i]) continue;
      candidates.push_back(rows_[i]);
      indices.push_back(i);
    }
    const std::vector<bool> on = judge_.front(candidates);
    for (std::size_t i = 0; i < on.size(); ++i) {
      if (on[i]) front_.push_back(indices[i]);
    }
    std::stable_sort(front_.begin(), front_.end(), [&](std::size_t a, std::size_t b) {
      return judge_.objectives(rows_[a]).front() < judge_.objectives(rows_[b]).front();
    });
  }

  void read_frame() {
    const std::vector<record::Column>& fields = sweep::point_columns();
    const auto add = [&](const std::string& name, const std::string& meaning, auto value) {
      const int field = record::find_named_column(fields, name);
      const std::string unit = field < 0 ? "" : fields[static_cast<std::size_t>(field)].unit;
      units_.push_back(unit);
      frame_.push_back(series_of(name, meaning,
                                 unit == "s"   ? Form::Time
                                 : unit == "1" ? Form::Share
                                               : Form::Plain,
                                 rows_, value));
    };
    add("point", "number in the space", [](const ResultRow& row) { return row.point; });
    for (std::size_t i = 0; i < results_.axes().size(); ++i) {
      add(results_.title_of(results_.axes()[i]), results_.axes()[i],
          [i](const ResultRow& row) { return row.parameters[i]; });
    }
    for (std::size_t i = 0; i < results_.objectives().size(); ++i) {
      const sweep::Objective& each = results_.objectives()[i];
      add(each.expression, each.maximize ? "to maximise" : "to minimise", [&](const ResultRow& row) {
        const double value = row.done ? judge_.objectives(row)[i] : NAN;
        return std::isfinite(value) ? Value(value) : Value();
      });
    }
    chosen_ = frame_.size();
    // Fields that are equal or unknown for all points are left out, but for those of the front.
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto same = [&](const Series& each) { return each.name == fields[i].name; };
      if (std::any_of(frame_.begin(), frame_.end(), same)) continue;
      add(fields[i].name, fields[i].meaning, [i](const ResultRow& row) { return row.done ? row.fields[i] : Value(); });
      const std::vector<Value>& values = frame_.back().values;
      const bool equal =
          std::all_of(values.begin(), values.end(), [&](const Value& value) { return value == values.front(); });
      if (equal && !of_front(fields[i].name)) {
        frame_.pop_back();
        units_.pop_back();
      }
    }
    std::size_t at = 0;
    add("constraints", "whether the point satisfies them",
        [&](const ResultRow&) { return feasible_[at++] ? "met" : "not met"; });
  }

  // True for the fields that the table of the front has besides parameters and objectives.
  static bool of_front(const std::string& name) {
    return name == "cycles" || name == "array_utilisation" || name == "limiter" || name == "fits";
  }

  void add_charts(std::vector<Section>& sections) const {
    const std::size_t axes = results_.axes().size();
    Points pareto{
        Points::Kind::Scatter, "pareto", "Points of the sweep, two of their figures against each other", {"point"}};
    const auto numeric = [](const Series& each) {
      return each.name != "point" && std::none_of(each.values.begin(), each.values.end(), [](const Value& value) {
               return std::holds_alternative<std::string>(value);
             });
    };
    for (std::size_t i = 1 + axes; i < frame_.size(); ++i) {  // objectives first
      if (numeric(frame_[i])) pareto.choose.push_back(frame_[i].name);
    }
    for (std::size_t i = 1; i < 1 + axes; ++i) {
      if (numeric(frame_[i])) pareto.choose.push_back(frame_[i].name);
      pareto.choose_color.push_back(frame_[i].name);
    }
    if (rows_.empty() || pareto.choose.empty()) return;
    for (std::size_t i = 1; i < chosen_; ++i) pareto.columns.push_back(frame_[i].name);
    pareto.tip = pareto.columns;
    pareto.tip.emplace_back("constraints");
    pareto.x = pareto.choose.front();
    pareto.y = pareto.choose.at(std::min<std::size_t>(1, pareto.choose.size() - 1));
    pareto.front = front_;
    for (const std::size_t row : front_) {
      std::string& name = pareto.front_names.emplace_back();
      for (std::size_t i = 0; i < axes; ++i) name += (i == 0 ? "" : ", ") + to_text(rows_[row].parameters[i]);
    }
    pareto.faint = "constraints";
    sections.push_back({"pareto",
                        "Points and their Pareto front",
                        {Text{"Every point of the sweep. Points on the Pareto front of the recorded objectives are "
                              "highlighted. Each axis can show any field."},
                         pareto}});
    if (pareto.columns.size() < 2) return;
    Points parallel = pareto;
    parallel.kind = Points::Kind::Parallel;
    parallel.id = "parallel";
    parallel.name = "Every point as a line over all parameters and objectives";
    sections.push_back({"parallel",
                        "All parameters at once",
                        {Text{"Each line is a point, over its parameters and objectives; the Pareto front is coloured. "
                              "A click on an axis keeps only the lines through that part of the axis."},
                         parallel}});
  }

  Block front() const {
    if (front_.empty()) {
      return Text{results_.objectives().empty() ? "The sweep was recorded without objectives."
                                                : "No point satisfies the constraints."};
    }
    Table table{fmt::format("The Pareto front{}", front_.size() > kFrontRows
                                                      ? fmt::format(", {} of {} points", kFrontRows, front_.size())
                                                      : "")};
    table.search = true;
    std::vector<std::size_t> shown(chosen_);
    std::iota(shown.begin(), shown.end(), std::size_t{0});
    for (std::size_t i = chosen_; i < frame_.size(); ++i) {
      if (of_front(frame_[i].name)) shown.push_back(i);
    }
    for (const std::size_t i : shown) table.columns.push_back({frame_[i].name, frame_[i].meaning});
    for (std::size_t row = 0; row < std::min(front_.size(), kFrontRows); ++row) {
      std::vector<Cell>& cells = table.rows.emplace_back();
      for (const std::size_t i : shown) {
        const Value& value = frame_[i].values[front_[row]];
        cells.push_back(frame_[i].name == "fits" ? record::cell_text("BOOLEAN", value) : value_cell(value, units_[i]));
      }
    }
    return table;
  }

  sweep::Results results_;
  sweep::RowNames names_;
  sweep::Judge judge_;
  std::vector<ResultRow> rows_;
  std::vector<bool> feasible_;
  std::vector<std::size_t> front_;  // indices of rows
  std::vector<Series> frame_;
  std::vector<std::string> units_;  // of the series
  std::size_t chosen_ = 0;          // leading series of frame_: point, axes and objectives
};

}  // namespace

Document view_of(const std::filesystem::path& database) {
  return SweepPage(database).document();
}

}  // namespace weft::tools
