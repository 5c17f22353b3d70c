#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/hardware/synth/synth_design.h"

namespace weft::synth {

// yosys on the RTL, for UltraScale+ (`synth_xilinx -family xcup`). Every module is synthesised once, on its own, and
// cached; the cache key is a digest of the RTL, the module with its parameters, yosys' version and its script. A parent
// counts a module once per instance. So an array of any size costs one PE, nothing is optimised across modules, and a
// module's result does not depend on earlier syntheses.
class Synthesis {
 public:
  using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

  // Runs up to `workers` yosys at a time, and meanwhile calls `progress` a few times a second. Throws Error if yosys is
  // not installed.
  Synthesis(const SynthDesign& synth_design, rtl::BuildContext build_context, int workers, Progress progress = {});

  // Resources by kernel and block. `only`: just this block; the others are zero. Throws Error with yosys' message.
  std::vector<BlockUse> blocks(const std::vector<Kernel>& kernels, std::optional<std::size_t> only = {});

  // Resources of the whole kernel with all module boundaries dissolved.
  LogicUse flattened(const Kernel& kernel);

 private:
  // A module to synthesise: in BRAM and LUTs, or with its memory in URAM.
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
  // Calls work(0) .. work(count - 1) on workers, and progress_ meanwhile.
  void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) const;
  LogicUse map(const Task& task, const Netlist& netlist) const;
  LogicUse use_of(const Netlist& netlist, const std::string& module, bool uram) const;
  BlockUse count(const Kernel& kernel, const Netlist& netlist, std::optional<std::size_t> only) const;
  std::filesystem::path result_of(const Task& task) const;

  const SynthDesign& synth_design_;
  rtl::BuildContext build_context_;
  int workers_;
  Progress progress_;
  std::string inputs_;  // cache key common to all results: the RTL's text and yosys' version
  std::map<Task, LogicUse> own_;
};

}  // namespace weft::synth
