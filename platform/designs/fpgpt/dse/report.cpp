#include "platform/designs/fpgpt/dse/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/fpgpt/analytical/readings.h"
#include "platform/config/reader.h"
#include "platform/design/equations.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"

namespace weft::fpgpt::exploration {

using report::csv_field;
using report::equations_json;
using report::equations_text;
using report::shape_text;
using report::thousands;
using report::trimmed;

using fpgpt::dse::Design;
using fpgpt::dse::Optimum;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kOptimumCells = 13;  // of the table of optima

class Formatter {
 public:
  Formatter(const Exploration& exploration, const report::TableView& view)
      : e_(exploration), view_(view), frequency_(e_.config.run.kernel->clock) {}

  double seconds(Cycles cycles) const { return weft::seconds(cycles, frequency_); }
  double hours_per_epoch(Cycles iteration) const {
    return seconds(iteration) / 3600 * static_cast<double>(e_.config.run.iterations_per_epoch());
  }
  // The share of time beyond the optimal kernels.
  double loss(Cycles cycles) const {
    return static_cast<double>(cycles - e_.optimal_cycles()) / static_cast<double>(e_.optimal_cycles());
  }

  std::string table() const {
    return head() +
           (view_.columns.empty() ? optima_table() : report::chosen_table(csv_head(e_.config) + csv(), view_)) +
           optima_text() + sharing_table() + readings_table() + rerank_table();
  }

  Json json() const;
  std::string csv() const;

 private:
  std::string head() const {
    const DseConfig& c = e_.config;
    const auto limit = [](std::int64_t value) {
      return value >= config::kIntMax ? std::string("any") : thousands(value);
    };
    std::string text = fmt::format("{}: {} on {}, batch {}, {} MHz; budget DSP {}, BRAM18 {}, URAM {}\n", c.name,
                                   e_.network, c.run.board.name, c.run.batch, config::exact_text(frequency_),
                                   thousands(c.budget.dsp), thousands(c.budget.bram18), thousands(c.budget.uram));
    text += fmt::format("space: X up to {}, Y up to {}, {} to {} PEs, Z {}, storage {}", limit(c.space.max_x),
                        limit(c.space.max_y), thousands(c.space.min_pes), limit(c.space.max_pes),
                        c.space.z == fpgpt::dse::ZChoice::Searched ? "searched" : "fitted",
                        c.space.storage == fpgpt::dse::StorageChoice::Searched ? "searched" : "as the kernel says");
    const fpgpt::Readings usual = fpgpt::readings_of(kernel_of(c.run).profile);
    for (const fpgpt::ReadingDescriptor& each : fpgpt::reading_table()) {
      if (each.get(c.readings) != each.get(usual))
        text += fmt::format("; {} {}", each.key, fpgpt::chosen(each, c.readings));
    }
    return text + "\nequations: " + equations_text(design().equations_note(c.run)) + "\n\n";
  }

  std::string optima_table() const {
    report::FittedTable table({{"layer"},
                               {"kind", false, 4},
                               {"shape", false, 0, 7},
                               {"X", true, 4},
                               {"Y", true, 4},
                               {"Z", true, 4, 4},
                               {"cycles", true, 15},
                               {"time", true, 10, 1},
                               {"GOPS", true, 7, 5},
                               {"limiter", false, 15},
                               {"BRAM18", true, 6, 2},
                               {"URAM", true, 4, 3},
                               {"fit/arrays", true, 13, 6}});
    for (const Convolution& c : e_.convolutions) {
      const Optimum& optimum = e_.optimum(c);
      std::vector<std::string> cells{c.layer.name, conv::to_string(c.kind), shape_text(c.layer)};
      if (optimum.best.empty()) {
        cells.resize(kOptimumCells, "-");
        table.add(std::move(cells));
        table.add_note(misfit_text(optimum));
        continue;
      }
      const Design& d = optimum.best.front();
      const Cycles cycles = d.cycles * c.launches;
      for (const int axis : {d.alpha.x, d.alpha.y, d.alpha.z}) cells.push_back(std::to_string(axis));
      cells.insert(cells.end(), {thousands(cycles), fmt::format("{:.3f} s", seconds(cycles)),
                                 fmt::format("{:.2f}", gops(c.macs, cycles)), fpgpt::limiter_name(c.kind, d.limiter),
                                 std::to_string(d.bram18), std::to_string(d.uram),
                                 fmt::format("{}/{}", optimum.fitting, optimum.arrays)});
      table.add(std::move(cells));
    }
    return table.text(view_.width) +
           report::left_out_line(table, view_.width, "--columns chooses any that --format csv has");
  }

