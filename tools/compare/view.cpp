#include "tools/compare/view.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "model/core/text.h"
#include "platform/record/json.h"

namespace weft::tools {

using namespace report;
using run::ComparedRow;
using run::ComparedSide;
using run::Comparison;

namespace {

constexpr std::size_t kBars = 20;  // convolutions that changed most

class View {
 public:
  View(const Comparison& comparison, std::size_t most, const TableView& view)
      : c_(comparison),
        most_(most),
        view_(view),
        moved_(static_cast<std::size_t>(std::count_if(c_.pairs.begin(), c_.pairs.end(),
                                                      [](const ComparedRow& pair) { return pair.moved() != 0; }))) {}

  Document document() const {
    Document d{"compare", c_.a + " -> " + c_.b, fmt::format("A is {}\nB is {}", c_.what_a, c_.what_b)};
    d.weft_version = c_.weft_version;
    const run::Figures &a = c_.whole.a.figures, &b = c_.whole.b.figures;
    const auto both = [](const std::string& x, const std::string& y) { return x + " -> " + y; };
    d.figures = {{"Time of B", signed_percent(c_.whole.time_change), "against A"},
                 {"Convolutions", both(duration_text(a.seconds), duration_text(b.seconds)), ""},
                 {"Speed", both(real_cell(a.gops).text, real_cell(b.gops).text), "GOPS"},
                 {"Utilisation", both(share_cell(a.utilisation).text, share_cell(b.utilisation).text), ""},
                 {"Moved", fmt::format("{} of {}", moved_, c_.pairs.size()), "convolutions"},
                 {"Other limiter", fmt::format("{}", c_.changed_limiters()), "convolutions"}};
    if (c_.iteration_seconds_a) {
      const double of_a = *c_.iteration_seconds_a, of_b = *c_.iteration_seconds_b;
      d.figures.insert(d.figures.begin() + 2,
                       {"Iteration", both(duration_text(of_a), duration_text(of_b)),
                        signed_percent(run::change(of_a, of_b)) + ", with host, PCIe and loads"});
    }
    d.frame = frame();
    Section uses{"uses", "What the processing elements do", {}};
    if (const Bars changes = use_changes(); !changes.bars.empty()) uses.blocks = {use_bars(), changes};
    if (!c_.pe_classes.empty()) uses.blocks.emplace_back(this->uses());
    d.sections = {std::move(uses),
                  {"keys", "Keys that differ", {keys(), Text{keys_text(), On::Terminal}}},
                  totals(),
                  moved_section(),
                  ratios(),
                  {"limiters", "What limits them", {limiters()}},
                  {"rows", "All convolutions", pairs()}};
    if (c_.keys.empty()) d.sections[1].blocks = {Text{"keys         none differs", On::Both}};
    if (!c_.alone.empty()) d.sections.push_back(alone());
    return d;
  }

 private:
  std::vector<Series> frame() const {
    std::vector<Series> frame;
    const auto add = [&](const char* name, Form form, auto value) {
      frame.push_back(series_of(name, "", form, c_.pairs, value));
    };
    add("layer", Form::Plain, [](const ComparedRow& pair) { return pair.layer; });
    add("kind", Form::Plain, [](const ComparedRow& pair) { return conv::to_string(pair.kind); });
    add("time in A", Form::Time, [](const ComparedRow& pair) { return pair.seconds_a; });
    add("time in B", Form::Time, [](const ComparedRow& pair) { return pair.seconds_b; });
    add("time of B over that of A", Form::Ratio,
        [](const ComparedRow& pair) { return pair.seconds_b / pair.seconds_a; });
    add("limiter in A", Form::Plain, [](const ComparedRow& pair) { return *pair.limiter_a; });
    add("limiter in B", Form::Plain, [](const ComparedRow& pair) { return *pair.limiter_b; });
    return frame;
  }

