#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "platform/record/csv.h"
#include "tools/cli/views.h"

namespace weft::tools {

using namespace report;
using validate::kKinds;
using validate::PairResult;
using validate::ValidateResult;

namespace {

constexpr std::int64_t kBarWidth = 50;

const char* kind_name(std::size_t kind) {
  return conv::to_string(static_cast<conv::Kind>(kind));
}

Cell error_cell(double error) {
  return change_cell(error, 3);
}

// Line of the CSV.
struct PairLine {
  PairResult pair;
};

void fields(record::Visitor& io, PairLine& line) {
  PairResult& pair = line.pair;
  io("kernel", "", pair.kernel);
  io("layer", "", pair.layer);
  io.choice("kind", "", pair.kind, kKinds);
  io("model", "", pair.model.cycles);
  io("against", "", pair.against.cycles);
  io("error", "", pair.error);
  io("model_limiter", "", pair.model.limiter);
  io("against_limiter", "", pair.against.limiter);
  io("cause", "", pair.cause.block);
  io("work", "", pair.cause.work);
  io("blocked", "", pair.cause.blocked);
  io("starved", "", pair.cause.starved);
  io("idle", "", pair.cause.idle);
}

// Contribution of a model-limiting block to the error, over all convolutions of a kind that it limits.
struct BlockPicture {
  std::int64_t count = 0;
  double error = 0, work = 0, blocked = 0, starved = 0, idle = 0;  // sums of shares of the reference cycles