  std::string optima_text() const {
    const std::int64_t fitting = static_cast<std::int64_t>(e_.convolutions.size()) - e_.misfits();
    std::string text = fmt::format(
        "\noptimal      {} convolutions of {} shapes, each on its own kernel: {} cycles, {:.2f} s an iteration, {:.2f} "
        "hours an epoch of {} images (convolutions only)\n",
        fitting, e_.optima.size(), thousands(e_.optimal_cycles()), seconds(e_.optimal_cycles()),
        hours_per_epoch(e_.optimal_cycles()), thousands(e_.config.run.dataset_images));
    if (e_.misfits() > 0) {
      text += fmt::format(
          "misfits      {} of {} convolutions have no kernel within the budget and are in no figure below\n",
          e_.misfits(), e_.convolutions.size());
    }
    return text;
  }

  static std::string misfit_text(const Optimum& optimum) {
    if (optimum.arrays == 0) return "no array in the space";
    if (!optimum.smallest) return fmt::format("none of {} arrays has the DSPs", optimum.arrays);
    return fmt::format("no kernel fits: at least BRAM18 {}, URAM {}", optimum.smallest->bram18, optimum.smallest->uram);
  }

  double gops(std::int64_t macs, Cycles cycles) const { return 2e-9 * static_cast<double>(macs) / seconds(cycles); }

  std::string sharing_table() const {
    if (e_.sharing.empty()) return "";
    const bool minimum = e_.sharing.front().minimum.has_value();
    std::string text = "\nshared kernels: how many, with how much more time an iteration\n";
    text += trimmed(
        fmt::format("{:>8}  {:>20}  {:>20}", "penalty", "Algorithms 1 and 2", minimum ? "fewest there are" : ""));
    for (const Sharing& sharing : e_.sharing) {
      text += fmt::format("{:>7}%  {:>10}  {:>+7.2f}%", percent_text(sharing.limit), sharing.heuristic.kernels.size(),
                          100 * loss(sharing.heuristic.cycles));
      if (sharing.minimum) {
        const SharedKernels& fewest = *sharing.minimum;
        text += fmt::format("  {:>11}  {:>+7.2f}%", fewest.kernels.size(), 100 * loss(fewest.cycles));
        if (fewest.at_least < static_cast<std::int64_t>(fewest.kernels.size())) {
          text += fmt::format("  not proved: at least {}", fewest.at_least);
        }
      }
      text += "\n";
    }
    if (minimum && proved()) text += "the fewest are proved: no smaller number of kernels keeps the penalty\n";
    if (e_.config.published.kernels && whole()) {
      text += fmt::format("published: {} kernels with a penalty of zero{}\n", *e_.config.published.kernels, source());
    }
    return text;
  }

  // What others found is about all convolutions of the network.
  bool whole() const { return e_.config.run.only.everything() && e_.config.run.kinds == config::all_kinds(); }

  bool proved() const {
    return std::all_of(e_.sharing.begin(), e_.sharing.end(), [](const Sharing& s) {
      return s.minimum && s.minimum->at_least == static_cast<std::int64_t>(s.minimum->kernels.size());
    });
  }

  std::string source() const {
    return e_.config.published.source.empty() ? "" : " (" + e_.config.published.source + ")";
  }

  std::string readings_table() const {
    std::string text;
    if (const fpgpt::ReadingDescriptor* reading = e_.config.compared_reading) {
      text += fmt::format("\nhours an epoch, optimal kernels, by the reading of {} ({}, equations {})\n", reading->key,
                          reading->finding, reading->equations);
      for (const ReadingCycles& each : e_.readings) {
        text += fmt::format("{:>10}  {:>9.2f}", each.name, hours_per_epoch(each.cycles));
        if (each.misfits > 0) text += fmt::format("  without {} convolutions that do not fit", each.misfits);
        text += "\n";
      }
    }
    if (e_.config.published.hours_per_epoch && whole()) {
      text += fmt::format("{} {:>9.2f}{}\n", text.empty() ? "\npublished hours an epoch:" : " published ",
                          *e_.config.published.hours_per_epoch, source());
    }
    if (!text.empty()) {
      text += "convolutions only: without the host's layers, PCIe, launches and reconfigurations\n";
    }
    return text;
  }

