#include "platform/designs/barista/dse/explorer.h"

#include <fmt/core.h>

#include <utility>

#include "platform/config/reader.h"
#include "platform/designs/barista/dse/explore.h"
#include "platform/designs/barista/dse/report.h"
#include "platform/designs/barista/dse/saved.h"
#include "platform/designs/barista/kernel_config.h"
#include "platform/dse/range_field.h"

namespace weft::barista::exploration {

namespace {

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
    return exploration::resolved_yaml(what);
  }
  std::vector<std::pair<std::string, std::string>> lines() const override {
    return {
        {"budget", fmt::format("DSP {}, BRAM18 {}", config.budget.dsp, config.budget.bram18)},
        {"space", fmt::format("Tr {}, Tc {}, Tp {}", weft::dse::range_text(config.r), weft::dse::range_text(config.c),
                              weft::dse::range_text(config.p))},
        {"minimize", config.objective == dse::Objective::Overall ? "transfers over PCIe and kernel" : "the kernel"}};
  }
  std::string csv_head() const override { return exploration::csv_head(); }

  DseConfig config;
};

class Result : public weft::dse::Explored {
 public:
  explicit Result(exploration::Exploration exploration) : exploration(std::move(exploration)) {}
  exploration::Exploration exploration;
};

void require_own(const config::KernelsOfDse& wanted) {
  if (wanted.own) return;
  throw config::error_at(wanted.place, "schedule.kernels",
                         "an exploration of barista shares no kernels; only own: true is possible");
}

class BaristaExplorer : public weft::dse::Explorer {
 public:
  std::unique_ptr<weft::dse::Exploration> load(const config::Study& study,
                                               const config::Library& library) const override {
    return std::make_unique<File>(read_dse(study, library));
  }
  void keep_only(config::Node&, const config::KernelsOfDse& wanted) const override { require_own(wanted); }
  std::unique_ptr<weft::dse::Explored> explore(const weft::dse::Exploration& exploration,
                                               const workloads::Network& network, const weft::dse::SimulatedCycles&,
                                               const weft::dse::Progress& progress) const override {
    return std::make_unique<Result>(
        exploration::explore(dynamic_cast<const File&>(exploration).config, network, progress));
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
    require_own(wanted);
    return own_kernels(kernel_of(run), json, file);
  }
};

}  // namespace

const weft::dse::Explorer& explorer() {
  static const BaristaExplorer explorer;
  return explorer;
}

}  // namespace weft::barista::exploration
