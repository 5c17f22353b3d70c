#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/fpgpt/analytical/rtl_resources.h"
#include "platform/rtl/rtl.h"
#include "platform/synth/netlist.h"

namespace weft::synth {

// A kernel to synthesise. `max_sets`: depth of the table of start(s).
struct Kernel {
  fpgpt::Alpha alpha;
  std::int64_t max_sets = 1;
};

using BlockUse = std::array<fpgpt::LogicUse, fpgpt::kRtlBlocks>;

// yosys on the RTL, for UltraScale+ (`synth_xilinx -family xcup`). Every module is synthesised on its own, once,
// whatever it is part of, and kept under a digest of the RTL, the module with its parameters, yosys' version and its
// script; what uses it counts it as often as it has it. So an array of any size costs one PE, nothing is optimised
// across modules, and the result for a module does not depend on what was synthesised before.
class Synthesis {
 public:
  using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

  // Runs up to `workers` yosys at a time, and calls `progress` a few times a second meanwhile. Throws Error if there is
  // no yosys.
  Synthesis(rtl::Workshop workshop, int workers, Progress progress = {});

  // Per kernel and block. `only`: just this block; the others are zero. Throws Error, with yosys' message, if it fails.
  std::vector<BlockUse> blocks(const std::vector<Kernel>& kernels, std::optional<fpgpt::RtlBlock> only = {});

  // The whole kernel with all module boundaries dissolved.
  fpgpt::LogicUse flattened(const Kernel& kernel);

 private:
  // What is synthesised: a module, in BRAM and LUTs or with its memory in URAM.
  struct Task {
    std::string module;
    bool uram = false;
    friend bool operator<(const Task& a, const Task& b) {
      return a.module != b.module ? a.module < b.module : a.uram < b.uram;
    }
  };
  using Tasks = std::map<Task, const Netlist*>;

  Netlist elaborate(const Kernel& kernel);
  void collect(const Netlist& netlist, const std::string& module, bool uram, Tasks& tasks) const;
  void synthesise(const Tasks& tasks);
  // Calls work(0) .. work(count - 1), and progress_ meanwhile.
  void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) const;
  fpgpt::LogicUse map(const Task& task, const Netlist& netlist) const;
  fpgpt::LogicUse use_of(const Netlist& netlist, const std::string& module, bool uram) const;
  BlockUse count(const Kernel& kernel, const Netlist& netlist, std::optional<fpgpt::RtlBlock> only) const;
  std::filesystem::path result_of(const Task& task) const;

  rtl::Workshop workshop_;
  int workers_;
  Progress progress_;
  std::string inputs_;  // the RTL's text and yosys' version: what every result depends on
  std::map<Task, fpgpt::LogicUse> own_;
};

}  // namespace weft::synth
