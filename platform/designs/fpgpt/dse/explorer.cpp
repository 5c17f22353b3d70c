#include <fmt/core.h>

#include <utility>

#include "model/core/text.h"
#include "platform/config/reader.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/dse/explore.h"
#include "platform/designs/fpgpt/kernel_config.h"

namespace weft::fpgpt::exploration {

namespace {

std::string penalties_text(const DseConfig& config) {
  std::string text;
  for (const fpgpt::dse::PenaltyLimit limit : config.penalties) {
    text += fmt::format("{}{}%", text.empty() ? "" : ", ", percent_text(limit));
  }
  return text.empty() ? "none" : "penalties of " + text;
}

// The space, and the readings that differ from those of the kernel's profile.
std::string space_text(const DseConfig& config) {
  const fpgpt::dse::Space& space = config.space;
  const auto limit = [](std::int64_t value) {
    return value >= config::kIntMax ? std::string("any") : thousands(value);
  };
  std::string text = fmt::format(
      "X up to {}, Y up to {}, {} to {} PEs, Z {}, storage {}", limit(space.max_x), limit(space.max_y),
      thousands(space.min_pes), limit(space.max_pes), space.z == fpgpt::dse::ZChoice::Searched ? "searched" : "fitted",
      space.storage == fpgpt::dse::StorageChoice::Searched ? "searched" : "as the kernel says");
  const fpgpt::Readings usual = fpgpt::readings_of(fpgpt::KernelConfig::of(config.run).profile);
  for (const fpgpt::ReadingDescriptor& each : fpgpt::reading_table()) {
    if (each.get(config.readings) != each.get(usual)) {
      text += fmt::format("; {} {}", each.key, each.chosen(config.readings));
    }
  }
  return text;
}

weft::dse::Result settings_of(const DseConfig& config) {
  weft::dse::Result result =
      weft::dse::settings_of(config.name, config.run, design().equations_note(config.run), config.budget);
  for (const fpgpt::dse::PenaltyLimit limit : config.penalties) {
    weft::dse::Sharing& sharing = result.sharing.emplace_back();
    sharing.penalty_percent = static_cast<double>(limit.milli_percent) / 1000;
    if (config.minimum) sharing.minimum.emplace();
  }
  const Published& published = config.published;
  if (published.kernels || published.epoch_hours || !published.source.empty()) {
    result.published = {published.kernels, published.epoch_hours, {}};
    if (!published.source.empty()) result.published->source = published.source;
  }
  for (const auto& [name, parameter] : kernel_of(Alpha{})) {
    const auto* const parts = std::get_if<weft::dse::Parts>(&parameter);
    if (!parts) {
      result.searched.push_back(name);
    } else {
      for (const auto& part : parts->values) result.searched.push_back(name + "." + part.first);
    }
  }
  result.space_text = space_text(config);
  if (const fpgpt::ReadingDescriptor* reading = config.compared_reading) {
    result.compared_reading = fmt::format("{} ({}, equations {})", reading->key, reading->finding, reading->equations);
  }
  return result;
}

class File : public weft::dse::Exploration {
 public:
  explicit File(DseConfig config) : config_(std::move(config)) {
    title = config_.title;
    run = config_.run;
    const Budget& budget = config_.budget;
    const fpgpt::dse::Space& space = config_.space;
    lines = {{"budget", fmt::format("DSP {}, BRAM18 {}, URAM {}", budget.dsp, budget.bram18, budget.uram)},
             {"space", fmt::format("X up to {}, Y up to {}, {} to {} PEs", space.max_x, space.max_y, space.min_pes,
                                   space.max_pes)},
             {"sharing", penalties_text(config_)}};
    const RerankConfig& rerank = config_.rerank;
    if (rerank.count > 0) {
      lines.emplace_back("rerank", fmt::format("the best {}, {} rung, batch {}", rerank.count,
                                               config::to_string(rerank.run.rung), rerank.run.batch));
    }
    settings = settings_of(config_);
  }

  std::string resolved_yaml(bool with_workers) const override {
    DseConfig config = config_;
    if (!with_workers) {
      config.run.workers.reset();
      config.rerank.run.workers.reset();
    }
    return exploration::resolved_yaml(config);
  }
  weft::dse::Result explore(const workloads::Network& network, const weft::dse::SimulatedCycles& simulate,
                            const weft::dse::Progress& progress) const override {
    return exploration::explore(config_, settings, network, simulate, progress);
  }

 private:
  DseConfig config_;
};

class FpgptExplorer : public weft::dse::Explorer {
 public:
  std::unique_ptr<weft::dse::Exploration> load(const config::Experiment& experiment,
                                               const config::Library& library) const override {
    return std::make_unique<File>(read_dse(experiment, library));
  }
  config::Node describe() const override { return describe_dse(); }
  void keep_only(config::Node& file, const config::KernelsOfDse& wanted) const override {
    file.erase("rerank");
    std::vector<config::Node> penalties;
    if (!wanted.own) {
      penalties.push_back(config::scalar_node(percent_text({wanted.penalty_milli_percent})));
    }
    file.set("penalties_percent", config::list_node(std::move(penalties)));
    file.set("compare_reading", config::scalar_node("none"));
  }
  config::KernelPtr kernel_of(const weft::dse::Values& found, const config::RunConfig& run) const override {
    weft::dse::Values values = found;
    for (auto& [key, value] : values) {
      if (key == "x" || key == "y") key.insert(0, "array.");
      // A kernel for F and GI does not use K_range; 0 is not an allowed size.
      if (key == "k_range" && value == Value(std::int64_t{0})) value = std::string("auto");
    }
    return weft::dse::kernel_with(design(), *run.kernel, values);
  }
  const char* shared_kernels() const override { return "fewest-kernels"; }
};

}  // namespace

const weft::dse::Explorer& explorer() {
  static const FpgptExplorer explorer;
  return explorer;
}

}  // namespace weft::fpgpt::exploration