  Table keys() const {
    Table table{"Keys that differ", {{"key"}, {"A"}, {"B"}}, {}, On::Page};
    const auto shown = [](const std::string& value) { return value.empty() ? std::string("-") : value; };
    for (const config::Difference& each : c_.keys) {
      table.rows.push_back({each.key, shown(each.a), shown(each.b)});
    }
    return table;
  }
  std::string keys_text() const {
    const std::string text = keys_table(c_.keys, view_);
    return text.substr(0, text.find_last_not_of('\n') + 1);
  }

  Section totals() const {
    Table table{"Totals",
                {{"kind", "", 9},
                 {"cycles A", "", 18},
                 {"cycles B", "", 18},
                 {"change", "of the cycles", 9},
                 {"time A", "", 11, 2},
                 {"time B", "", 11, 2},
                 {"util A, B", "multiply-accumulates of the layers as a share of the array's maximum", 15, 1},
                 {"stall A, B", "cycles in which the array does not advance", 15, 3},
                 {"DDR A, B", "bytes moved, as a share of the maximum of the channels in use", 15, 4}}};
    Bars chart{"totals", "Time of the convolutions in A and in B, by kind and in all"};
    chart.form = Form::Time;
    chart.parts = {{"A", "side-a", c_.a}, {"B", "side-b", c_.b}};
    for (const auto& [name, sums] : c_.totals()) {
      const run::Figures &a = sums->a.figures, &b = sums->b.figures;
      const auto text = [](auto of) { return of ? fmt::format("{:.1f}%", 100 * *of) : "-"; };
      const auto both = [&](auto x, auto y) { return Cell(text(x) + ", " + text(y), y.value_or(0)); };
      table.rows.push_back({name, count_cell(a.cycles), count_cell(b.cycles), change_cell(sums->cycles_change),
                            time_cell(a.seconds), time_cell(b.seconds),
                            both(std::optional(a.utilisation), std::optional(b.utilisation)),
                            both(a.stall_share, b.stall_share), both(a.ddr_efficiency, b.ddr_efficiency)});
      chart.bars.push_back({name + ", A", {{0, a.seconds}}});
      chart.bars.push_back({name + ", B", {{1, b.seconds}}, signed_percent(sums->time_change)});
    }
    Section section{"totals", "In all", {chart, table}};
    if (c_.iteration_seconds_a) {
      const double of_a = *c_.iteration_seconds_a, of_b = *c_.iteration_seconds_b;
      section.blocks.emplace_back(
          Text{fmt::format("iteration with host, PCIe and loads: {} -> {} ({})", duration_text(of_a),
                           duration_text(of_b), signed_percent(run::change(of_a, of_b)))});
    }
    if (!c_.same_clock) section.blocks.emplace_back(Text{"The clocks differ: compare the times."});
    return section;
  }

  // Colours of the uses, with the share of each in A and in B.
  std::vector<Part> parts_of_uses() const {
    std::vector<std::pair<std::string, std::string>> uses;
    for (const std::string& name : c_.pe_classes) uses.emplace_back(name, "");
    return use_parts(uses);
  }

  // PE-cycles of A and of B, each one bar of the uses.
  Bars use_bars() const {
    Bars chart{"pe-cycles", "PE-cycles of A and of B, split by what the PEs do"};
    chart.label = "PE-cycles";
    chart.parts = parts_of_uses();
    for (const auto& [name, side] : {std::pair("A", &c_.whole.a), std::pair("B", &c_.whole.b)}) {
      Bar& bar = chart.bars.emplace_back(Bar{name});
      for (std::size_t use = 0; use < c_.pe_classes.size(); ++use) {
        const auto count = side->figures.pe_cycles_of(c_.pe_classes[use]);
        if (count && *count > 0) bar.parts.emplace_back(use, static_cast<double>(*count));
      }
    }
    return chart;
  }

  // PE-cycles of B minus those of A, a bar for each use.
  Bars use_changes() const {
    Bars chart{"pe-changes", "PE-cycles of B minus those of A, by what the PEs do"};
    chart.label = "B - A, PE-cycles";
    const std::vector<Part> parts = parts_of_uses();
    for (std::size_t use = 0; use < parts.size(); ++use) {
      const auto a = c_.whole.a.figures.pe_cycles_of(c_.pe_classes[use]);
      const auto b = c_.whole.b.figures.pe_cycles_of(c_.pe_classes[use]);
      if (!a || !b || *a == *b) continue;
      chart.bars.push_back({parts[use].name, {{chart.parts.size(), static_cast<double>(*b - *a)}}, thousands(*b - *a)});
      chart.parts.push_back({"", parts[use].color});
    }
    return chart;
  }

