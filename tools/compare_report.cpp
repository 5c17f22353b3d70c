#include "tools/compare_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "platform/report/text.h"
#include "platform/run/figures.h"

namespace weft::tools {

using report::csv_field;
using report::thousands;
using report::trimmed;
using run::Comparison;
using run::Figures;
using run::Pair;
using run::Result;
using run::Row;
using run::Sum;
using Json = nlohmann::ordered_json;

namespace {

std::string percent(double change) {
  return fmt::format("{:+.2f}%", 100 * change);
}

std::string name_of(const Row& row) {
  return fmt::format("{}:{}", row.layer.name, conv::to_string(row.kind));
}

double change_of(Cycles a, Cycles b) {
  return run::change(static_cast<double>(a), static_cast<double>(b));
}

// A result as a whole or one kind of it.
struct Total {
  std::string name;
  Sum a, b;
};

class Comparer {
 public:
  Comparer(const Result& a, const Result& b, const std::string& name_a, const std::string& name_b, std::size_t most)
      : a_(a), b_(b), name_a_(name_a), name_b_(name_b), most_(most), comparison_(run::compare(a, b)) {
    const std::map<conv::Kind, Sum> of_a = run::sums_by_kind(a), of_b = run::sums_by_kind(b);
    for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) {
      const auto in_a = of_a.find(kind), in_b = of_b.find(kind);
      if (in_a == of_a.end() && in_b == of_b.end()) continue;
      totals_.push_back({fmt::format("all {}", conv::to_string(kind)), in_a == of_a.end() ? Sum{} : in_a->second,
                         in_b == of_b.end() ? Sum{} : in_b->second});
    }
    totals_.push_back({"network", run::sum_of(a), run::sum_of(b)});
  }

  Report report() const { return {table(), json().dump(2) + "\n", csv()}; }

 private:
  std::string table() const {
    std::string text =
        fmt::format("A  {}\nB  {}\n\n", name_a_, name_b_) + keys_table() + totals_table() + pairs_table();
    text += without_partner("A", comparison_.only_a) + without_partner("B", comparison_.only_b);
    return text;
  }

  std::string keys_table() const {
    if (comparison_.keys.empty()) return "keys         none differs\n\n";
    std::size_t key = 3, a = 1;
    for (const config::Difference& each : comparison_.keys) {
      key = std::max(key, each.key.size());
      a = std::max(a, shown(each.a).size());
    }
    std::string text = trimmed(fmt::format("{:<{}}  {:<{}}  {}", "key", key, "A", a, "B"));
    for (const config::Difference& each : comparison_.keys) {
      text += trimmed(fmt::format("{:<{}}  {:<{}}  {}", each.key, key, shown(each.a), a, shown(each.b)));
    }
    return text + "\n";
  }
  static std::string shown(const std::string& value) {
    constexpr std::size_t kMost = 40;
    if (value.empty()) return "-";
    return value.size() <= kMost ? value : value.substr(0, kMost - 3) + "...";
  }

  std::string totals_table() const {
    std::string text =
        trimmed(fmt::format("{:<9}  {:>18}  {:>18}  {:>9}  {:>11}  {:>11}  {:>15}  {:>15}  {:>15}", "", "cycles A",
                            "cycles B", "change", "time A", "time B", "util A, B", "stall A, B", "DDR A, B"));
    for (const Total& total : totals_) {
      const Figures a = run::figures(a_, total.a), b = run::figures(b_, total.b);
      const auto both = [](double x, double y) { return fmt::format("{:.1f}%, {:.1f}%", 100 * x, 100 * y); };
      text += trimmed(fmt::format("{:<9}  {:>18}  {:>18}  {:>9}  {:>9.4g} s  {:>9.4g} s  {:>15}  {:>15}  {:>15}",
                                  total.name, thousands(total.a.cycles), thousands(total.b.cycles),
                                  percent(change_of(total.a.cycles, total.b.cycles)), a.seconds, b.seconds,
                                  both(a.utilisation, b.utilisation), both(a.stall_share, b.stall_share),
                                  both(a.ddr_efficiency, b.ddr_efficiency)));
    }
    if (!comparison_.same_clock) text += "The clocks differ: compare the times.\n";
    return text + "\n";
  }

