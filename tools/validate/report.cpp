#include "tools/validate/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/studies/validate/statistics.h"

namespace weft::tools {

using report::csv_field;
using report::trimmed;

using validate::Cause;
using validate::kKinds;
using validate::Measurement;
using validate::Pair;
using validate::Statistics;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::int64_t kBarWidth = 50;

const char* kind_name(std::size_t kind) {
  return conv::to_string(static_cast<conv::Kind>(kind));
}
const char* block_name(const Pair& pair, std::size_t block) {
  return pair.topology->blocks[block].name;
}
std::size_t index_of(conv::Kind kind) {
  return static_cast<std::size_t>(kind);
}

// What the block that limits by the model adds to the error, over all convolutions of a kind that it limits.
struct BlockPicture {
  std::int64_t count = 0;
  double error = 0, work = 0, blocked = 0, starved = 0, idle = 0;  // sums of shares of the cycles measured against
};

class Formatter {
 public:
  Formatter(const validate::ValidateConfig& config, const std::vector<Pair>& pairs, const Verdicts& verdicts,
            const TableView& view)
      : config_(config), pairs_(pairs), baseline_(verdicts.baseline), limits_(verdicts.limits), view_(view) {
    for (const Pair& pair : pairs_) errors_[index_of(pair.kind)].push_back(pair.error());
    for (std::size_t kind = 0; kind < kKinds; ++kind) statistics_[kind] = validate::statistics(errors_[kind]);
    histogram_ = validate::histogram(errors_);
    // The kernels of a validation are of one design (validate_config.h).
    for (Pictures& pictures : pictures_) pictures.resize(pairs_.front().topology->blocks.size());
    for (const Pair& pair : pairs_) add(pictures_[index_of(pair.kind)], pair);
    order_.resize(pairs_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return std::fabs(pairs_[a].error()) > std::fabs(pairs_[b].error());
    });
    order_.resize(std::min(order_.size(), static_cast<std::size_t>(config_.worst)));
  }

  Report report() const { return {table(), json().dump(2) + "\n", csv()}; }

 private:
  using Pictures = std::vector<BlockPicture>;  // by block

  static void add(Pictures& pictures, const Pair& pair) {
    const Cause c = validate::cause(pair.model, pair.against);
    const auto cycles = static_cast<double>(pair.against.cycles);
    BlockPicture& picture = pictures[c.block];
    ++picture.count;
    picture.error += pair.error();
    picture.work += static_cast<double>(c.work) / cycles;
    picture.blocked += static_cast<double>(c.blocked) / cycles;
    picture.starved += static_cast<double>(c.starved) / cycles;
    picture.idle += static_cast<double>(c.idle) / cycles;
  }

  bool both_simulated() const {
    return config_.model != validate::Rung::Analytical && config_.against != validate::Rung::Analytical;
  }

  // Of those that are simulated on a rung where equal ones are simulated once.
  std::int64_t repeats() const {
    return std::count_if(pairs_.begin(), pairs_.end(),
                         [](const Pair& pair) { return pair.model.repeats || pair.against.repeats; });
  }

  std::string kernels() const {
    const std::size_t count = config_.kernels.size();
    return count == 1 ? config_.kernels.front().label : fmt::format("{} kernels", count);
  }

  std::string head() const {
    const config::RunConfig& run = config_.kernels.front().run;
    const std::string equal =
        repeats() == 0 ? "" : fmt::format("{} convolutions equal another on their kernel, simulated once\n", repeats());
    return fmt::format(
        "{}: {} against {}, {} convolutions on {}, {}, batch {}\n{}"
        "error = ({} - {}) / {}, of the cycles of a convolution\n\n",
        config_.name, validate::to_string(config_.model), validate::to_string(config_.against), pairs_.size(),
        kernels(), run.board.name, run.batch, equal, validate::to_string(config_.model),
        validate::to_string(config_.against), validate::to_string(config_.against));
  }

