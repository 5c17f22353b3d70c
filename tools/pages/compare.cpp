#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "platform/run/comparison.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"

namespace weft::tools {

using report::Cell;
using report::Page;
using report::Section;
using report::Table;
using run::Compared;
using run::ComparedRow;
using run::Comparison;
using run::Figures;
using run::Record;
using Json = nlohmann::ordered_json;

namespace {

class ComparePage {
 public:
  ComparePage(const Compared& a, const Compared& b) : a_(a.record), b_(b.record), comparison_(run::compare(a, b)) {}

  Page page() const {
    Page page;
    page.kind = page.command = "compare";
    page.title = fmt::format("{} → {}", comparison_.a, comparison_.b);
    page.lead = fmt::format("A is {}; B is {}. Times are of the convolutions alone.", what(a_), what(b_));
    page.weft_version = WEFT_VERSION;
    const Figures &a = comparison_.whole.a.figures, &b = comparison_.whole.b.figures;
    const auto moved = std::count_if(comparison_.pairs.begin(), comparison_.pairs.end(),
                                     [](const ComparedRow& pair) { return pair.moved() != 0; });
    page.figures = {
        {"Time of B", change_text(comparison_.whole.time_change), "against A"},
        {"Iteration", fmt::format("{} → {}", time_cell(a.seconds).text, time_cell(b.seconds).text), ""},
        {"Speed", fmt::format("{} → {}", real_text(a.gops), real_text(b.gops)), "GOPS"},
        {"Utilisation", fmt::format("{} → {}", percent_text(a.utilisation), percent_text(b.utilisation)), ""},
        {"Moved", fmt::format("{} of {}", moved, comparison_.pairs.size()), "convolutions"},
        {"Other limiter", fmt::format("{}", comparison_.changed_limiters()), "convolutions"}};
    page.sections = {keys(), totals(), moved_section(), ratios(), limiters(), rows()};
    if (!comparison_.alone.empty()) page.sections.push_back(alone());
    page.data = data();
    return page;
  }

 private:
  static std::string what(const Record& r) {
    return fmt::format("{}, {} on {}, {}, batch {}, {} rung", r.run, r.network, r.board, r.kernel, r.batch,
                       config::to_string(r.rung));
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
    for (const auto& [name, sums] : comparison_.totals()) {
      const Figures &a = sums->a.figures, &b = sums->b.figures;
      table.rows.push_back({text_cell(name), count_cell(a.cycles), count_cell(b.cycles),
                            change_cell(sums->cycles_change), time_cell(a.seconds), time_cell(b.seconds),
                            change_cell(sums->time_change), percent_cell(a.utilisation), percent_cell(b.utilisation),
                            percent_cell(a.stall_share.value_or(0)), percent_cell(b.stall_share.value_or(0)),
                            percent_cell(a.ddr_efficiency.value_or(0)), percent_cell(b.ddr_efficiency.value_or(0))});
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
    for (const ComparedRow& pair : comparison_.pairs) {
      Change& change = changes[{*pair.limiter_a, *pair.limiter_b}];
      ++change.convolutions;
      change.seconds_a += pair.seconds_a;
      change.seconds_b += pair.seconds_b;
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
    for (const ComparedRow& pair : comparison_.pairs) {
      table.rows.push_back({text_cell(pair.layer), text_cell(conv::to_string(pair.kind)), count_cell(*pair.cycles_a),
                            count_cell(*pair.cycles_b), count_cell(pair.moved()), change_cell(*pair.cycles_change),
                            text_cell(*pair.limiter_a), text_cell(*pair.limiter_b)});
    }
    return {"rows", "All convolutions", {}, false, {table}};
  }

  Section alone() const {
    Table table{"Convolutions that one of the two has",
                {{"layer", ""}, {"kind", ""}, {"only in", ""}, {"cycles", ""}, {"limiter", ""}},
                {},
                true,
                false};
    for (const ComparedRow& row : comparison_.alone) {
      const bool of_a = row.cycles_a.has_value();
      table.rows.push_back({text_cell(row.layer), text_cell(conv::to_string(row.kind)), text_cell(of_a ? "A" : "B"),
                            count_cell(of_a ? *row.cycles_a : *row.cycles_b),
                            text_cell(of_a ? *row.limiter_a : *row.limiter_b)});
    }
    return {"alone", "Without a partner", {}, false, {table}};
  }

  Json data() const {
    Json data{{"a", comparison_.a},
              {"b", comparison_.b},
              {"kinds", Json::array()},
              {"totals", Json::array()},
              {"pairs", Json::array()}};
    for (const auto& each : comparison_.kinds) data["kinds"].push_back(each.first.substr(each.first.rfind(' ') + 1));
    for (const auto& [name, sums] : comparison_.totals()) {
      data["totals"].push_back({{"name", name}, {"a", sums->a.figures.seconds}, {"b", sums->b.figures.seconds}});
    }
    for (const ComparedRow& pair : comparison_.pairs) {
      data["pairs"].push_back({{"layer", pair.layer},
                               {"kind", conv::to_string(pair.kind)},
                               {"a", pair.seconds_a},
                               {"b", pair.seconds_b},
                               {"limiter_a", *pair.limiter_a},
                               {"limiter_b", *pair.limiter_b}});
    }
    return data;
  }

  const Record &a_, &b_;
  Comparison comparison_;
};

}  // namespace

Page compare_page(const Compared& a, const Compared& b) {
  return ComparePage(a, b).page();
}

}  // namespace weft::tools
