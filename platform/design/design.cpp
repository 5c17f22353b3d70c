#include "platform/design/design.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/memory/speed_bin.h"
#include "platform/config/board.h"
#include "platform/config/compose.h"
#include "platform/config/reader.h"

namespace weft::design {

Changed Changed::to(config::RunConfig run) {
  return {std::move(run), ""};
}
Changed Changed::impossible(std::string why) {
  return {std::nullopt, std::move(why)};
}

namespace {

Changed with_ideal_memory(const config::RunConfig& run) {
  const auto* ideal = std::get_if<config::IdealMemory>(&run.board.memory);
  if (ideal && ideal->latency_cycles == 0) return Changed::impossible("the memory is ideal");
  config::RunConfig changed = run;
  changed.board.memory = config::IdealMemory{0};
  std::vector<std::string>& assumed = changed.board.assumed;
  assumed.erase(std::remove_if(assumed.begin(), assumed.end(),
                               [](const std::string& key) { return key.rfind("memory", 0) == 0; }),
                assumed.end());
  return Changed::to(std::move(changed));
}

Changed with_faster_ddr(const config::RunConfig& run) {
  const auto* ddr4 = std::get_if<config::Ddr4Memory>(&run.board.memory);
  if (!ddr4) return Changed::impossible(fmt::format("the memory is {}", config::kind_name(run.board.memory)));
  const memory::SpeedBin& fastest = memory::speed_bins().back();
  if (ddr4->data_rate_mtps >= fastest.rate_mtps) {
    return Changed::impossible(
        fmt::format("the memory runs at {} MT/s, and no bin is faster", config::exact_text(ddr4->data_rate_mtps)));
  }
  // Merged as if a file gave another rate, so that the timings are those of its bin.
  config::Node rate = config::map_node();
  rate.set("data_rate_mtps", config::scalar_node(config::exact_text(fastest.rate_mtps)));
  config::RunConfig changed = run;
  changed.board.memory =
      config::read_memory(config::merge(config::write_memory(run.board.memory), rate, "memory"), "memory");
  return Changed::to(std::move(changed));
}

Changed with_faster_clock(const config::RunConfig& run) {
  const std::shared_ptr<config::Kernel> kernel = run.kernel->copy();
  kernel->clock *= 2;
  config::RunConfig changed = run;
  changed.kernel = kernel;
  return Changed::to(std::move(changed));
}

}  // namespace

Counterfactual ideal_memory() {
  return {"ideal_memory", "every port has a memory of its own that gives and takes a beat a cycle at once",
          with_ideal_memory, Counterfactual::Use::Bound};
}

Counterfactual faster_ddr() {
  return {"faster_ddr", fmt::format("DDR4-{}, the fastest bin", memory::speed_bins().back().nominal_mtps),
          with_faster_ddr, Counterfactual::Use::Question};
}

Counterfactual faster_clock() {
  Counterfactual change{"faster_clock", "twice the kernel's clock", with_faster_clock, Counterfactual::Use::Question};
  change.caveat = "needs timing closure";
  return change;
}

std::string equations_text(const EquationsNote& note) {
  std::string text;
  for (const config::ReadingChoice& each : note.followed) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", each.key, each.value);
  }
  if (!text.empty()) text = fmt::format("for {} read with {}; ", note.kernel, text);
  return text + "they do not know " + config::join(note.unknown);
}

}  // namespace weft::design