  // Uses of the PE-cycles as shares of the PE-cycles of each result; last column: additional PE-cycles of B.
  Table uses() const {
    Table table{"PE-cycles by what the PEs do", {{"PE-cycles"}}};
    for (const auto& [name, sums] : c_.totals()) {
      const int spare = sums == &c_.whole ? 0 : static_cast<int>(table.columns.size());
      table.columns.push_back({name + " A, B", "shares of the PE-cycles of each result", 15, spare});
    }
    table.columns.push_back({"network B - A", "", 21});
    for (const std::string& pe_class : c_.pe_classes) {
      const auto share = [&](const ComparedSide& side, std::int64_t peak_macs) -> std::optional<double> {
        const std::optional<std::int64_t> count = side.figures.pe_cycles_of(pe_class);
        if (!count || side.figures.cycles == 0) return std::nullopt;
        return static_cast<double>(*count) / side.figures.all_pe_cycles(peak_macs);
      };
      const auto text = [](const std::optional<double>& share) {
        return share ? fmt::format("{:.1f}%", 100 * *share) : std::string("-");
      };
      std::vector<Cell> cells{pe_class};
      for (const auto& [name, sums] : c_.totals()) {
        const std::optional<double> of_b = share(sums->b, c_.peak_macs_b);
        cells.emplace_back(text(share(sums->a, c_.peak_macs_a)) + ", " + text(of_b), of_b);
      }
      const auto a = c_.whole.a.figures.pe_cycles_of(pe_class), b = c_.whole.b.figures.pe_cycles_of(pe_class);
      cells.push_back(a && b ? count_cell(*b - *a) : Cell("-"));
      table.rows.push_back(std::move(cells));
    }
    return table;
  }

  Section moved_section() const {
    Bars chart{"moved", "The convolutions that moved most, in time"};
    chart.label = "B - A";
    chart.form = Form::Time;
    chart.parts = {{"faster in B", "faster"}, {"slower in B", "slower"}};
    for (const run::Moved& moved : c_.most_moved(kBars)) {
      const ComparedRow& first = *moved.pairs.front();
      std::vector<std::string> layers;
      for (const ComparedRow* pair : moved.pairs) layers.push_back(pair->layer);
      const std::string times = layers.size() > 1 ? fmt::format("{} x ", layers.size()) : "";
      const std::string each = times.empty() ? "" : ", each";
      chart.bars.push_back({times + common_form(layers) + " " + conv::to_string(first.kind),
                            {{moved.seconds < 0 ? 0 : 1, moved.seconds}},
                            signed_percent(run::change(first.seconds_a, first.seconds_b)),
                            {{"A" + each, duration_text(first.seconds_a)},
                             {"B" + each, duration_text(first.seconds_b)},
                             {"limiter", limiter_text(first)}}});
    }
    Section section{"moved",
                    "What moved most",
                    {Text{"The largest differences in time, B minus A. Equal convolutions are one bar, of all of them.",
                          On::Page}}};
    section.blocks.emplace_back(chart.bars.empty() ? Block(Text{"Nothing moved.", On::Page}) : Block(chart));
    return section;
  }

  static Section ratios() {
    Points chart{Points::Kind::Scatter,
                 "ratios",
                 "Time of B over time of A for every convolution, by its time in A",
                 {"layer", "kind"},
                 {"time in A", "time in B", "limiter in A", "limiter in B"},
                 "time in A",
                 "time of B over that of A"};
    chart.color = "kind";
    for (const char* kind : {"F", "GI", "GW"}) chart.parts.push_back({kind});
    chart.log = true;
    chart.level = 1;
    return {"ratios",
            "Gains and losses of each convolution",
            {Text{"Each dot is a convolution: its time in A, and the time of B over that of A. Convolutions at the "
                  "right take most time.",
                  On::Page},
             chart}};
  }

