#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "platform/run/comparison.h"
#include "platform/run/figures.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"

namespace weft::tools {

using report::Cell;
using report::Page;
using report::Section;
using report::Table;
using run::Comparison;
using run::Figures;
using run::Pair;
using run::Result;
using run::Row;
using run::Sum;
using run::Total;
using Json = nlohmann::ordered_json;

namespace {

class ComparePage {
 public:
  ComparePage(const Result& a, const Result& b, const std::string& name_a, const std::string& name_b)
      : a_(a), b_(b), name_a_(name_a), name_b_(name_b), comparison_(run::compare(a, b)), totals_(run::totals(a, b)) {
    for (const conv::Kind kind : config::all_kinds()) {
      const auto is_of = [&](const Total& total) { return total.name == fmt::format("all {}", conv::to_string(kind)); };
      if (std::any_of(totals_.begin(), totals_.end(), is_of)) kinds_.emplace_back(conv::to_string(kind));
    }
  }

  Page page() const {
    Page page;
    page.kind = page.command = "compare";
    page.title = fmt::format("{} → {}", name_a_, name_b_);
    page.lead = fmt::format("A is {}; B is {}. Times are of the convolutions alone.", what(a_), what(b_));
    page.weft_version = WEFT_VERSION;
    const Figures a = figures(a_, totals_.back().a), b = figures(b_, totals_.back().b);
    const auto moved = std::count_if(comparison_.pairs.begin(), comparison_.pairs.end(),
                                     [](const Pair& pair) { return pair.moved() != 0; });
    page.figures = {
        {"Time of B", change_text(run::change(a.seconds, b.seconds)), "against A"},
        {"Iteration", fmt::format("{} → {}", time_cell(a.seconds).text, time_cell(b.seconds).text), ""},
        {"Speed", fmt::format("{} → {}", real_text(a.gops), real_text(b.gops)), "GOPS"},
        {"Utilisation", fmt::format("{} → {}", percent_text(a.utilisation), percent_text(b.utilisation)), ""},
        {"Moved", fmt::format("{} of {}", moved, comparison_.pairs.size()), "convolutions"},
        {"Other limiter", fmt::format("{}", comparison_.changed_limiters()), "convolutions"}};
    page.sections = {keys(), totals(), moved_section(), ratios(), limiters(), rows()};
    if (!comparison_.only_a.empty() || !comparison_.only_b.empty()) page.sections.push_back(alone());
    page.data = data();
    return page;
  }

 private:
  static std::string what(const Result& result) {
    const config::RunConfig& c = result.config;
    return fmt::format("{}, {} on {}, {}, batch {}, {} rung", c.name, result.network.name, c.board.name,
                       c.kernel->headline(), c.batch, config::to_string(c.rung));
  }
  static Figures figures(const Result& result, const Sum& sum) { return run::figures(result, sum); }
  static double seconds(const Result& result, const Row& row) {
    return figures(result, run::sum_of(result, row)).seconds;
  }

  Section keys() const {
    Table table{"Keys that differ", {{"key", ""}, {"A", ""}, {"B", ""}}, {}, false, false};
    const auto shown = [](const std::string& value) { return value.empty() ? std::string("-") : value; };
    for (const config::Difference& each : comparison_.keys) {
      table.rows.push_back({text_cell(each.key), text_cell(shown(each.a)), text_cell(shown(each.b))});
    }
    Section section{"keys", "What differs", {}, false, {}};
    if (comparison_.keys.empty()) {
      section.text.emplace_back("No key of the two runs differs, but for names and places of output.");
    } else {
      section.tables.push_back(std::move(table));
    }
    return section;
  }

  Section totals() const {
    Table table{"Totals",
                {{"kind", ""},
                 {"cycles A", ""},
                 {"cycles B", ""},
                 {"change", "of the cycles"},
                 {"time A", ""},
                 {"time B", ""},
                 {"change", "of the time"},
                 {"util A", "useful multiply-accumulates over what the array could do"},
                 {"util B", ""},
                 {"stall A", "cycles in which the array does not advance"},
                 {"stall B", ""},
                 {"DDR A", "bytes moved over what the channels in use could move"},
                 {"DDR B", ""}},
                {},
                false,
                false};
    for (const Total& total : totals_) {
      const Figures a = figures(a_, total.a), b = figures(b_, total.b);
      table.rows.push_back(
          {text_cell(total.name), count_cell(total.a.cycles), count_cell(total.b.cycles),
           change_cell(run::change(static_cast<double>(total.a.cycles), static_cast<double>(total.b.cycles))),
           time_cell(a.seconds), time_cell(b.seconds), change_cell(run::change(a.seconds, b.seconds)),
           percent_cell(a.utilisation), percent_cell(b.utilisation), percent_cell(a.stall_share),
           percent_cell(b.stall_share), percent_cell(a.ddr_efficiency), percent_cell(b.ddr_efficiency)});
    }
    Section section{"totals", "In all", {}, true, {table}};
    if (!comparison_.same_clock) section.text.emplace_back("The clocks differ: compare the times, not the cycles.");
    return section;
  }

