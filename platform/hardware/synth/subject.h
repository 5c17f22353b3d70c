#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/conv/convolution.h"
#include "platform/config/run_config.h"
#include "platform/hardware/rtl/rtl.h"
#include "platform/hardware/synth/line.h"
#include "platform/hardware/synth/netlist.h"

namespace weft::synth {

// What a kernel takes, block by block.
using BlockUse = std::vector<LogicUse>;

// A kernel to synthesise.
struct Kernel {
  rtl::Kernel rtl;
  std::vector<bool> in_uram;  // per block: its buffers lie in URAM
};

// A kernel whose sizes are known, and what the design says of it and of its blocks.
class PreparedKernel {
 public:
  virtual ~PreparedKernel() = default;
  virtual Kernel kernel() const = 0;
  virtual std::string text() const = 0;  // sizes and what else tells it from others, in a line
  virtual bool has_block(std::size_t /*block*/) const { return true; }
  // The design's own estimate: memories, which follow from their shapes, and linear forms of features.
  virtual LogicUse model(std::size_t block) const = 0;
  virtual LogicUse memory_use(std::size_t block) const = 0;
  virtual std::vector<double> features(std::size_t block) const = 0;
  // The publication's equations, of a block or of all together.
  virtual std::optional<Thesis> thesis(std::optional<std::size_t> block) const = 0;

  // As a kernel of the calibration: its cells below Subject::columns(), the file of the coefficients that it is fitted
  // for, and its text and fields in a report.
  virtual std::vector<std::string> cells() const = 0;
  virtual const char* coefficients() const { return "rtl_coefficients.inc"; }
  virtual CheckedKernel described() const = 0;
};
struct CalibrationKernel {
  std::shared_ptr<const PreparedKernel> kernel;
  bool test = false;  // kept out of the fit, to see its error
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

  // The design's own estimate is fitted to kernels that are synthesised. Their data and the coefficients lie in
  // `folder`, below the project; `columns`: those of the data that tell one from another, as "x,y,z".
  virtual const char* folder() const = 0;
  virtual const char* columns() const = 0;
  virtual std::vector<CalibrationKernel> calibration_kernels() const = 0;
  // The kernel of a line of the data. Throws Error that names `place`.
  virtual std::shared_ptr<const PreparedKernel> read(const std::vector<std::string>& cells,
                                                     const std::string& place) const = 0;
};

}  // namespace weft::synth
