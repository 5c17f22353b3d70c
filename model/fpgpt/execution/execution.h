#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/core/units.h"
#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/execution/known_times.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/fpgpt/systemc/virtual_platform.h"
#include "model/memory/config.h"
#include "model/memory/store.h"

namespace weft::fpgpt {

// What the blocks have done by some cycle of a convolution, whatever its values are: stepped up to there when somebody
// asks.
class Progress {
 public:
  // Throws Error if the kernel does not hold beta.
  Progress(const Alpha& alpha, const conv::Convolution& beta, const memory::MemoryConfig& memory);

  // In the cycles before `cycle`, at most its last one. Asking for later and later cycles steps each once.
  const BlockActivities& before(Cycles cycle);

 private:
  void restart();

  Plan plan_;
  std::unique_ptr<memory::Memory> memory_;
  std::unique_ptr<exact::Clocked> clocked_;
};

// What differs first between fast and data execution, "cycles: fast 7, data 8"; empty: nothing does.
// All that both find, so without skipped_cycles.
std::string difference(const ConvolutionResult& fast, const ConvolutionResult& data);
// `fast` and `data` hold the words from address `first` on.
std::string difference(const std::vector<Word>& fast, const std::vector<Word>& data, Address first);

struct ExecutionSettings {
  bool data = false;                  // every word through every FIFO of the SystemC model; else fast
  int check_percent = 0;              // fast: of the launches, those that are executed both ways and compared; 0..100
  int threads = 1;                    // fast: at most so many; they change no byte
  Bytes most_bytes = Bytes{1} << 30;  // fast: what a thread may hold of a convolution; a larger one is executed in data
};

struct ExecutionCounts {
  std::int64_t launches = 0;
  std::int64_t simulated = 0;  // fast: times that had to be found, the others were known
  std::int64_t checked = 0;
  // fast: those that were not, because they are too large or because OUT shares words with what is read, so that only
  // the hardware's own order can tell their values.
  std::int64_t in_data = 0;
};

// Executes convolutions on what memory channels hold, as the kernel does: `data` in the SystemC model; `fast` with
// values by direct_convolution() and times by KnownTimes. Both give the same bytes, overflows, cycles, activities and
// port counts; only ConvolutionResult::skipped_cycles tells how they were found.
class Execution {
 public:
  // Builds the process's virtual platform if nobody has: before any simulation starts.
  explicit Execution(const ExecutionSettings& settings);

  // beta's bases are addresses in the channels of its ports, memory.port_channel, which are places in `channels`.
  // Throws Error, before anything is written, if the kernel does not hold beta, or if it would read or write beyond a
  // channel, beats to be discarded included; Mismatch, naming the convolution and where, if a check finds a difference;
  // Deadlock if nothing can ever move again.
  ConvolutionResult execute(const Alpha& alpha, const conv::Convolution& convolution,
                            const memory::MemoryConfig& memory, std::vector<memory::Store>& channels);

  const ExecutionCounts& counts() const { return counts_; }

 private:
  ConvolutionResult in_data(const Alpha& alpha, const conv::Convolution& beta, const memory::MemoryConfig& memory,
                            std::vector<memory::Store>& channels);
  // Both: the overflows.
  std::int64_t compute(const Alpha& alpha, const conv::Convolution& beta, const std::vector<int>& port_channel,
                       std::vector<memory::Store>& channels) const;
  std::int64_t in_parts(const conv::Convolution& beta,
                        const std::function<std::int64_t(int part, int parts)>& compute) const;
  ConvolutionResult checked(const Alpha& alpha, const conv::Convolution& beta, const memory::MemoryConfig& memory,
                            std::vector<memory::Store>& channels, const KnownTime& known);

  ExecutionSettings settings_;
  systemc::VirtualPlatform& platform_;
  KnownTimes times_;
  ExecutionCounts counts_;
};

}  // namespace weft::fpgpt