  std::string statistics_table() const {
    const bool published = std::any_of(config_.published.begin(), config_.published.end(),
                                       [](const auto& one) { return one.has_value(); });
    std::vector<report::TableColumn> columns{{"kind"}, {"convs", true}};
    for (const char* figure : {"mean", "sd", "max", "min"}) columns.push_back({figure, true, 9});
    if (published) columns.push_back({"published: mean, sd, max, min", false, 0, 1});
    report::FittedTable table(std::move(columns));
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const Statistics& s = statistics_[kind];
      if (s.count == 0) continue;
      std::vector<std::string> cells{kind_name(kind),
                                     std::to_string(s.count),
                                     fmt::format("{:+.3f}%", 100 * s.mean),
                                     fmt::format("{:.3f}%", 100 * s.sd),
                                     fmt::format("{:+.3f}%", 100 * s.max),
                                     fmt::format("{:+.3f}%", 100 * s.min)};
      if (const auto& p = config_.published[kind]) {
        cells.push_back(fmt::format("{:+.3g}%, {:.3g}%, {:+.3g}%, {:+.3g}%", p->mean, p->sd, p->max, p->min));
      } else if (published) {
        cells.emplace_back();
      }
      table.add(std::move(cells));
    }
    std::string text = fitted(table);
    if (published && !config_.published_source.empty()) text += "published: " + config_.published_source + "\n";
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
    for (const auto& bin : histogram_.bins) tallest = std::max(tallest, bin[0] + bin[1] + bin[2]);
    std::string text = fmt::format("{:<23}  {:>5}  {:>5}  {:>5}\n", "error", "F", "GI", "GW");
    for (std::size_t i = 0; i < histogram_.bins.size(); ++i) {
      const auto& bin = histogram_.bins[i];
      const auto edge = [&](std::size_t at) {
        return histogram_.width_percent * static_cast<double>(histogram_.first + static_cast<std::int64_t>(at));
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
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      for (std::size_t block = 0; block < pictures_[kind].size(); ++block) {
        const BlockPicture& p = pictures_[kind][block];
        if (p.count == 0) continue;
        const auto mean = [&](double sum) {
          return fmt::format("{:+.3f}%", sum * (100.0 / static_cast<double>(p.count)));
        };
        table.add({kind_name(kind), block_name(pairs_.front(), block), std::to_string(p.count), mean(p.error),
                   mean(p.work), mean(p.blocked), mean(p.starved), mean(p.idle)});
      }
    }
    return text + fitted(table) + "\n";
  }

  std::string worst_text() const {
    if (order_.empty()) return "";
    report::FittedTable table({{"layer"},
                               {"kind"},
                               {"kernel", false, 0, 2},
                               {validate::to_string(config_.model), true, 15},
                               {validate::to_string(config_.against), true, 15, 1},
                               {"error", true, 9}});
    for (const std::size_t i : order_) {
      const Pair& pair = pairs_[i];
      table.add({pair.layer.name, conv::to_string(pair.kind), pair.kernel, std::to_string(pair.model.cycles),
                 std::to_string(pair.against.cycles), fmt::format("{:+.3f}%", 100 * pair.error())});
      table.add_note(validate::reason(pair));
    }
    return "where the model is most wrong, and why\n" + fitted(table) + "\n";
  }

  std::string baseline_text() const {
    if (!baseline_) return "";
    if (baseline_->deviations.empty())
      return fmt::format("baseline     {}: every error is where it was\n", baseline_->file);
    std::string text = fmt::format("baseline     {}: {} differ\n", baseline_->file, baseline_->deviations.size());
    for (const validate::Deviation& one : baseline_->deviations) text += "  " + one.text() + "\n";
    return text;
  }

  std::string table() const {
    return head() + statistics_table() + histogram_text() + picture_text() +
           (view_.columns.empty() ? worst_text() : report::chosen_table(csv(), view_) + "\n") +
           (limits_ ? limits_text(pairs_, *limits_) : "") + baseline_text();
  }

  static Json measurement(const Pair& pair, const Measurement& m) {
    Json json{{"cycles", m.cycles}, {"limiter", block_name(pair, m.limiter)}};
    Json blocks = Json::object();
    for (std::size_t i = 0; i < m.work.size(); ++i) {
      if (!m.simulated) {
        blocks[block_name(pair, i)] = m.work[i];
        continue;
      }
      for (std::size_t a = 0; a < kActivityNames.size(); ++a) {
        blocks[block_name(pair, i)][kActivityNames[a]] = m.activities[i].cycles[a];
      }
    }
    json["blocks"] = blocks;
    if (m.repeats) json["repeats"] = true;
    return json;
  }

  static Json cause_json(const Pair& pair) {
    const Cause c = validate::cause(pair.model, pair.against);
    return {{"block", block_name(pair, c.block)},
            {"work", c.work},
            {"blocked", c.blocked},
            {"starved", c.starved},
            {"idle", c.idle}};
  }