  void add(const PairResult& pair) {
    const auto cycles = static_cast<double>(pair.against.cycles);
    ++count;
    error += pair.error;
    work += static_cast<double>(pair.cause.work) / cycles;
    blocked += static_cast<double>(pair.cause.blocked) / cycles;
    starved += static_cast<double>(pair.cause.starved) / cycles;
    idle += static_cast<double>(pair.cause.idle) / cycles;
  }
};

std::string lead(const ValidateResult& r) {
  // Convolutions on a rung that simulates equal ones once.
  const auto repeats = std::count_if(r.convolutions.begin(), r.convolutions.end(),
                                     [](const PairResult& pair) { return pair.repeats(); });
  const std::string equal =
      repeats == 0 ? "" : fmt::format("{} convolutions equal another on their kernel, simulated once\n", repeats);
  const std::vector<std::string> kernels = r.kernels();
  return fmt::format(
      "{0} against {1}, {2} convolutions on {3}{4}{5}\n{6}error = ({0} - {1}) / {1}, of the cycles of a convolution",
      to_string(r.model), to_string(r.against), r.convolutions.size(),
      kernels.size() == 1 ? kernels.front() : fmt::format("{} kernels", kernels.size()), r.board ? ", " + *r.board : "",
      r.batch ? fmt::format(", batch {}", *r.batch) : "", equal);
}

std::string histogram_text(const ValidateResult& r, std::size_t width) {
  constexpr std::int64_t kBeside = 46;  // width of the number columns
  const std::int64_t bar = std::min(kBarWidth, std::max<std::int64_t>(1, static_cast<std::int64_t>(width) - kBeside));
  std::int64_t tallest = 1;
  for (const auto& bin : r.histogram.bins) tallest = std::max(tallest, bin[0] + bin[1] + bin[2]);
  std::string text = fmt::format("{:<23}  {:>5}  {:>5}  {:>5}", "error", "F", "GI", "GW");
  for (std::size_t i = 0; i < r.histogram.bins.size(); ++i) {
    const auto& bin = r.histogram.bins[i];
    const auto edge = [&](std::size_t at) {
      return r.histogram.width_percent * static_cast<double>(r.histogram.first + static_cast<std::int64_t>(at));
    };
    const std::int64_t all = bin[0] + bin[1] + bin[2];
    const std::int64_t length = all == 0 ? 0 : std::max<std::int64_t>(1, all * bar / tallest);
    text +=
        fmt::format("\n{:>+9.4g}% to {:>+8.4g}%  {:>5}  {:>5}  {:>5}", edge(i), edge(i + 1), bin[0], bin[1], bin[2]);
    if (length > 0) text += "  " + std::string(static_cast<std::size_t>(length), '#');
  }
  return text;
}

Section kinds_section(const ValidateResult& r, std::size_t width) {
  Table table{"Errors by kind", {{"kind"}, {"convs"}}};
  for (const char* figure : {"mean", "sd", "max", "min"}) table.columns.push_back({figure, "", 9});
  if (r.published()) table.columns.push_back({"published: mean, sd, max, min", "", 0, 1});
  Points chart{Points::Kind::Dots, "kinds", "Error of every convolution, by kind, with mean and standard deviation"};
  chart.title = {"layer", "kind", "kernel"};
  chart.tip = {"error", to_string(r.model), to_string(r.against), "why"};
  chart.x = "error";
  chart.y = chart.color = "kind";
  chart.label = fmt::format("({0} - {1}) / {1}", to_string(r.model), to_string(r.against));
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const auto& of = r.statistics.at(kind);
    if (!of) continue;
    const validate::Statistics& s = of->errors;
    // A standard deviation has no sign.
    std::vector<Cell> cells{kind_name(kind),     count_cell(s.count), error_cell(s.mean),
                            share_cell(s.sd, 3), error_cell(s.max),   error_cell(s.min)};
    chart.parts.push_back({kind_name(kind)});
    chart.intervals.push_back({kind_name(kind), "measured", s.mean - s.sd, s.mean, s.mean + s.sd});
    if (const auto& p = of->published) {
      cells.emplace_back(fmt::format("{:+.3g}%, {:.3g}%, {:+.3g}%, {:+.3g}%", p->mean, p->sd, p->max, p->min));
      chart.intervals.push_back(
          {kind_name(kind), "published", (p->mean - p->sd) / 100, p->mean / 100, (p->mean + p->sd) / 100});
    }
    cells.resize(table.columns.size());
    table.rows.push_back(std::move(cells));
  }
  Section section{
      "kinds",
      "Errors by kind",
      {Text{"Each dot is a convolution; the bars below show mean and standard deviation.", On::Page}, chart, table}};
  if (r.published() && r.published_source) section.blocks.emplace_back(Text{"published: " + *r.published_source});
  section.blocks.emplace_back(Text{"\n" + histogram_text(r, width), On::Terminal});
  return section;
}

Section causes_section(const ValidateResult& r) {
  const bool both_simulated = r.model != validate::Rung::Analytical && r.against != validate::Rung::Analytical;
  Table table{"Block by block",
              {{"kind"},
               {"block", "", 15},
               {"convs", "", 0, 1},
               {"error", "", 9},
               {"work", "", 9},
               {"blocked", "", 9},
               {"starved", "", 9},
               {"idle", "", 9}}};
  Bars chart{"causes", "How the blocks that differ most spend the difference, by kind and block"};
  chart.label = "mean share of the cycles";
  chart.form = Form::Share;
  chart.parts = {{"more work", "useful"}, {"blocked", "blocked-1"}, {"starved", "starved-1"}, {"idle", "idle"}};
  std::array<record::Named<BlockPicture>, kKinds> pictures;  // by kind and block, blocks in the order of the topology
  for (const PairResult& pair : r.convolutions) {
    auto& blocks = pictures.at(static_cast<std::size_t>(pair.kind));
    if (blocks.empty()) {
      for (const auto& block : pair.model.blocks) blocks.push_back({block.first, {}});
    }
    for (auto& [name, picture] : blocks) {
      if (name == pair.cause.block) picture.add(pair);
    }
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (const auto& [name, p] : pictures.at(kind)) {
      if (p.count == 0) continue;
      Bar bar{fmt::format("{} {}", kind_name(kind), name), {}, fmt::format("{} convolutions", p.count)};
      std::vector<Cell> cells{kind_name(kind), name, count_cell(p.count),
                              error_cell(p.error / static_cast<double>(p.count))};
      for (const double sum : {p.work, p.blocked, p.starved, p.idle}) {
        const double mean = sum / static_cast<double>(p.count);
        if (mean != 0) bar.parts.emplace_back(cells.size() - 4, mean);
        cells.push_back(error_cell(mean));
      }
      table.rows.push_back(std::move(cells));
      chart.bars.push_back(std::move(bar));
    }
  }
  return {"causes",
          "Where the difference is",
          {Text{both_simulated ? "block by block, where the two differ most: mean differences of active, blocked, "
                                 "starved and idle cycles"
                               : "block by block, how the equations' slowest block spends the cycles that they do not "
                                 "count: mean shares of the cycles"},
           chart, table}};
}

Table rows_table(const ValidateResult& r, const std::vector<std::size_t>& order, const char* caption, On on) {
  Table table{caption,
              {{"layer"},
               {"kind"},
               {"kernel", "", 0, 2},
               {to_string(r.model), "cycles", 15},
               {to_string(r.against), "cycles", 15, 1},
               {"error", "", 9},
               {"why", "", 0, 0, On::Both, true}},
              {},
              on};
  table.chosen = on == On::Both;
  table.search = on == On::Page;
  for (const std::size_t i : order) {
    const PairResult& pair = r.convolutions[i];
    table.rows.push_back({pair.layer, to_string(pair.kind), pair.kernel, count_cell(pair.model.cycles),
                          count_cell(pair.against.cycles), error_cell(pair.error), pair.reason});
  }
  return table;
}

Section limits_section(const ValidateResult& r) {
  const validate::LimitsVerdict& verdict = *r.limits;
  Section section{"limits", "Limits", {Text{limits_text(r).substr(0, limits_text(r).size() - 1), On::Terminal}}};
  section.blocks.emplace_back(
      Text{fmt::format("Allowed errors: {}% of the sums and {}% of each convolution, in either direction. {}.",
                       verdict.limits.total, verdict.limits.convolution,
                       verdict.holds ? "All errors are within these limits" : "Some errors exceed these limits"),
           On::Page});
  Table totals{"Sums of cycles",
               {{"convolutions"},
                {to_string(r.model), "cycles"},
                {to_string(r.against), "cycles"},
                {"error"},
                {"allowed", "either way"},
                {"holds"}},
               {},
               On::Page};
  for (const auto& [what, sum] : verdict.totals()) {
    totals.rows.push_back({what, count_cell(sum.model), count_cell(sum.against), error_cell(sum.error),
                           share_cell(verdict.limits.total / 100), sum.holds ? "yes" : "no"});
  }
  section.blocks.emplace_back(std::move(totals));
  if (verdict.beyond.empty()) return section;
  Table table{fmt::format("Convolutions beyond {}%", verdict.limits.convolution),
              {{"layer"}, {"kind"}, {"kernel"}, {"error"}},
              {},
              On::Page,
              true};
  for (const validate::BeyondLimit& each : verdict.beyond) {
    table.rows.push_back({each.layer, to_string(each.kind), each.kernel, error_cell(each.error)});
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

std::vector<Series> frame_of(const ValidateResult& r) {
  std::vector<Series> frame;
  const auto add = [&](const char* name, Form form, auto value) {
    frame.push_back(series_of(name, "", form, r.convolutions, value));
  };
  add("layer", Form::Plain, [](const PairResult& pair) { return pair.layer; });
  add("kind", Form::Plain, [](const PairResult& pair) { return to_string(pair.kind); });
  add("kernel", Form::Plain, [](const PairResult& pair) { return pair.kernel; });
  add("error", Form::Change, [](const PairResult& pair) { return pair.error; });
  add(to_string(r.model), Form::Plain, [](const PairResult& pair) { return pair.model.cycles; });
  add(to_string(r.against), Form::Plain, [](const PairResult& pair) { return pair.against.cycles; });
  add("why", Form::Plain, [](const PairResult& pair) { return pair.reason; });
  return frame;
}

}  // namespace

Document view_of(const ValidateResult& r, std::size_t width) {
  Document d{"validate", r.name, lead(r)};
  d.weft_version = r.weft_version;
  d.frame = frame_of(r);
  const std::vector<std::size_t> order = r.worst_first();
  std::vector<std::size_t> worst = order, all = order;
  worst.resize(std::min(worst.size(), static_cast<std::size_t>(r.worst)));
  std::sort(all.begin(), all.end());
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (!r.statistics.at(kind)) continue;
    const validate::Statistics& s = r.statistics.at(kind)->errors;
    d.figures.push_back({fmt::format("Mean error, {}", kind_name(kind)), change_cell(s.mean).text,
                         fmt::format("{} convolutions, sd {}", s.count, share_cell(s.sd, 2).text)});
  }
  if (!order.empty()) {
    const PairResult& first = r.convolutions[order.front()];
    const double square =
        std::accumulate(r.convolutions.begin(), r.convolutions.end(), 0.,
                        [](double sum, const PairResult& pair) { return sum + pair.error * pair.error; });
    d.figures.push_back(
        {"Root mean square", share_cell(std::sqrt(square / static_cast<double>(all.size())), 2).text, "of all errors"});
    d.figures.push_back(
        {"Worst", change_cell(first.error).text, fmt::format("{} {}", first.layer, to_string(first.kind))});
  }
  d.sections = {kinds_section(r, width), causes_section(r)};
  if (!worst.empty()) {
    d.sections.push_back({"worst",
                          "Where the model is most wrong",
                          {Text{"where the model is most wrong, and why", On::Terminal},
                           rows_table(r, worst, "The worst rows", On::Both)}});
  }
  if (r.limits) {
    const std::size_t beyond = r.limits->beyond.size();
    d.figures.push_back({"Limits", r.limits->holds ? "hold" : "exceeded", fmt::format("by {} convolutions", beyond)});
    d.sections.push_back(limits_section(r));
  }
  if (r.baseline) d.sections.push_back({"baseline", "Baseline", {Text{"baseline     " + r.baseline->text()}}});
  d.sections.push_back({"rows", "All convolutions", {rows_table(r, all, "All convolutions", On::Page)}});
  return d;
}

std::string limits_text(const ValidateResult& result) {
  if (!result.limits) return "";
  const validate::LimitsVerdict& verdict = *result.limits;
  std::string totals;
  for (const auto& [what, total] : verdict.totals()) {
    totals += fmt::format("{}{} {:+.3f}%{}", totals.empty() ? "" : ", ", what, 100 * total.error,
                          total.holds ? "" : " EXCEEDED");
  }
  std::string each = "all are";
  if (!verdict.beyond.empty()) {
    const validate::BeyondLimit& worst = verdict.beyond.front();
    each = fmt::format("EXCEEDED by {} of {}, most by {} {} on {}, {:+.3f}%", verdict.beyond.size(),
                       result.convolutions.size(), worst.layer, to_string(worst.kind), worst.kernel, 100 * worst.error);
  }
  return fmt::format(
      "limits       sums of cycles within {}%: {}\n"
      "             each convolution within {}%: {}\n",
      verdict.limits.total, totals, verdict.limits.convolution, each);
}

std::string csv_of(const ValidateResult& result) {
  std::string text = record::csv_head(PairLine());
  for (const PairResult& pair : result.convolutions) text += record::csv_line(PairLine{pair});
  return text;
}

std::vector<std::string> validate_columns() {
  return report::columns_of(record::csv_head(PairLine()));
}

}  // namespace weft::tools
