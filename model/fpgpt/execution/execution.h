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

// Activity of the blocks up to a cycle of a convolution, independent of its values; the kernel is stepped on request.
class Progress {
 public:
  // Throws Error if beta does not fit the kernel.
  Progress(const Alpha& alpha, const conv::Convolution& beta, const memory::MemoryConfig& memory);

  // Returns the activity in the cycles before `cycle`, at most T. Each cycle is stepped once if `cycle` only increases.
  const BlockActivities& before(Cycles cycle);

 private:
  void restart();

  Plan plan_;
  std::unique_ptr<memory::Memory> memory_;
  std::unique_ptr<exact::Clocked> clocked_;
};

// Returns the first difference between fast and data execution, e.g. "cycles: fast 7, data 8"; empty if there is none.
// Compares the values that both find, hence not skipped_cycles.
std::string difference(const ConvolutionResult& fast, const ConvolutionResult& data);
// `fast` and `data` hold the words from address `first` on.
std::string difference(const std::vector<Word>& fast, const std::vector<Word>& data, Address first);

struct ExecutionSettings {
  bool data = false;                  // every word through every FIFO of the SystemC model; else fast
  int check_percent = 0;              // fast: percentage of launches that are executed both ways and compared; 0..100
  int threads = 1;                    // fast: largest number of threads; it changes no byte
  Bytes most_bytes = Bytes{1} << 30;  // fast: largest memory of a thread; a larger convolution is executed in data
};

struct ExecutionCounts {
  std::int64_t launches = 0;
  std::int64_t simulated = 0;  // fast: times that had to be simulated because they were not known
  std::int64_t checked = 0;
  // fast: launches executed in data, because they are too large or because OUT shares words with INP or KERN, so that
  // values depend on the order of accesses in the hardware.
  std::int64_t in_data = 0;
};

// Executes convolutions on the contents of memory channels as the kernel does: `data` in the SystemC model; `fast` with
// values of direct_convolution() and times of KnownTimes. Both give the same bytes, overflows, cycles, activities and
// port counts; only ConvolutionResult::skipped_cycles differs.
class Execution {
 public:
  // Builds the process's virtual platform if there is none; must be called before any simulation starts.
  explicit Execution(const ExecutionSettings& settings);

  // Executes one convolution. beta's bases are addresses in the channels of its ports, memory.port_channel, which are
  // indices into `channels`. Throws Error, before anything is written, if beta does not fit the kernel or an access,
  // discarded beats included, is beyond a channel; Mismatch, naming convolution and place, if a check finds a
  // difference; Deadlock if nothing can ever move again.
  ConvolutionResult execute(const Alpha& alpha, const conv::Convolution& convolution,
                            const memory::MemoryConfig& memory, std::vector<memory::Store>& channels);

  const ExecutionCounts& counts() const { return counts_; }

 private:
  ConvolutionResult in_data(const Alpha& alpha, const conv::Convolution& beta, const memory::MemoryConfig& memory,
                            std::vector<memory::Store>& channels);
  // compute() and in_parts() return the overflows.
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
