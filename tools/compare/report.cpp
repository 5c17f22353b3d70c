#include "tools/compare/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "model/core/text.h"
#include "platform/catalogue/designs.h"
#include "platform/document/text.h"
#include "platform/run/figures.h"

namespace weft::tools {

using report::csv_field;
using report::left_out_line;
using report::trimmed;
using run::Comparison;
using run::Figures;
using run::Pair;
using run::Result;
using run::Row;
using run::Sum;
using run::Total;
using Json = nlohmann::ordered_json;

namespace {

std::string name_of(const Row& row) {
  return fmt::format("{}:{}", row.layer.name, conv::to_string(row.kind));
}

double change_of(Cycles a, Cycles b) {
  return run::change(static_cast<double>(a), static_cast<double>(b));
}

// What the PEs of both do; nothing where the designs differ, for another design's PEs do other things.
std::vector<PeClassInfo> classes_of(const config::RunConfig& a, const config::RunConfig& b) {
  const design::Design &design_a = design::design_of(a), &design_b = design::design_of(b);
  return &design_a == &design_b ? design_a.topology().pe_classes : std::vector<PeClassInfo>();
}

std::string csv_head(const std::vector<PeClassInfo>& classes) {
  std::string text = "layer,kind,cycles_a,cycles_b,cycles_change,limiter_a,limiter_b";
  for (const PeClassInfo& each : classes) text += fmt::format(",pe_{0}_a,pe_{0}_b", each.name);
  return text + '\n';
}

// Of each PE class, nothing where the rung does not know.
using PeCycles = std::vector<std::optional<std::int64_t>>;

class Comparer {
 public:
  Comparer(const Result& a, const Result& b, const std::string& name_a, const std::string& name_b, std::size_t most,
           const TableView& view)
      : a_(a),
        b_(b),
        name_a_(name_a),
        name_b_(name_b),
        most_(most),
        view_(view),
        comparison_(run::compare(a, b)),
        totals_(run::totals(a, b)),
        classes_(classes_of(a.config, b.config)) {
    check(view, report::columns_of(csv_head(classes_)));
  }

  Report report() const { return {table(), json().dump(2) + "\n", csv()}; }

 private:
  std::string table() const {
    std::string text = fmt::format("A  {}\nB  {}\n\n", name_a_, name_b_) + keys_table(comparison_.keys, view_) +
                       totals_table() + pe_table() + pairs_table();
    text += without_partner("A", comparison_.only_a) + without_partner("B", comparison_.only_b);
    return text;
  }

  std::string totals_table() const {
    report::FittedTable table({{"", false, 9},
                               {"cycles A", true, 18},
                               {"cycles B", true, 18},
                               {"change", true, 9},
                               {"time A", true, 11, 2},
                               {"time B", true, 11, 2},
                               {"util A, B", true, 15, 1},
                               {"stall A, B", true, 15, 3},
                               {"DDR A, B", true, 15, 4}});
    for (const Total& total : totals_) {
      const Figures a = run::figures(a_, total.a), b = run::figures(b_, total.b);
      const auto both = [](double x, double y) { return fmt::format("{:.1f}%, {:.1f}%", 100 * x, 100 * y); };
      table.add({total.name, thousands(total.a.cycles), thousands(total.b.cycles),
                 signed_percent(change_of(total.a.cycles, total.b.cycles)), fmt::format("{:.4g} s", a.seconds),
                 fmt::format("{:.4g} s", b.seconds), both(a.utilisation, b.utilisation),
                 both(a.stall_share, b.stall_share), both(a.ddr_efficiency, b.ddr_efficiency)});
    }
    std::string text = table.text(view_.width) + left_out_line(table, view_.width, "--format json has them");
    if (!comparison_.same_clock) text += "The clocks differ: compare the times.\n";
    return text + "\n";
  }

  static std::string share(const Result& result, const Sum& sum, std::size_t pe_class) {
    if (sum.pe_cycles.empty() || !sum.pe_cycles[pe_class] || sum.cycles == 0) return "-";
    const double all = static_cast<double>(sum.cycles) * static_cast<double>(result.config.kernel->peak_macs());
    return fmt::format("{:.1f}%", 100 * static_cast<double>(*sum.pe_cycles[pe_class]) / all);
  }