  static std::string limiter_text(const ComparedRow& pair) {
    const std::string &a = *pair.limiter_a, &b = *pair.limiter_b;
    return a == b ? a : fmt::format("{} -> {}", a, b);
  }

  Table limiters() const {
    struct Change {
      std::int64_t convolutions = 0;
      double a = 0, b = 0;
    };
    std::map<std::string, Change> changes;
    for (const ComparedRow& pair : c_.pairs) {
      Change& change = changes[limiter_text(pair)];
      ++change.convolutions;
      change.a += pair.seconds_a;
      change.b += pair.seconds_b;
    }
    std::vector<std::pair<std::string, Change>> sorted(changes.begin(), changes.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& x, const auto& y) { return x.second.a > y.second.a; });
    Table table{"Limiters", {{"limiter"}, {"convolutions"}, {"time A"}, {"time B"}, {"change"}}, {}, On::Page};
    for (const auto& [name, change] : sorted) {
      table.rows.push_back({name, count_cell(change.convolutions), time_cell(change.a), time_cell(change.b),
                            change_cell(run::change(change.a, change.b))});
    }
    return table;
  }

  std::vector<Block> pairs() const {
    Table table{"All convolutions, what moved most first",
                {{"layer"},
                 {"kind", "", 4},
                 {"cycles A", "", 16, 2},
                 {"cycles B", "", 16, 1},
                 {"B - A", "cycles", 16},
                 {"change", "of the cycles", 9},
                 {"limiter"}}};
    table.search = table.chosen = true;
    table.most = std::min(moved_, most_);
    if (table.most == 0 && view_.columns.empty()) table.on = On::Page;
    for (const ComparedRow& pair : c_.pairs) {
      table.rows.push_back({pair.layer, conv::to_string(pair.kind), count_cell(*pair.cycles_a),
                            count_cell(*pair.cycles_b), count_cell(pair.moved()), change_cell(*pair.cycles_change),
                            limiter_text(pair)});
    }
    return {Text{fmt::format("{} of {} convolutions moved, {} with another limiter{}", moved_, table.rows.size(),
                             c_.changed_limiters(), moved_ > most_ ? "; those that moved most:" : ""),
                 On::Terminal},
            std::move(table)};
  }

  Section alone() const {
    Section section{"alone", "Without a partner", {}};
    Table table{"Convolutions that one of the two has",
                {{"layer"}, {"kind"}, {"only in"}, {"cycles"}, {"limiter"}},
                {},
                On::Page,
                true};
    for (const ComparedRow& row : c_.alone) {
      const bool of_a = row.cycles_a.has_value();
      table.rows.push_back({row.layer, conv::to_string(row.kind), of_a ? "A" : "B",
                            count_cell(of_a ? *row.cycles_a : *row.cycles_b), of_a ? *row.limiter_a : *row.limiter_b});
    }
    for (const auto& [side, of_a] : {std::pair("A", true), std::pair("B", false)}) {
      const std::vector<std::string> names = c_.only(of_a);
      if (names.empty()) continue;
      section.blocks.emplace_back(Text{
          fmt::format("only in {}    {} convolutions: {}", side, names.size(), first_of(names, most_)), On::Terminal});
    }
    section.blocks.emplace_back(std::move(table));
    return section;
  }

  const Comparison& c_;
  std::size_t most_;
  const TableView& view_;
  std::size_t moved_;
};

// Shortens a value so that both sides and a shortened key fit the page.
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

Document view_of(const Comparison& comparison) {
  return View(comparison, comparison.pairs.size(), {}).document();
}

Report compare_report(const Comparison& comparison, std::size_t most, const TableView& view) {
  Report report{"", record::json_text(comparison), run::csv_text(comparison)};
  check(view, report::columns_of(report.csv));
  report.table = text(View(comparison, most, view).document(), view, report.csv);
  return report;
}

}  // namespace weft::tools