  std::string rerank_table() const {
    if (e_.reranks.empty()) return "";
    const config::RunConfig& run = e_.config.rerank.run;
    std::string text = fmt::format("\nthe best {} by the equations, simulated ({} rung, batch {})\n",
                                   e_.config.rerank.count, config::to_string(run.rung), run.batch);
    report::FittedTable table({{"layer"},
                               {"kind", false, 4},
                               {"rank", true, 9},
                               {"X", true, 4},
                               {"Y", true, 4},
                               {"equations", true, 15, 1},
                               {"simulated", true, 15},
                               {"error", true, 8}});
    std::int64_t changed = 0;
    double largest_loss = 0;
    for (const Rerank& one : e_.reranks) {
      const Convolution& c = e_.convolutions[one.convolution];
      for (const RankedDesign& d : one.designs) {
        const double error = static_cast<double>(d.equations - d.simulated) / static_cast<double>(d.simulated);
        table.add({c.layer.name, conv::to_string(c.kind), fmt::format("{} -> {}", d.rank + 1, d.simulated_rank + 1),
                   std::to_string(d.design.alpha.x), std::to_string(d.design.alpha.y), thousands(d.equations),
                   thousands(d.simulated), fmt::format("{:+.2f}%", 100 * error)});
      }
      if (one.designs.front().rank != 0) ++changed;
      largest_loss = std::max(largest_loss, loss_of_first(one));
    }
    text += table.text(view_.width) + report::left_out_line(table, view_.width, "--format json has them");
    text += fmt::format(
        "the simulation prefers another kernel for {} of {} shapes; the equations' choice costs at most {:.2f}% more\n",
        changed, e_.reranks.size(), 100 * largest_loss);
    return text;
  }

  // What the equations' first costs beyond the simulation's first.
  static double loss_of_first(const Rerank& one) {
    const auto first =
        std::find_if(one.designs.begin(), one.designs.end(), [](const RankedDesign& d) { return d.rank == 0; });
    const Cycles best = one.designs.front().simulated;
    return static_cast<double>(first->simulated - best) / static_cast<double>(best);
  }

  Json shared_json(const SharedKernels& shared) const;
  Json rerank_json() const;
  Json settings_json() const;