  // Where the PE-cycles went, as shares of each result's own; last, how many more B has.
  std::string pe_table() const {
    const Sum &a = totals_.back().a, &b = totals_.back().b;
    if (classes_.empty() || (a.pe_cycles.empty() && b.pe_cycles.empty())) return "";
    std::vector<report::TableColumn> columns{{"PE-cycles"}};
    for (const Total& total : totals_) {
      const int spare = &total == &totals_.back() ? 0 : static_cast<int>(columns.size());
      columns.push_back({total.name + " A, B", true, 15, spare});
    }
    columns.push_back({"network B - A", true, 21});
    report::FittedTable table(std::move(columns));
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      std::vector<std::string> cells{classes_[i].name};
      for (const Total& total : totals_) cells.push_back(share(a_, total.a, i) + ", " + share(b_, total.b, i));
      const bool known = !a.pe_cycles.empty() && !b.pe_cycles.empty() && a.pe_cycles[i] && b.pe_cycles[i];
      cells.push_back(known ? thousands(*b.pe_cycles[i] - *a.pe_cycles[i]) : "-");
      table.add(std::move(cells));
    }
    return table.text(view_.width) + left_out_line(table, view_.width, "--format json has them") + "\n";
  }

  std::string pairs_table() const {
    const auto& pairs = comparison_.pairs;
    const auto moved = static_cast<std::size_t>(
        std::count_if(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.moved() != 0; }));
    std::string text = fmt::format("{} of {} convolutions moved, {} with another limiter{}\n", moved, pairs.size(),
                                   comparison_.changed_limiters(), moved > most_ ? "; those that moved most:" : "");
    if (!view_.columns.empty()) return text + report::chosen_table(csv(), view_);
    const std::size_t count = std::min(moved, most_);
    if (count == 0) return text;
    report::FittedTable table({{"layer"},
                               {"kind", false, 4},
                               {"cycles A", true, 16, 2},
                               {"cycles B", true, 16, 1},
                               {"B - A", true, 16},
                               {"change", true, 9},
                               {"limiter"}});
    for (std::size_t i = 0; i < count; ++i) {
      const Pair& pair = pairs[i];
      table.add({pair.a->layer.name, conv::to_string(pair.a->kind), thousands(pair.a->cycles),
                 thousands(pair.b->cycles), thousands(pair.moved()),
                 signed_percent(change_of(pair.a->cycles, pair.b->cycles)),
                 pair.same_limiter() ? pair.a->limiter : fmt::format("{} -> {}", pair.a->limiter, pair.b->limiter)});
    }
    text += table.text(view_.width) + left_out_line(table, view_.width, "--columns chooses any that --format csv has");
    return text;
  }

  std::string without_partner(const char* side, const std::vector<const Row*>& rows) const {
    if (rows.empty()) return "";
    std::string list;
    for (std::size_t i = 0; i < std::min(rows.size(), most_); ++i) list += (i == 0 ? "" : ", ") + name_of(*rows[i]);
    if (rows.size() > most_) list += fmt::format(" and {} more", rows.size() - most_);
    return fmt::format("only in {}    {} convolutions: {}\n", side, rows.size(), list);
  }

  static Json names(const std::vector<const Row*>& rows) {
    Json list = Json::array();
    for (const Row* row : rows) list.push_back(name_of(*row));
    return list;
  }

  Json pe_json(const PeCycles& pe_cycles) const {
    Json json = Json::object();
    for (std::size_t i = 0; i < classes_.size() && i < pe_cycles.size(); ++i) {
      json[classes_[i].name] = pe_cycles[i] ? Json(*pe_cycles[i]) : Json();
    }
    return json;
  }

