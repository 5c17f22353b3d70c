#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Measurements of a training, from which policies are replayed: CSV files whose first line names the columns. All
// functions here throw InputError with file, line and column.
namespace weft::precision {

// Number format of a convolution: bits of fixed point, or FP32.
using Level = int;
inline constexpr Level kFp32 = 32;
// Levels of a training that prunes: the format is the kernel's, and a convolution keeps some weights or all.
inline constexpr Level kPruned = 0, kDense = 64;

// Levels of MuPPET (chapter 3 of the thesis), lowest first.
inline std::vector<Level> thesis_levels() {
  return {8, 12, 14, 16, kFp32};
}

// Name as in kernel.format, "fxp8", "fp32"; or "pruned", "dense".
std::string level_name(Level level);
// Inverse of level_name() for formats; nothing for any other text.
std::optional<Level> parse_level(std::string_view text);

// Columns `epoch,diversity`: one row at the end of every `resolution` epochs, from the first on, without gaps.
struct DiversityTrace {
  struct Row {
    int line = 0, epoch = 0;
    double diversity = 0;
  };
  std::string file;
  std::vector<Row> rows;
};
DiversityTrace read_diversities(const std::filesystem::path& file, int resolution);

// Columns `epoch,tick,convolution,level,rae`: mean relative absolute error over a tick's iterations if the convolution
// were computed in that level. Sorted by epoch, tick, then ascending levels of each convolution.
struct ErrorTrace {
  using Errors = std::map<std::pair<std::size_t, Level>, double>;  // key: convolution and level
  struct Tick {
    int line = 0;  // first line of the tick
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
