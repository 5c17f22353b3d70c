#include "platform/run/comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <tuple>

#include "platform/record/csv.h"
#include "platform/run/columns.h"

namespace weft::run {

namespace {

using record::Visitor;

// Removes the keys that name the run, its output or its workers.
config::Node compared(config::Node node) {
  for (const char* key : {"name", "title", "output", "workers", "published"}) node.erase(key);
  return node;
}

// Visits the paired fields of a convolution except PE-cycles.
void sides(Visitor& io, ComparedRow& row) {
  io("layer", row_field("layer").meaning, row.layer);
  io.choice("kind", row_field("kind").meaning, row.kind, config::all_kinds().size());
  io("cycles_a", "cycles", "kernel cycles of A", row.cycles_a);
  io("cycles_b", "cycles", "kernel cycles of B", row.cycles_b);
  io("cycles_change", "1", "B / A - 1", row.cycles_change);
  io("limiter_a", "what limits the convolution", row.limiter_a);
  io("limiter_b", "what limits the convolution", row.limiter_b);
}

struct CsvLine {
  ComparedRow row;
  record::Named<Value> pe_cycles;  // "pe_useful_a", "pe_useful_b", ...
};
void fields(Visitor& io, CsvLine& line) {
  sides(io, line.row);
  io.others("PE-cycles", "PE-cycles of a class", line.pe_cycles);
}

double change_of(Cycles a, Cycles b) {
  return change(static_cast<double>(a), static_cast<double>(b));
}

ComparedSums compare(const Sums* a, const Sums* b, bool same_design) {
  ComparedSums both;
  for (const auto& [sums, side] : {std::pair(a, &both.a), std::pair(b, &both.b)}) {
    if (sums) *side = {sums->convolutions, *sums->figures};
    if (!same_design) side->figures.pe_cycles.reset();
  }
  both.cycles_change = change_of(both.a.figures.cycles, both.b.figures.cycles);
  both.time_change = change(both.a.figures.seconds, both.b.figures.seconds);
  return both;
}

ComparedRow compare(const RowRecord* a, const RowRecord* b, bool same_design) {
  const RowRecord& any = a ? *a : *b;
  ComparedRow row;
  row.layer = any.layer.name;
  row.kind = any.kind;
  const auto set = [&](const RowRecord* of, auto& cycles, auto& limiter, auto& pe_cycles, double& seconds) {
    if (!of) return;
    cycles = of->figures.cycles;
    limiter = of->limiter;
    seconds = of->figures.seconds;
    if (same_design) pe_cycles = of->figures.pe_cycles;
  };
  set(a, row.cycles_a, row.limiter_a, row.pe_cycles_a, row.seconds_a);
  set(b, row.cycles_b, row.limiter_b, row.pe_cycles_b, row.seconds_b);
  if (a && b) row.cycles_change = change_of(*row.cycles_a, *row.cycles_b);
  return row;
}

}  // namespace

static void fields(Visitor& io, ComparedSide& side) {
  io("convolutions", "convolutions", "number of convolutions", side.convolutions);
  Figures& f = side.figures;
  const auto figure = [&](const char* name, auto& value) {
    const record::Field of = row_field(name);
    io(name, of.unit, of.meaning, value);
  };
  figure("cycles", f.cycles);
  figure("seconds", f.seconds);
  figure("gops", f.gops);
  figure("array_utilisation", f.utilisation);
  figure("stall_share", f.stall_share);
  figure("ddr_efficiency", f.ddr_efficiency);
  pe_cycles(io, "pe_cycles", f.pe_cycles);
}

static void fields(Visitor& io, ComparedSums& sums) {
  io("a", "sums of A", sums.a);
  io("b", "sums of B", sums.b);
  io("cycles_change", "1", "cycles: B / A - 1", sums.cycles_change);
  io("time_change", "1", "time: B / A - 1", sums.time_change);
}

static void fields(Visitor& io, ComparedRow& row) {
  sides(io, row);
  pe_cycles(io, "pe_cycles_a", row.pe_cycles_a);
  pe_cycles(io, "pe_cycles_b", row.pe_cycles_b);
}

void fields(Visitor& io, Comparison& c) {
  static const record::Words kinds{{"all F", "", "all F"}, {"all GI", "", "all GI"}, {"all GW", "", "all GW"}};
  io.head("compare", 2, c.weft_version);
  io("a", "first result, as named on the command line", c.a);
  io("b", "second result, as named on the command line", c.b);
  io.list("keys", "keys of the run that differ", "", "a key", c.keys);
  io.group("totals", "by kind", [&](Visitor& sub) {
    sub.words(kinds, c.kinds);
    sub("network", "all convolutions", c.whole);
  });
  io("iteration_seconds_a", "s", "training iteration of A, with host, PCIe and loads, if both are known",
     c.iteration_seconds_a);
  io("iteration_seconds_b", "s", "training iteration of B, with host, PCIe and loads, if both are known",
     c.iteration_seconds_b);
  io.list("convolutions", "convolutions of both, largest change first", "", "a convolution", c.pairs);
  std::int64_t changed = c.changed_limiters();
  io("changed_limiters", "convolutions", "convolutions with another limiter", changed);
  std::vector<std::string> only_a = c.only(true), only_b = c.only(false);
  io.list("only_a", "convolutions that B does not have", "", kRowName, only_a);
  io.list("only_b", "convolutions that A does not have", "", kRowName, only_b);
}

std::int64_t Comparison::changed_limiters() const {
  return std::count_if(pairs.begin(), pairs.end(),
                       [](const ComparedRow& pair) { return pair.limiter_a != pair.limiter_b; });
}

std::vector<std::string> Comparison::only(bool of_a) const {
  std::vector<std::string> names;
  for (const ComparedRow& row : alone) {
    if (row.cycles_a.has_value() == of_a) names.push_back(row.name());
  }
  return names;
}

record::Named<const ComparedSums*> Comparison::totals() const {
  record::Named<const ComparedSums*> all;
  for (const auto& [name, sums] : kinds) all.emplace_back(name, &sums);
  all.emplace_back("network", &whole);
  return all;
}

std::vector<Moved> Comparison::most_moved(std::size_t most) const {
  std::map<std::tuple<conv::Kind, Cycles, Cycles, std::string, std::string>, Moved> equal;
  for (const ComparedRow& pair : pairs) {
    const double by = pair.seconds_b - pair.seconds_a;
    if (by == 0) continue;
    Moved& moved = equal[{pair.kind, *pair.cycles_a, *pair.cycles_b, *pair.limiter_a, *pair.limiter_b}];
    moved.pairs.push_back(&pair);
    moved.seconds += by;
  }
  std::vector<Moved> order;
  order.reserve(equal.size());
  for (auto& [key, moved] : equal) order.push_back(std::move(moved));
  std::stable_sort(order.begin(), order.end(),
                   [](const Moved& a, const Moved& b) { return std::abs(a.seconds) > std::abs(b.seconds); });
  order.resize(std::min(order.size(), most));
  return order;
}

double Comparison::largest_change() const {
  if (!alone.empty()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (const ComparedRow& pair : pairs) largest = std::max(largest, std::abs(*pair.cycles_change));
  for (const auto& [name, sums] : totals()) largest = std::max(largest, std::abs(sums->cycles_change));
  return largest;
}

std::vector<config::Difference> differing_keys(const config::Node& a, const config::Node& b) {
  return config::differences(compared(a), compared(b));
}

Comparison compare(const Compared& a, const Compared& b) {
  const bool same_design = a.record.design == b.record.design;
  Comparison c;
  c.a = a.name;
  c.b = b.name;
  c.what_a = fmt::format("{}, {}", a.record.run, a.record.headline());
  c.what_b = fmt::format("{}, {}", b.record.run, b.record.headline());
  c.keys = differing_keys(a.config, b.config);
  c.same_clock = a.record.clock_mhz == b.record.clock_mhz;
  c.peak_macs_a = a.record.peak_macs;
  c.peak_macs_b = b.record.peak_macs;
  if (a.record.iteration && a.record.iteration->seconds && b.record.iteration && b.record.iteration->seconds) {
    c.iteration_seconds_a = a.record.iteration->seconds;
    c.iteration_seconds_b = b.record.iteration->seconds;
  }
  const std::vector<Sums> of_a = a.record.sums(), of_b = b.record.sums();
  const auto find = [](const std::vector<Sums>& of, const std::string& name) {
    const auto found = std::find_if(of.begin(), of.end(), [&](const Sums& each) { return each.name == name; });
    return found == of.end() ? nullptr : &*found;
  };
  for (const conv::Kind kind : config::all_kinds()) {
    const std::string name = std::string("all ") + conv::to_string(kind);
    const Sums *in_a = find(of_a, name), *in_b = find(of_b, name);
    if (in_a || in_b) c.kinds.emplace_back(name, compare(in_a, in_b, same_design));
  }
  c.whole = compare(&of_a.back(), &of_b.back(), same_design);
  for (const Figures* figures : {&c.whole.a.figures, &c.whole.b.figures}) {
    if (!figures->pe_cycles || !c.pe_classes.empty()) continue;
    for (const auto& each : *figures->pe_cycles) c.pe_classes.push_back(each.first);
  }

  const auto key_of = [](const RowRecord& row) { return std::tuple(row.fully_connected, row.layer.name, row.kind); };
  std::map<std::tuple<bool, std::string, conv::Kind>, const RowRecord*> others;
  for (const RowRecord& row : b.record.rows) others.emplace(key_of(row), &row);
  for (const RowRecord& row : a.record.rows) {
    const auto found = others.find(key_of(row));
    const bool both = found != others.end();
    (both ? c.pairs : c.alone).push_back(compare(&row, both ? found->second : nullptr, same_design));
    if (both) others.erase(found);
  }
  for (const RowRecord& row : b.record.rows) {
    if (others.count(key_of(row)) != 0) c.alone.push_back(compare(nullptr, &row, same_design));
  }
  std::stable_sort(c.pairs.begin(), c.pairs.end(), [](const ComparedRow& x, const ComparedRow& y) {
    return std::abs(x.moved()) > std::abs(y.moved());
  });
  return c;
}

std::string csv_text(const Comparison& comparison) {
  const auto line_of = [&](const ComparedRow& row) {
    CsvLine line{row, {}};
    for (const std::string& name : comparison.pe_classes) {
      for (const auto& [side, of] : {std::pair("a", &row.pe_cycles_a), std::pair("b", &row.pe_cycles_b)}) {
        const Value* const value = *of ? record::find(**of, name) : nullptr;
        line.pe_cycles.emplace_back("pe_" + name + "_" + side, value ? *value : Value());
      }
    }
    return line;
  };
  std::string text = record::csv_head(line_of({}));
  for (const auto* rows : {&comparison.pairs, &comparison.alone}) {
    for (const ComparedRow& row : *rows) text += record::csv_line(line_of(row));
  }
  return text;
}

double change(double a, double b) {
  if (a == b) return 0;
  return a == 0 ? 1 : (b - a) / a;
}

}  // namespace weft::run
