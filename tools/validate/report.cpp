#include "tools/validate/report.h"

#include <fmt/core.h>

#include <algorithm>

#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/record/csv.h"
#include "platform/record/json.h"

namespace weft::tools {

using report::trimmed;
using validate::kKinds;
using validate::PairResult;
using validate::ValidateResult;

namespace {

constexpr std::int64_t kBarWidth = 50;

const char* kind_name(std::size_t kind) {
  return conv::to_string(static_cast<conv::Kind>(kind));
}

// A line of the CSV.
struct CsvLine {
  PairResult pair;
};

void fields(record::Visitor& io, CsvLine& line) {
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

std::string csv(const std::vector<PairResult>& pairs) {
  std::string text = record::csv_head(CsvLine());
  for (const PairResult& pair : pairs) text += record::csv_line(CsvLine{pair});
  return text;
}

// What the block that limits by the model adds to the error, over all convolutions of a kind that it limits.
struct BlockPicture {
  std::int64_t count = 0;
  double error = 0, work = 0, blocked = 0, starved = 0, idle = 0;  // sums of shares of the cycles measured against

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

class Formatter {
 public:
  Formatter(const ValidateResult& result, const std::string& csv, const TableView& view)
      : r_(result), csv_(csv), view_(view) {}

  std::string table() const {
    return head() + statistics_table() + histogram_text() + picture_text() +
           (view_.columns.empty() ? worst_text() : report::chosen_table(csv_, view_) + "\n") + limits_text(r_) +
           baseline_text();
  }

 private:
  bool both_simulated() const {
    return r_.model != validate::Rung::Analytical && r_.against != validate::Rung::Analytical;
  }

  std::string head() const {
    // Of those that are simulated on a rung where equal ones are simulated once.
    const auto repeats = std::count_if(r_.convolutions.begin(), r_.convolutions.end(),
                                       [](const PairResult& pair) { return pair.repeats(); });
    const std::string equal =
        repeats == 0 ? "" : fmt::format("{} convolutions equal another on their kernel, simulated once\n", repeats);
    const std::vector<std::string> kernels = r_.kernels();
    return fmt::format(
        "{}: {} against {}, {} convolutions on {}, {}, batch {}\n{}"
        "error = ({} - {}) / {}, of the cycles of a convolution\n\n",
        r_.name, to_string(r_.model), to_string(r_.against), r_.convolutions.size(),
        kernels.size() == 1 ? kernels.front() : fmt::format("{} kernels", kernels.size()), r_.board, r_.batch, equal,
        to_string(r_.model), to_string(r_.against), to_string(r_.against));
  }

  std::string statistics_table() const {
    std::vector<report::TableColumn> columns{{"kind"}, {"convs", true}};
    for (const char* figure : {"mean", "sd", "max", "min"}) columns.push_back({figure, true, 9});
    if (r_.published()) columns.push_back({"published: mean, sd, max, min", false, 0, 1});
    report::FittedTable table(std::move(columns));
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const auto& of = r_.statistics.at(kind);
      if (!of) continue;
      const validate::Statistics& s = of->errors;
      std::vector<std::string> cells{kind_name(kind),
                                     std::to_string(s.count),
                                     fmt::format("{:+.3f}%", 100 * s.mean),
                                     fmt::format("{:.3f}%", 100 * s.sd),
                                     fmt::format("{:+.3f}%", 100 * s.max),
                                     fmt::format("{:+.3f}%", 100 * s.min)};
      if (const auto& p = of->published) {
        cells.push_back(fmt::format("{:+.3g}%, {:.3g}%, {:+.3g}%, {:+.3g}%", p->mean, p->sd, p->max, p->min));
      } else if (r_.published()) {
        cells.emplace_back();
      }
      table.add(std::move(cells));
    }
    std::string text = fitted(table);
    if (r_.published() && r_.published_source) text += "published: " + *r_.published_source + "\n";
    return text + "\n";
  }

  std::string fitted(const report::FittedTable& table) const {
    return table.text(view_.width) + report::left_out_line(table, view_.width, "--format json has them");
  }

  std::string histogram_text() const {
    constexpr std::int64_t kBeside = 46;  // columns of numbers
    const std::int64_t bar =
        std::min(kBarWidth, std::max<std::int64_t>(1, static_cast<std::int64_t>(view_.width) - kBeside));
    std::int64_t tallest = 1;
    for (const auto& bin : r_.histogram.bins) tallest = std::max(tallest, bin[0] + bin[1] + bin[2]);
    std::string text = fmt::format("{:<23}  {:>5}  {:>5}  {:>5}\n", "error", "F", "GI", "GW");
    for (std::size_t i = 0; i < r_.histogram.bins.size(); ++i) {
      const auto& bin = r_.histogram.bins[i];
      const auto edge = [&](std::size_t at) {
        return r_.histogram.width_percent * static_cast<double>(r_.histogram.first + static_cast<std::int64_t>(at));
      };
      const std::int64_t all = bin[0] + bin[1] + bin[2];
      const std::int64_t width = all == 0 ? 0 : std::max<std::int64_t>(1, all * bar / tallest);
      text += trimmed(fmt::format("{:>+9.4g}% to {:>+8.4g}%  {:>5}  {:>5}  {:>5}  {}", edge(i), edge(i + 1), bin[0],
                                  bin[1], bin[2], std::string(static_cast<std::size_t>(width), '#')));
    }
    return text + "\n";
  }

  std::string picture_text() const {
    std::string text = both_simulated()
                           ? "block by block, where the two differ most: mean differences of active, blocked, "
                             "starved and idle cycles\n"
                           : "block by block, where the equations' slowest block spends what they do not count: mean "
                             "shares of the cycles\n";
    report::FittedTable table({{"kind"},
                               {"block", false, 15},
                               {"convs", true, 0, 1},
                               {"error", true, 9},
                               {"work", true, 9},
                               {"blocked", true, 9},
                               {"starved", true, 9},
                               {"idle", true, 9}});
    std::array<record::Named<BlockPicture>, kKinds> pictures;  // by block, in the order of the topology
    for (const PairResult& pair : r_.convolutions) {
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
        const auto mean = [count = static_cast<double>(p.count)](double sum) {
          return fmt::format("{:+.3f}%", sum * (100.0 / count));
        };
        table.add({kind_name(kind), name, std::to_string(p.count), mean(p.error), mean(p.work), mean(p.blocked),
                   mean(p.starved), mean(p.idle)});
      }
    }
    return text + fitted(table) + "\n";
  }

  std::string worst_text() const {
    std::vector<std::size_t> order = r_.worst_first();
    order.resize(std::min(order.size(), static_cast<std::size_t>(r_.worst)));
    if (order.empty()) return "";
    report::FittedTable table({{"layer"},
                               {"kind"},
                               {"kernel", false, 0, 2},
                               {to_string(r_.model), true, 15},
                               {to_string(r_.against), true, 15, 1},
                               {"error", true, 9}});
    for (const std::size_t i : order) {
      const PairResult& pair = r_.convolutions[i];
      table.add({pair.layer, to_string(pair.kind), pair.kernel, std::to_string(pair.model.cycles),
                 std::to_string(pair.against.cycles), fmt::format("{:+.3f}%", 100 * pair.error)});
      table.add_note(pair.reason);
    }
    return "where the model is most wrong, and why\n" + fitted(table) + "\n";
  }

  std::string baseline_text() const {
    if (!r_.baseline) return "";
    const auto& [file, deviations] = *r_.baseline;
    if (deviations.empty()) return fmt::format("baseline     {}: every error is where it was\n", file);
    std::string text = fmt::format("baseline     {}: {} differ\n", file, deviations.size());
    for (const validate::Deviation& one : deviations) text += "  " + one.text() + "\n";
    return text;
  }

  const ValidateResult& r_;
  const std::string& csv_;
  const TableView& view_;
};

}  // namespace

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

Report report(const ValidateResult& result, const TableView& view) {
  Report report{"", record::json_text(result), csv(result.convolutions)};
  report.table = Formatter(result, report.csv, view).table();
  return report;
}

std::vector<std::string> validate_columns() {
  return report::columns_of(record::csv_head(CsvLine()));
}

}  // namespace weft::tools
