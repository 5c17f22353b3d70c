#include "platform/designs/fpgpt/dse/explorer.h"

#include <fmt/core.h>

#include <utility>

#include "platform/designs/fpgpt/dse/explore.h"
#include "platform/designs/fpgpt/dse/kernel_set.h"
#include "platform/designs/fpgpt/dse/report.h"
#include "platform/designs/fpgpt/dse/saved.h"

namespace weft::fpgpt::exploration {

namespace {

std::string penalties_text(const DseConfig& config) {
  std::string text;
  for (const fpgpt::dse::PenaltyLimit limit : config.penalties) {
    text += fmt::format("{}{}%", text.empty() ? "" : ", ", static_cast<double>(limit.milli_percent) / 1000);
  }
  return text;
}

class File : public weft::dse::Exploration {
 public:
  explicit File(DseConfig config) : config(std::move(config)) {}

  const std::string& name() const override { return config.name; }
  const std::string& title() const override { return config.title; }
  const config::RunConfig& run() const override { return config.run; }
  std::string resolved_yaml(bool with_workers) const override {
    if (with_workers) return exploration::resolved_yaml(config);
    DseConfig what = config;
    what.run.workers.reset();
    what.rerank.run.workers.reset();
    return exploration::resolved_yaml(what);
  }
  std::vector<std::pair<std::string, std::string>> lines() const override {
    const std::string penalties = penalties_text(config);
    std::vector<std::pair<std::string, std::string>> lines{
        {"budget",
         fmt::format("DSP {}, BRAM18 {}, URAM {}", config.budget.dsp, config.budget.bram18, config.budget.uram)},
        {"space", fmt::format("X up to {}, Y up to {}, {} to {} PEs", config.space.max_x, config.space.max_y,
                              config.space.min_pes, config.space.max_pes)},
        {"sharing", penalties.empty() ? "none" : "penalties of " + penalties}};
    if (config.rerank.count > 0) {
      lines.emplace_back("rerank", fmt::format("the best {}, {} rung, batch {}", config.rerank.count,
                                               config::to_string(config.rerank.run.rung), config.rerank.run.batch));
    }
    return lines;
  }
  std::string csv_head() const override { return exploration::csv_head(config); }

  DseConfig config;
};

class Result : public weft::dse::Explored {
 public:
  explicit Result(exploration::Exploration exploration) : exploration(std::move(exploration)) {}
  exploration::Exploration exploration;
};

class FpgptExplorer : public weft::dse::Explorer {
 public:
  std::unique_ptr<weft::dse::Exploration> load(const config::Study& study,
                                               const config::Library& library) const override {
    return std::make_unique<File>(read_dse(study, library));
  }
  void keep_only(config::Node& file, const config::KernelsOfDse& wanted) const override {
    file.erase("rerank");
    std::vector<config::Node> penalties;
    if (!wanted.own) {
      penalties.push_back(
          config::scalar_node(fmt::format("{}", static_cast<double>(wanted.penalty_milli_percent) / 1000)));
    }
    file.set("penalties_percent", config::list_node(std::move(penalties)));
    file.set("compare_reading", config::scalar_node("none"));
  }
  std::unique_ptr<weft::dse::Explored> explore(const weft::dse::Exploration& exploration,
                                               const workloads::Network& network,
                                               const weft::dse::SimulatedCycles& simulate,
                                               const weft::dse::Progress& progress) const override {
    return std::make_unique<Result>(
        exploration::explore(dynamic_cast<const File&>(exploration).config, network, simulate, progress));
  }
  report::Report report(const std::vector<const weft::dse::Explored*>& explored,
                        const report::TableView& view) const override {
    std::vector<exploration::Exploration> explorations;
    explorations.reserve(explored.size());
    for (const weft::dse::Explored* each : explored) {
      explorations.push_back(dynamic_cast<const Result&>(*each).exploration);
    }
    return exploration::report(explorations, view);
  }
  std::unique_ptr<weft::dse::Explored> read(const weft::dse::Exploration& exploration,
                                            const workloads::Network& network, const std::string& json,
                                            const std::string& file) const override {
    return std::make_unique<Result>(
        read_exploration(dynamic_cast<const File&>(exploration).config, network, json, file));
  }
  weft::dse::KernelSet kernel_set(const std::string& json, const std::string& file, const config::KernelsOfDse& wanted,
                                  const config::RunConfig& run) const override {
    return exploration::kernel_set(json, file, wanted, kernel_of(run));
  }
};

}  // namespace

const weft::dse::Explorer& explorer() {
  static const FpgptExplorer explorer;
  return explorer;
}

}  // namespace weft::fpgpt::exploration
