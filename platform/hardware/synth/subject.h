#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/logic_form.h"
#include "platform/config/kernel.h"
#include "platform/hardware/rtl/rtl.h"
#include "platform/hardware/synth/yosys.h"
#include "platform/record/record.h"

namespace weft {

void fields(record::Visitor& io, LogicUse& use);

}  // namespace weft

namespace weft::synth {

// What a publication says of a block; nothing where it says nothing.
struct Thesis {
  std::optional<std::int64_t> dsp, bram18, uram;
};

// A resource of an FPGA: its names in results, and where it stands.
struct Resource {
  const char *name, *model, *thesis;
  std::int64_t LogicUse::*use;
  std::optional<std::int64_t> Thesis::*of_thesis;  // null: of no publication
};
inline constexpr std::array<Resource, 5> kResources{
    {{"dsp", "dsp_model", "dsp_thesis", &LogicUse::dsp, &Thesis::dsp},
     {"lut", "lut_model", nullptr, &LogicUse::lut, nullptr},
     {"ff", "ff_model", nullptr, &LogicUse::ff, nullptr},
     {"bram18", "bram18_model", "bram18_thesis", &LogicUse::bram18, &Thesis::bram18},
     {"uram", "uram_model", "uram_thesis", &LogicUse::uram, &Thesis::uram}}};

// What is reported of one block, or of all together: what was synthesised, the design's own estimate, and what its
// publication says.
struct Line {
  std::string block;
  LogicUse synthesised, model;
  std::optional<Thesis> thesis;

  std::optional<std::int64_t> by_thesis(const Resource& of) const {
    return of.of_thesis && thesis ? (*thesis).*of.of_thesis : std::nullopt;
  }
};

struct SynthResult {
  std::string kernel;
  std::vector<Line> blocks;           // the sum last
  std::optional<LogicUse> flattened;  // the kernel as one
};
void fields(record::Visitor& io, SynthResult& result);

// A kernel that was synthesised to calibrate the estimate, or kept out of that to check it.
struct CheckedKernel {
  bool test = false;
  std::string text;             // what it is, in a line
  record::Named<Value> fields;  // columns that tell it from the others
  LogicUse measured, model;
  std::string set() const { return test ? "test" : "fit"; }
};
void fields(record::Visitor& io, CheckedKernel& kernel);
}  // namespace weft::synth

namespace weft::synth {

// What a kernel takes, block by block.
using BlockUse = std::vector<LogicUse>;

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

  // The design's own estimate is fitted to kernels that are synthesised: those of the data that lie with the
  // coefficients in `folder`, below the project. Small kernels suffice, for the forms are linear in what is replicated.
  // `columns`: those of the data that tell one kernel from another, as "x,y,z".
  virtual const char* folder() const = 0;
  virtual const char* columns() const = 0;
  // The kernel of a line of the data. Throws Error that names `place`.
  virtual std::shared_ptr<const PreparedKernel> read(const std::vector<std::string>& cells,
                                                     const std::string& place) const = 0;
};

}  // namespace weft::synth
