#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What a training measured, for the policies to be replayed from: files of comma-separated values whose first line
// names the columns. All of these throw InputError that names file, line and column.
namespace weft::precision {

// What a convolution is computed in: fixed point of so many bits, or FP32.
using Level = int;
inline constexpr Level kFp32 = 32;

// Of MuPPET (chapter 3 of the thesis), lowest first.
inline std::vector<Level> thesis_levels() {
  return {8, 12, 14, 16, kFp32};
}

// As kernel.format spells it: "fxp8", "fp32".
std::string level_name(Level level);
// What level_name() gives; nothing for any other text.
std::optional<Level> parse_level(std::string_view text);

// Columns `epoch,diversity`: the ends of every `resolution` epochs, from the first on, none left out.
struct DiversityTrace {
  struct Row {
    int line = 0, epoch = 0;
    double diversity = 0;
  };
  std::string file;
  std::vector<Row> rows;
};
DiversityTrace read_diversities(const std::filesystem::path& file, int resolution);

// Columns `epoch,tick,convolution,level,rae`: the mean relative absolute error of a tick's iterations, had the
// convolution been computed in that level. Epochs ascend, within them ticks, within a tick the levels of a convolution.
struct ErrorTrace {
  using Errors = std::map<std::pair<std::size_t, Level>, double>;  // of convolution and level
  struct Tick {
    int line = 0;  // the first
    Errors errors;
  };
  std::string file;
  std::map<std::pair<int, int>, Tick> ticks;  // by epoch and tick
  int last_line = 0;
};
// `convolutions`: their names, by index.
ErrorTrace read_errors(const std::filesystem::path& file, const std::vector<std::string>& convolutions,
                       const std::vector<Level>& levels, int ticks_per_epoch);

}  // namespace weft::precision