  Section moved_section() const {
    return {"moved",
            "What moved most",
            {"The largest differences in time, B less A: to the left B is faster, to the right slower."},
            true,
            {}};
  }
  Section ratios() const {
    return {"ratios",
            "Who gained, who lost",
            {"Each convolution by its time in A and the time of B over that of A. Those at the right weigh most."},
            true,
            {}};
  }

  Section limiters() const {
    struct Change {
      std::int64_t convolutions = 0;
      double seconds_a = 0, seconds_b = 0;
    };
    std::map<std::pair<std::string, std::string>, Change> changes;
    for (const Pair& pair : comparison_.pairs) {
      Change& change = changes[{pair.a->limiter, pair.b->limiter}];
      ++change.convolutions;
      change.seconds_a += seconds(a_, *pair.a);
      change.seconds_b += seconds(b_, *pair.b);
    }
    std::vector<std::pair<std::pair<std::string, std::string>, Change>> sorted(changes.begin(), changes.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& x, const auto& y) { return x.second.seconds_a > y.second.seconds_a; });
    Table table{"Limiters",
                {{"in A", ""}, {"in B", ""}, {"convolutions", ""}, {"time A", ""}, {"time B", ""}, {"change", ""}},
                {},
                false,
                false};
    for (const auto& [which, change] : sorted) {
      table.rows.push_back({text_cell(which.first), text_cell(which.first == which.second ? "the same" : which.second),
                            count_cell(change.convolutions), time_cell(change.seconds_a), time_cell(change.seconds_b),
                            change_cell(run::change(change.seconds_a, change.seconds_b))});
    }
    return {"limiters", "What limits them", {}, false, {table}};
  }

  Section rows() const {
    Table table{"All convolutions, what moved most first",
                {{"layer", ""},
                 {"kind", ""},
                 {"cycles A", ""},
                 {"cycles B", ""},
                 {"B - A", "cycles"},
                 {"change", "of the cycles"},
                 {"limiter A", ""},
                 {"limiter B", ""}},
                {},
                true,
                false};
    for (const Pair& pair : comparison_.pairs) {
      table.rows.push_back(
          {text_cell(pair.a->layer.name), text_cell(conv::to_string(pair.a->kind)), count_cell(pair.a->cycles),
           count_cell(pair.b->cycles), count_cell(pair.moved()),
           change_cell(run::change(static_cast<double>(pair.a->cycles), static_cast<double>(pair.b->cycles))),
           text_cell(pair.a->limiter), text_cell(pair.b->limiter)});
    }
    return {"rows", "All convolutions", {}, false, {table}};
  }

  Section alone() const {
    Table table{"Convolutions that one of the two has",
                {{"layer", ""}, {"kind", ""}, {"only in", ""}, {"cycles", ""}, {"limiter", ""}},
                {},
                true,
                false};
    for (const auto& [side, rows] : {std::pair("A", &comparison_.only_a), std::pair("B", &comparison_.only_b)}) {
      for (const Row* row : *rows) {
        table.rows.push_back({text_cell(row->layer.name), text_cell(conv::to_string(row->kind)), text_cell(side),
                              count_cell(row->cycles), text_cell(row->limiter)});
      }
    }
    return {"alone", "Without a partner", {}, false, {table}};
  }

  Json data() const {
    Json data{{"a", name_a_}, {"b", name_b_}, {"kinds", kinds_}, {"totals", Json::array()}, {"pairs", Json::array()}};
    for (const Total& total : totals_) {
      data["totals"].push_back(
          {{"name", total.name}, {"a", figures(a_, total.a).seconds}, {"b", figures(b_, total.b).seconds}});
    }
    for (const Pair& pair : comparison_.pairs) {
      data["pairs"].push_back({{"layer", pair.a->layer.name},
                               {"kind", conv::to_string(pair.a->kind)},
                               {"a", seconds(a_, *pair.a)},
                               {"b", seconds(b_, *pair.b)},
                               {"limiter_a", pair.a->limiter},
                               {"limiter_b", pair.b->limiter}});
    }
    return data;
  }

  const Result &a_, &b_;
  const std::string &name_a_, &name_b_;
  Comparison comparison_;
  std::vector<Total> totals_;
  std::vector<std::string> kinds_;
};

}  // namespace

Page compare_page(const Result& a, const Result& b, const std::string& name_a, const std::string& name_b) {
  return ComparePage(a, b, name_a, name_b).page();
}

}  // namespace weft::tools
