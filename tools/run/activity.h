#pragma once

#include <string>
#include <vector>

#include "model/core/units.h"
#include "platform/config/run_config.h"

namespace weft::tools {

// What each block does over each convolution of a run, in kActivityParts parts: part i is of the cycles from
// floor(i T / parts) to floor((i + 1) T / parts), launches of a grouped layer one behind the other.
inline constexpr Cycles kActivityParts = 200;

class RunActivity {
 public:
  // Into `file`. Throws Error if the run's rung simulates nothing, or the file cannot be written.
  RunActivity(std::string file, const config::RunConfig& run);

  // The content of the file. `cycles`: of each row of the run's result. Simulates on the run's rung with its workers.
  std::string count(const std::vector<Cycles>& cycles) const;
  void write(const std::string& content) const;

 private:
  std::string file_;
  const config::RunConfig& run_;
};

}  // namespace weft::tools
