#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "model/core/units.h"
#include "model/stream/observer.h"
#include "platform/run/record.h"
#include "workloads/network.h"

// Files of what a run does cycle by cycle. Each constructor throws Error if the run's rung has no cycles to show, or
// a file cannot be written, before anything is simulated.
namespace weft::run {

// The waveforms of a run, and the save file that shows them.
class RunWaves {
 public:
  virtual ~RunWaves() = default;
  virtual stream::Observer& observer() = 0;  // of the run's launches
  virtual void write() = 0;                  // when it is done; nothing is left behind without it
};

// Into `file` (FST), and a .gtkw beside it. `source`: the project; `cache`: where the writer is built.
std::unique_ptr<RunWaves> open_waves(const std::string& file, const config::RunConfig& run,
                                     const std::filesystem::path& source, const std::filesystem::path& cache);

// Cycles [from, from + cycles) of the run's one convolution; those of launches of a grouped layer follow each other.
struct TraceWindow {
  Cycles from = 0, cycles = 20'000;
};

// What the blocks and FIFOs do in them, as a trace for ui.perfetto.dev in `file`: a track of states for each block, a
// count of tokens for each FIFO; a cycle is a nanosecond. They are simulated cycle by cycle, whatever the run's rung.
class RunTrace {
 public:
  // Throws Error, too, if the run has several convolutions.
  RunTrace(std::string file, const config::RunConfig& run, workloads::Network network, const TraceWindow& window);

  // Throws Error if the convolution ends before the window, or the trace becomes too large.
  void write() const;

 private:
  std::string file_;
  const config::RunConfig& run_;
  workloads::Network network_;
  TraceWindow window_;
};

// What each block does over each convolution of a run, in kActivityParts parts: part i is of the cycles from
// floor(i T / parts) to floor((i + 1) T / parts), launches of a grouped layer one after the other.
inline constexpr Cycles kActivityParts = 200;

class RunActivity {
 public:
  RunActivity(std::string file, const config::RunConfig& run, workloads::Network network);

  // The content of the file. Simulates on the run's rung with its workers.
  std::string count(const Record& result) const;
  void write(const std::string& content) const;

 private:
  std::string file_;
  const config::RunConfig& run_;
  workloads::Network network_;
};

}  // namespace weft::run
