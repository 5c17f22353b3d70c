#pragma once

#include <memory>
#include <string>

#include "model/core/units.h"
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

// Cycles [from, from + cycles) of the run's one convolution; those of launches of a grouped layer follow each other.
struct TraceWindow {
  Cycles from = 0, cycles = 20'000;
};

// What the blocks and FIFOs do in them, as a trace for ui.perfetto.dev in `file`: a track of states for each block, a
// count of tokens for each FIFO; a cycle is a nanosecond. They are simulated cycle by cycle, whatever the run's rung.
class RunTrace {
 public:
  // Throws Error if the run has several convolutions or no cycles, or the file cannot be written.
  RunTrace(std::string file, const config::RunConfig& run, const TraceWindow& window);

  // Throws Error if the convolution ends before the window, or the trace becomes too large.
  void write() const;

 private:
  std::string file_;
  const config::RunConfig& run_;
  TraceWindow window_;
};

}  // namespace weft::tools