  Json json() const {
    Json json{{"schema", 1}, {"a", name_a_}, {"b", name_b_}};
    json["keys"] = keys_json(comparison_.keys);
    for (const Total& total : totals_) {
      const Figures a = run::figures(a_, total.a), b = run::figures(b_, total.b);
      const auto side = [&](const Sum& sum, const Figures& f) {
        Json json{{"convolutions", sum.convolutions},
                  {"cycles", sum.cycles},
                  {"time_s", f.seconds},
                  {"gops", f.gops},
                  {"array_utilisation", f.utilisation},
                  {"stall_share", f.stall_share},
                  {"ddr_efficiency", f.ddr_efficiency}};
        if (!classes_.empty() && !sum.pe_cycles.empty()) json["pe_cycles"] = pe_json(sum.pe_cycles);
        return json;
      };
      json["totals"][total.name] = {{"a", side(total.a, a)},
                                    {"b", side(total.b, b)},
                                    {"cycles_change", change_of(total.a.cycles, total.b.cycles)},
                                    {"time_change", run::change(a.seconds, b.seconds)}};
    }
    json["convolutions"] = Json::array();
    for (const Pair& pair : comparison_.pairs) {
      Json& each = json["convolutions"].emplace_back(Json{{"layer", pair.a->layer.name},
                                                          {"kind", conv::to_string(pair.a->kind)},
                                                          {"cycles_a", pair.a->cycles},
                                                          {"cycles_b", pair.b->cycles},
                                                          {"cycles_change", change_of(pair.a->cycles, pair.b->cycles)},
                                                          {"limiter_a", pair.a->limiter},
                                                          {"limiter_b", pair.b->limiter}});
      for (const auto& [key, row] : {std::pair("pe_cycles_a", pair.a), std::pair("pe_cycles_b", pair.b)}) {
        if (!classes_.empty() && !row->pe_cycles.empty()) each[key] = pe_json(row->pe_cycles);
      }
    }
    json["changed_limiters"] = comparison_.changed_limiters();
    json["only_a"] = names(comparison_.only_a);
    json["only_b"] = names(comparison_.only_b);
    return json;
  }

  // A line per convolution; those without a partner have one side only.
  std::string csv() const {
    std::string text = csv_head(classes_);
    const auto pe_cell = [](const Row* row, std::size_t i) {
      const bool known = row && i < row->pe_cycles.size() && row->pe_cycles[i];
      return known ? std::to_string(*row->pe_cycles[i]) : std::string();
    };
    const auto line = [&](const Row& row, const Row* a, const Row* b) {
      text += fmt::format("{},{},{},{},{},{},{}", csv_field(row.layer.name), conv::to_string(row.kind),
                          a ? std::to_string(a->cycles) : "", b ? std::to_string(b->cycles) : "",
                          a && b ? fmt::format("{}", change_of(a->cycles, b->cycles)) : "",
                          a ? csv_field(a->limiter) : "", b ? csv_field(b->limiter) : "");
      for (std::size_t i = 0; i < classes_.size(); ++i) text += "," + pe_cell(a, i) + "," + pe_cell(b, i);
      text += '\n';
    };
    for (const Pair& pair : comparison_.pairs) line(*pair.a, pair.a, pair.b);
    for (const Row* row : comparison_.only_a) line(*row, row, nullptr);
    for (const Row* row : comparison_.only_b) line(*row, nullptr, row);
    return text;
  }

  const Result &a_, &b_;
  const std::string &name_a_, &name_b_;
  std::size_t most_;
  const TableView& view_;
  Comparison comparison_;
  std::vector<Total> totals_;
  std::vector<PeClassInfo> classes_;  // none where the designs differ
};

// Both sides and a key that is shortened fit the page.
std::string shown(const std::string& value, std::size_t width) {
  constexpr std::size_t kMost = 40, kLeast = 12, kKey = 16;
  const std::size_t most = std::min(kMost, std::max(kLeast, (width - std::min(width, kKey)) / 2));
  if (value.empty()) return "-";
  return value.size() <= most ? value : value.substr(0, most - 3) + "...";
}

}  // namespace

std::string signed_percent(double change) {
  return fmt::format("{:+.2f}%", 100 * change);
}

std::string keys_table(const std::vector<config::Difference>& keys, const TableView& view) {
  if (keys.empty()) return "keys         none differs\n\n";
  report::FittedTable table({{"key"}, {"A"}, {"B"}});
  for (const config::Difference& each : keys) {
    table.add({each.key, shown(each.a, view.width), shown(each.b, view.width)});
  }
  return table.text(view.width) + "\n";
}

Json keys_json(const std::vector<config::Difference>& keys) {
  Json json = Json::array();
  for (const config::Difference& each : keys) {
    const auto value = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    json.push_back({{"key", each.key}, {"a", value(each.a)}, {"b", value(each.b)}});
  }
  return json;
}

Report compare_report(const Result& a, const Result& b, const std::string& name_a, const std::string& name_b,
                      std::size_t most, const TableView& view) {
  return Comparer(a, b, name_a, name_b, most, view).report();
}

}  // namespace weft::tools