  const Exploration& e_;
  const report::TableView& view_;
  Frequency frequency_;
};

Json alpha_json(const Alpha& alpha) {
  return {{"x", alpha.x},
          {"y", alpha.y},
          {"z", alpha.z},
          {"z_channel", alpha.z_channel},
          {"k_range", alpha.k_range},
          {"kern_words", alpha.kern_words},
          {"out_words", alpha.out_words},
          {"variant", fpgpt::to_string(alpha.variant)},
          {"storage",
           {{"inp", fpgpt::to_string(alpha.inp_storage)},
            {"kern", fpgpt::to_string(alpha.kern_storage)},
            {"out", fpgpt::to_string(alpha.out_storage)}}}};
}

Json design_json(conv::Kind kind, const Design& design) {
  Json json{{"cycles", design.cycles}, {"limiter", fpgpt::limiter_name(kind, design.limiter)}};
  json["kernel"] = alpha_json(design.alpha);
  json["resources"] = {{"dsp", design.dsp}, {"bram18", design.bram18}, {"uram", design.uram}};
  return json;
}

Json Formatter::settings_json() const {
  const DseConfig& c = e_.config;
  Json json{{"schema", kDseSchema},
            {"weft_version", WEFT_VERSION},
            {"exploration", c.name},
            {"network", e_.network},
            {"board", c.run.board.name},
            {"batch", c.run.batch},
            {"clock_mhz", config::exact_text(frequency_)},
            {"budget", {{"dsp", c.budget.dsp}, {"bram18", c.budget.bram18}, {"uram", c.budget.uram}}}};
  json.update(equations_json(design().equations_note(c.run)));
  return json;
}

Json Formatter::shared_json(const SharedKernels& shared) const {
  Json json{{"kernels", shared.kernels.size()}, {"cycles", shared.cycles}, {"loss", loss(shared.cycles)}};
  json["groups"] = Json::array();
  for (const fpgpt::dse::SharedKernel& kernel : shared.kernels) {
    Json group{{"cycles", kernel.cycles}, {"worst_penalty", kernel.worst_penalty}};
    group["kernel"] = alpha_json(kernel.alpha);
    for (const std::size_t item : kernel.items) {
      group["convolutions"].push_back(name_of(e_.convolutions[e_.sharing_items[item]]));
    }
    json["groups"].push_back(std::move(group));
  }
  return json;
}

Json Formatter::rerank_json() const {
  Json json{{"rung", config::to_string(e_.config.rerank.run.rung)}, {"batch", e_.config.rerank.run.batch}};
  json["convolutions"] = Json::array();
  for (const Rerank& one : e_.reranks) {
    Json convolution{{"convolution", name_of(e_.convolutions[one.convolution])},
                     {"loss_of_equations_choice", loss_of_first(one)}};
    for (const RankedDesign& d : one.designs) {
      Json design{{"rank", d.rank + 1},
                  {"simulated_rank", d.simulated_rank + 1},
                  {"equations_cycles", d.equations},
                  {"simulated_cycles", d.simulated}};
      design["kernel"] = alpha_json(d.design.alpha);
      convolution["designs"].push_back(std::move(design));
    }
    json["convolutions"].push_back(std::move(convolution));
  }
  return json;
}

Json Formatter::json() const {
  Json json = settings_json();
  json["optimal"] = {{"cycles", e_.optimal_cycles()},
                     {"conv_only_seconds_per_iteration", seconds(e_.optimal_cycles())},
                     {"conv_only_hours_per_epoch", hours_per_epoch(e_.optimal_cycles())},
                     {"convolutions", e_.convolutions.size()},
                     {"shapes", e_.optima.size()},
                     {"misfits", e_.misfits()}};
  json["sharing"] = Json::array();
  for (const Sharing& sharing : e_.sharing) {
    Json one{{"penalty_percent", static_cast<double>(sharing.limit.milli_percent) / 1000}};
    one["heuristic"] = shared_json(sharing.heuristic);
    if (sharing.minimum) {
      one["minimum"] = shared_json(*sharing.minimum);
      one["minimum"]["at_least"] = sharing.minimum->at_least;
    }
    json["sharing"].push_back(std::move(one));
  }
  for (const ReadingCycles& each : e_.readings) {
    json["hours_per_epoch_by_reading"][std::string(e_.config.compared_reading->key)][std::string(each.name)] = {
        {"cycles", each.cycles},
        {"conv_only_hours_per_epoch", hours_per_epoch(each.cycles)},
        {"misfits", each.misfits}};
  }
  const Published& published = e_.config.published;
  if (published.kernels) json["published"]["kernels"] = *published.kernels;
  if (published.hours_per_epoch) json["published"]["hours_per_epoch"] = *published.hours_per_epoch;
  if (!published.source.empty()) json["published"]["source"] = published.source;
  if (!e_.reranks.empty()) json["rerank"] = rerank_json();
  json["convolutions"] = Json::array();
  for (const Convolution& c : e_.convolutions) {
    const Optimum& optimum = e_.optimum(c);
    Json one{
        {"layer", c.layer.name},    {"kind", conv::to_string(c.kind)},  {"launches", c.launches},    {"macs", c.macs},
        {"arrays", optimum.arrays}, {"within_dsp", optimum.within_dsp}, {"fitting", optimum.fitting}};
    if (!optimum.best.empty()) one["optimal"] = design_json(c.kind, optimum.best.front());
    if (optimum.smallest) {
      one["smallest"] = {{"bram18", optimum.smallest->bram18}, {"uram", optimum.smallest->uram}};
    }
    json["convolutions"].push_back(std::move(one));
  }
  return json;
}

// The number (from 1) of the kernel that runs the convolution; 0 for none.
std::size_t kernel_number(const Exploration& e, const SharedKernels& shared, std::size_t convolution) {
  for (std::size_t k = 0; k < shared.kernels.size(); ++k) {
    for (const std::size_t item : shared.kernels[k].items) {
      if (e.sharing_items[item] == convolution) return k + 1;
    }
  }
  return 0;
}

std::string Formatter::csv() const {
  std::string text;
  for (std::size_t i = 0; i < e_.convolutions.size(); ++i) {
    const Convolution& c = e_.convolutions[i];
    const Optimum& optimum = e_.optimum(c);
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}", csv_field(e_.config.name), csv_field(e_.network),
                        csv_field(c.layer.name), conv::to_string(c.kind), c.layer.batch, c.launches, c.macs,
                        optimum.arrays, optimum.within_dsp, optimum.fitting);
    if (optimum.best.empty()) {
      text += std::string(18, ',');
    } else {
      const Design& d = optimum.best.front();
      const Alpha& a = d.alpha;
      const Cycles cycles = d.cycles * c.launches;
      text +=
          fmt::format(",{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", a.x, a.y, a.z, a.z_channel, a.k_range,
                      a.kern_words, a.out_words, fpgpt::to_string(a.variant), fpgpt::to_string(a.inp_storage),
                      fpgpt::to_string(a.kern_storage), fpgpt::to_string(a.out_storage), d.dsp, d.bram18, d.uram,
                      cycles, seconds(cycles), gops(c.macs, cycles), fpgpt::limiter_name(c.kind, d.limiter));
    }
    for (const Sharing& sharing : e_.sharing) {
      text += fmt::format(",{}", kernel_number(e_, sharing.heuristic, i));
      if (sharing.minimum) text += fmt::format(",{}", kernel_number(e_, *sharing.minimum, i));
    }
    text += "\n";
  }
  return text;
}