  Json statistics_json() const {
    Json kinds = Json::object();
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const Statistics& s = statistics_[kind];
      if (s.count == 0) continue;
      Json json{{"convolutions", s.count}, {"mean", s.mean}, {"sd", s.sd}, {"max", s.max}, {"min", s.min}};
      if (const auto& p = config_.published[kind]) {
        json["published_percent"] = {{"mean", p->mean}, {"sd", p->sd}, {"max", p->max}, {"min", p->min}};
      }
      kinds[kind_name(kind)] = json;
    }
    return kinds;
  }

  Json json() const {
    Json json{
        {"schema", kValidateSchema},
        {"name", config_.name},
        {"rungs", {{"model", validate::to_string(config_.model)}, {"against", validate::to_string(config_.against)}}},
        {"statistics", statistics_json()}};
    json["histogram"] = {
        {"width_percent", histogram_.width_percent}, {"first", histogram_.first}, {"bins", histogram_.bins}};
    json["convolutions"] = Json::array();
    for (const Pair& pair : pairs_) {
      json["convolutions"].push_back({{"kernel", pair.kernel},
                                      {"layer", pair.layer.name},
                                      {"kind", conv::to_string(pair.kind)},
                                      {"error", pair.error()},
                                      {"model", measurement(pair, pair.model)},
                                      {"against", measurement(pair, pair.against)},
                                      {"cause", cause_json(pair)},
                                      {"reason", validate::reason(pair)}});
    }
    if (baseline_) json["baseline"] = baseline_json();
    if (limits_) json["limits"] = limits_json();
    return json;
  }

  Json baseline_json() const {
    Json list = Json::array();
    for (const validate::Deviation& one : baseline_->deviations) {
      list.push_back({{"kernel", one.kernel},
                      {"layer", one.layer},
                      {"kind", conv::to_string(one.kind)},
                      {"old", one.old_error ? Json(*one.old_error) : Json()},
                      {"new", one.new_error ? Json(*one.new_error) : Json()},
                      {"tolerance_percent", one.tolerance_percent}});
    }
    return {{"file", baseline_->file}, {"deviations", list}};
  }

  Json limits_json() const {
    Json totals = Json::object();
    for (const validate::LimitsVerdict::Total& total : limits_->totals) {
      totals[total.what] = {
          {"model", total.model}, {"against", total.against}, {"error", total.error()}, {"holds", total.holds}};
    }
    Json beyond = Json::array();
    for (const std::size_t i : limits_->beyond) {
      beyond.push_back({{"kernel", pairs_[i].kernel},
                        {"layer", pairs_[i].layer.name},
                        {"kind", conv::to_string(pairs_[i].kind)},
                        {"error", pairs_[i].error()}});
    }
    return {{"total_percent", limits_->limits.total},
            {"convolution_percent", limits_->limits.convolution},
            {"holds", limits_->holds()},
            {"totals", totals},
            {"beyond", beyond}};
  }

  std::string csv() const {
    std::string text = kValidateColumns;
    for (const Pair& pair : pairs_) {
      const Cause c = validate::cause(pair.model, pair.against);
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(pair.kernel), csv_field(pair.layer.name),
                      conv::to_string(pair.kind), pair.model.cycles, pair.against.cycles, pair.error(),
                      block_name(pair, pair.model.limiter), block_name(pair, pair.against.limiter),
                      block_name(pair, c.block), c.work, c.blocked, c.starved, c.idle);
    }
    return text;
  }

  const validate::ValidateConfig& config_;
  const std::vector<Pair>& pairs_;
  const std::optional<BaselineVerdict>& baseline_;
  const std::optional<validate::LimitsVerdict>& limits_;
  const TableView& view_;
  std::array<std::vector<double>, kKinds> errors_;
  std::array<Statistics, kKinds> statistics_;
  validate::Histogram histogram_;
  std::array<Pictures, kKinds> pictures_{};
  std::vector<std::size_t> order_;  // the worst, worst first
};

}  // namespace

std::string limits_text(const std::vector<Pair>& pairs, const validate::LimitsVerdict& verdict) {
  std::string totals;
  for (const validate::LimitsVerdict::Total& total : verdict.totals) {
    totals += fmt::format("{}{} {:+.3f}%{}", totals.empty() ? "" : ", ", total.what, 100 * total.error(),
                          total.holds ? "" : " EXCEEDED");
  }
  std::string each = "all are";
  if (!verdict.beyond.empty()) {
    const Pair& worst = pairs[verdict.beyond.front()];
    each = fmt::format("EXCEEDED by {} of {}, most by {} {} on {}, {:+.3f}%", verdict.beyond.size(), pairs.size(),
                       worst.layer.name, conv::to_string(worst.kind), worst.kernel, 100 * worst.error());
  }
  return fmt::format(
      "limits       sums of cycles within {}%: {}\n"
      "             each convolution within {}%: {}\n",
      verdict.limits.total, totals, verdict.limits.convolution, each);
}

Report report(const validate::ValidateConfig& config, const std::vector<Pair>& pairs, const Verdicts& verdicts,
              const TableView& view) {
  return Formatter(config, pairs, verdicts, view).report();
}

}  // namespace weft::tools
