#include "platform/hardware/waves/save_file.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "model/core/error.h"

namespace weft::waves {

namespace {

constexpr std::uint64_t kGroupBegin = 0x800200, kGroupEnd = 0x1000200;
constexpr int kPixelsOfACycle = 8;

}  // namespace

std::string save_file(const View& view, const std::vector<Group>& groups) {
  // Zoom is the logarithm of the picoseconds per pixel. A primary marker and 26 others follow it.
  std::string text = fmt::format("[dumpfile] \"{}\"\n[timestart] {}\n[size] 1400 1000\n[pos] -1 -1\n*-{:.6f} {}",
                                 view.file, view.first_ps, std::log2(view.period_ps / kPixelsOfACycle), view.marker_ps);
  for (int marker = 0; marker < 26; ++marker) text += " -1";
  text += fmt::format("\n[treeopen] {}.\n", view.scope);
  for (const Group& group : groups) {
    if (!group.title.empty()) text += fmt::format("@{:x}\n-{}\n", kGroupBegin, group.title);
    for (const ShownSignal& each : group.signals) {
      text += fmt::format("@{:x}\n{}\n", static_cast<std::uint64_t>(each.as), each.name);
    }
    if (!group.title.empty()) text += fmt::format("@{:x}\n-{}\n", kGroupEnd, group.title);
  }
  return text;
}

void check_name(const std::string& option, const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension();
  if (extension == ".gtkw") {
    throw Error(fmt::format("{} {}: .gtkw is for the save file next to the waveforms; use .fst", option, file));
  }
  if (extension == ".vcd") {
    throw Error(
        fmt::format("{} {}: waveforms are written as FST, not VCD: use .fst, and GTKWave's fst2vcd if it must be VCD",
                    option, file));
  }
}

}  // namespace weft::waves