// Table 5.8 and Table 5.6 of several networks.
std::string comparison(const std::vector<Exploration>& explorations, const report::TableView& view) {
  report::FittedTable table({{"exploration", false, 20},
                             {"convs", true},
                             {"shapes", true, 0, 2},
                             {"Alg. 1+2", true},
                             {"fewest", true},
                             {"published", true, 0, 1},
                             {"hours/epoch", true},
                             {"published h", true, 0, 1}});
  for (const Exploration& e : explorations) {
    std::string heuristic = "-", fewest = "-";
    if (!e.sharing.empty() && e.sharing.front().limit.milli_percent == 0) {
      heuristic = std::to_string(e.sharing.front().heuristic.kernels.size());
      if (e.sharing.front().minimum) fewest = std::to_string(e.sharing.front().minimum->kernels.size());
    }
    const Published& published = e.config.published;
    table.add({e.config.name, std::to_string(e.convolutions.size()), std::to_string(e.optima.size()), heuristic, fewest,
               published.kernels ? std::to_string(*published.kernels) : "-",
               fmt::format("{:.2f}", Formatter(e, view).hours_per_epoch(e.optimal_cycles())),
               published.hours_per_epoch ? fmt::format("{:.2f}", *published.hours_per_epoch) : "-"});
  }
  return table.text(view.width) + report::left_out_line(table, view.width, "--format json has them") +
         "kernels with a penalty of zero; hours for the convolutions alone\n";
}

}  // namespace

std::string csv_head(const DseConfig& config) {
  std::string text =
      "exploration,network,layer,kind,batch,launches,macs,arrays,within_dsp,fitting,x,y,z,z_channel,k_range,"
      "kern_words,out_words,variant,inp_storage,kern_storage,out_storage,dsp,bram18,uram,cycles,time_s,gops,limiter";
  for (const fpgpt::dse::PenaltyLimit limit : config.penalties) {
    text += fmt::format(",kernel_at_{}", percent_text(limit));
    if (config.minimum) text += fmt::format(",minimum_kernel_at_{}", percent_text(limit));
  }
  return text + "\n";
}

report::Report report(const std::vector<Exploration>& explorations, const report::TableView& view) {
  report::Report report;
  Json list = Json::array();
  for (const Exploration& e : explorations) {
    const Formatter formatter(e, view);
    report.table += formatter.table();
    if (explorations.size() > 1) report.table += "\n";
    list.push_back(formatter.json());
    if (report.csv.empty()) report.csv = csv_head(e.config);
    report.csv += formatter.csv();
  }
  if (explorations.size() > 1) report.table += comparison(explorations, view);
  report.json = (explorations.size() == 1 ? list.front() : list).dump(2) + "\n";
  return report;
}

}  // namespace weft::fpgpt::exploration