  std::string pairs_table() const {
    const auto& pairs = comparison_.pairs;
    const auto moved = static_cast<std::size_t>(
        std::count_if(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.moved() != 0; }));
    std::string text = fmt::format("{} of {} convolutions moved, {} with another limiter{}\n", moved, pairs.size(),
                                   comparison_.changed_limiters(), moved > most_ ? "; those that moved most:" : "");
    const std::size_t count = std::min(moved, most_);
    if (count == 0) return text;
    std::size_t layer = 5;
    for (std::size_t i = 0; i < count; ++i) layer = std::max(layer, pairs[i].a->layer.name.size());
    text += trimmed(fmt::format("{:<{}}  kind  {:>16}  {:>16}  {:>16}  {:>9}  limiter", "layer", layer, "cycles A",
                                "cycles B", "B - A", "change"));
    for (std::size_t i = 0; i < count; ++i) {
      const Pair& pair = pairs[i];
      text += trimmed(fmt::format(
          "{:<{}}  {:<4}  {:>16}  {:>16}  {:>16}  {:>9}  {}", pair.a->layer.name, layer, conv::to_string(pair.a->kind),
          thousands(pair.a->cycles), thousands(pair.b->cycles), thousands(pair.moved()),
          percent(change_of(pair.a->cycles, pair.b->cycles)),
          pair.same_limiter() ? pair.a->limiter : fmt::format("{} -> {}", pair.a->limiter, pair.b->limiter)));
    }
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

  Json json() const {
    Json json{{"schema", 1}, {"a", name_a_}, {"b", name_b_}};
    json["keys"] = Json::array();
    for (const config::Difference& each : comparison_.keys) {
      const auto value = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
      json["keys"].push_back({{"key", each.key}, {"a", value(each.a)}, {"b", value(each.b)}});
    }
    for (const Total& total : totals_) {
      const Figures a = run::figures(a_, total.a), b = run::figures(b_, total.b);
      const auto side = [](const Sum& sum, const Figures& f) {
        return Json{{"convolutions", sum.convolutions},
                    {"cycles", sum.cycles},
                    {"time_s", f.seconds},
                    {"gops", f.gops},
                    {"array_utilisation", f.utilisation},
                    {"stall_share", f.stall_share},
                    {"ddr_efficiency", f.ddr_efficiency}};
      };
      json["totals"][total.name] = {{"a", side(total.a, a)},
                                    {"b", side(total.b, b)},
                                    {"cycles_change", change_of(total.a.cycles, total.b.cycles)},
                                    {"time_change", run::change(a.seconds, b.seconds)}};
    }
    json["convolutions"] = Json::array();
    for (const Pair& pair : comparison_.pairs) {
      json["convolutions"].push_back({{"layer", pair.a->layer.name},
                                      {"kind", conv::to_string(pair.a->kind)},
                                      {"cycles_a", pair.a->cycles},
                                      {"cycles_b", pair.b->cycles},
                                      {"cycles_change", change_of(pair.a->cycles, pair.b->cycles)},
                                      {"limiter_a", pair.a->limiter},
                                      {"limiter_b", pair.b->limiter}});
    }
    json["changed_limiters"] = comparison_.changed_limiters();
    json["only_a"] = names(comparison_.only_a);
    json["only_b"] = names(comparison_.only_b);
    return json;
  }

  // A line per convolution; those without a partner have one side only.
  std::string csv() const {
    std::string text = "layer,kind,cycles_a,cycles_b,cycles_change,limiter_a,limiter_b\n";
    const auto line = [&](const Row& row, const Row* a, const Row* b) {
      text += fmt::format("{},{},{},{},{},{},{}\n", csv_field(row.layer.name), conv::to_string(row.kind),
                          a ? std::to_string(a->cycles) : "", b ? std::to_string(b->cycles) : "",
                          a && b ? fmt::format("{}", change_of(a->cycles, b->cycles)) : "",
                          a ? csv_field(a->limiter) : "", b ? csv_field(b->limiter) : "");
    };
    for (const Pair& pair : comparison_.pairs) line(*pair.a, pair.a, pair.b);
    for (const Row* row : comparison_.only_a) line(*row, row, nullptr);
    for (const Row* row : comparison_.only_b) line(*row, nullptr, row);
    return text;
  }

  const Result &a_, &b_;
  const std::string &name_a_, &name_b_;
  std::size_t most_;
  Comparison comparison_;
  std::vector<Total> totals_;
};

}  // namespace

Report compare_report(const Result& a, const Result& b, const std::string& name_a, const std::string& name_b,
                      std::size_t most) {
  return Comparer(a, b, name_a, name_b, most).report();
}

}  // namespace weft::tools
