#include "platform/designs/barista/dse/explorer.h"

#include <fmt/core.h>

#include <utility>

#include "platform/config/reader.h"
#include "platform/designs/barista/design.h"
#include "platform/designs/barista/dse/explore.h"
#include "platform/dse/range_field.h"

namespace weft::barista::exploration {

namespace {

class File : public weft::dse::Exploration {
 public:
  explicit File(DseConfig config) : config_(std::move(config)) {
    title = config_.title;
    run = config_.run;
    settings = weft::dse::settings_of(config_.name, run, design().equations_note(run), config_.budget);
    settings.budget.uram.reset();
    const bool overall = config_.objective == dse::Objective::Overall;
    settings.minimize = overall ? "overall" : "kernel";
    settings.watts = config_.watts;
    settings.tiles = 0;
    if (!config_.source.empty()) settings.source = config_.source;
    settings.searched = {"tile_r", "tile_c", "tile_p"};
    settings.space_text = fmt::format("Tr {}, Tc {}, Tp {}", weft::dse::range_text(config_.r),
                                      weft::dse::range_text(config_.c), weft::dse::range_text(config_.p));
    lines = {{"budget", fmt::format("DSP {}, BRAM18 {}", config_.budget.dsp, config_.budget.bram18)},
             {"space", settings.space_text},
             {"minimize", overall ? "transfers over PCIe and kernel" : "the kernel"}};
  }

  std::string resolved_yaml(bool with_workers) const override {
    DseConfig config = config_;
    if (!with_workers) config.run.workers.reset();
    return exploration::resolved_yaml(config);
  }
  weft::dse::Result explore(const workloads::Network& network, const weft::dse::SimulatedCycles&,
                            const weft::dse::Progress& progress) const override {
    return exploration::explore(config_, settings, network, progress);
  }

 private:
  DseConfig config_;
};

class BaristaExplorer : public weft::dse::Explorer {
 public:
  std::unique_ptr<weft::dse::Exploration> load(const config::Study& study,
                                               const config::Library& library) const override {
    return std::make_unique<File>(read_dse(study, library));
  }
  void keep_only(config::Node&, const config::KernelsOfDse& wanted) const override {
    weft::dse::require_own(wanted, design());
  }
  config::KernelPtr kernel_of(const weft::dse::Values& found, const config::RunConfig& run) const override {
    weft::dse::Values values = found;
    for (auto& each : values) each.first = "tile." + each.first.substr(each.first.find('_') + 1);
    return weft::dse::kernel_with(design(), *run.kernel, values);
  }
};

}  // namespace

const weft::dse::Explorer& explorer() {
  static const BaristaExplorer explorer;
  return explorer;
}

}  // namespace weft::barista::exploration
