#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "model/core/units.h"
#include "model/stream/observer.h"
#include "platform/run/record.h"
#include "workloads/network.h"

// Files that record a run cycle by cycle. Each constructor throws Error before any simulation if the run's rung has no
// cycles to show or a file cannot be written.
namespace weft::run {

// Waveforms of a run, and the GTKWave save file for them.
class RunWaves {
 public:
  virtual ~RunWaves() = default;
  virtual stream::Observer& observer() = 0;  // of the run's launches
  virtual void write() = 0;                  // after the run; without it no file remains
};

// Writes to `file` (FST) and a .gtkw next to it. `source`: the project; `cache`: where the writer library is built.
std::unique_ptr<RunWaves> open_waves(const std::string& file, const config::RunConfig& run,
                                     const std::filesystem::path& source, const std::filesystem::path& cache);

// Cycles [from, from + cycles) of the run's only convolution; launches of a grouped layer are concatenated.
struct TraceWindow {
  Cycles from = 0, cycles = 20'000;
};

// Trace of blocks and FIFOs in the window, written to `file` for ui.perfetto.dev: a track of states per block, a token
// count per FIFO; cycle k begins k kernel periods after 0, in whole nanoseconds, rounded down. Always simulated cycle
// by cycle, whatever the run's rung.
class RunTrace {
 public:
  // Also throws Error if the run has several convolutions.
  RunTrace(std::string file, const config::RunConfig& run, workloads::Network network, const TraceWindow& window);

  // Throws Error if the convolution ends before the window, or the trace becomes too large.
  void write() const;

 private:
  std::string file_;
  const config::RunConfig& run_;
  workloads::Network network_;
  TraceWindow window_;
};

// Activity of each block over each convolution of a run, in kActivityParts parts: part i covers the cycles from
// floor(i T / parts) to floor((i + 1) T / parts); launches of a grouped layer are concatenated.
inline constexpr Cycles kActivityParts = 200;

class RunActivity {
 public:
  RunActivity(std::string file, const config::RunConfig& run, workloads::Network network);

  // Returns the content of the file. Simulates on the run's rung with its workers.
  std::string count(const Record& result) const;
  void write(const std::string& content) const;

 private:
  std::string file_;
  const config::RunConfig& run_;
  workloads::Network network_;
};

}  // namespace weft::run
