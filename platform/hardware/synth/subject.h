#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/conv/layer.h"
#include "platform/config/run_config.h"
#include "platform/hardware/rtl/rtl.h"
#include "platform/hardware/synth/line.h"
#include "platform/hardware/synth/netlist.h"

namespace weft::synth {

class Synthesis;

// What a kernel takes, block by block.
using BlockUse = std::vector<LogicUse>;

// A kernel to synthesise.
struct Kernel {
  rtl::Kernel rtl;
  std::vector<bool> in_uram;  // per block: its buffers lie in URAM
};

// A kernel whose sizes are known, and what the design says of it beside.
class PreparedKernel {
 public:
  virtual ~PreparedKernel() = default;
  virtual Kernel kernel() const = 0;
  virtual std::string text() const = 0;  // sizes and what else tells it from others, in a line
  virtual bool has_block(std::size_t block) const = 0;
  // The blocks that it has, or `only` one; without `only` the last line is their sum.
  virtual std::vector<Line> lines(const BlockUse& use, std::optional<std::size_t> only) const = 0;
};

// What a calibration of the design's own estimate gives.
struct Calibration {
  std::size_t blocks = 0, kernels = 0;                     // that were synthesised
  std::vector<std::pair<std::string, std::string>> files;  // by name
};

// A design with RTL, as synthesis counts it: block by block.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual const rtl::Sources& sources() const = 0;
  virtual std::vector<std::string_view> blocks() const = 0;
  // The block that an instance in the top module is part of, and the one that the top module itself is. Throws
  // std::logic_error for an instance that belongs to none.
  virtual std::size_t block_of(const Module::Instance& instance) const = 0;
  virtual std::size_t top_block() const = 0;
  // Whether a memory in an instance, anywhere below a block whose buffers lie in URAM, is one of these buffers.
  virtual bool is_buffer(const Module::Instance& instance) const = 0;

  // Sizes that are no numbers are fitted to the largest training convolution of `layers`, which is called only then.
  // Throws Error for a kernel that the RTL cannot be.
  virtual std::unique_ptr<PreparedKernel> sized(const config::Kernel& kernel,
                                                const std::function<std::vector<conv::Layer>()>& layers) const = 0;

  // Synthesises the kernels that the design's own estimate is fitted to, and fits it.
  virtual Calibration calibrate(Synthesis& synthesis) const = 0;
  // How wrong that estimate is on the kernels of the calibration in the project. Throws Error for a damaged file.
  virtual std::vector<CheckedKernel> calibration_errors(const std::filesystem::path& project) const = 0;
};

}  // namespace weft::synth
