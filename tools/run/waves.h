#pragma once

#include <memory>
#include <string>

#include "model/stream/observer.h"
#include "platform/config/run_config.h"

namespace weft::tools {

// The waveforms of a run, and the save file that shows them.
class RunWaves {
 public:
  virtual ~RunWaves() = default;
  virtual stream::Observer& observer() = 0;  // of the run's launches
  virtual void write() = 0;                  // when it is done; nothing is left behind without it
};

// Into `file` (FST), and a .gtkw beside it. Throws Error if the run's rung has no cycles to show or a file cannot be
// written, before anything is simulated.
std::unique_ptr<RunWaves> open_waves(const std::string& file, const config::RunConfig& run);

}  // namespace weft::tools
