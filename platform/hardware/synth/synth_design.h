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

// Published resource use of a block; nothing: not published.
struct Thesis {
  std::optional<std::int64_t> dsp, bram18, uram;
};

// A resource of an FPGA: its names in results, and its members.
struct Resource {
  const char *name, *model, *thesis;
  std::int64_t LogicUse::*use;
  std::optional<std::int64_t> Thesis::*of_thesis;  // null: never published
};
inline constexpr std::array<Resource, 5> kResources{
    {{"dsp", "dsp_model", "dsp_thesis", &LogicUse::dsp, &Thesis::dsp},
     {"lut", "lut_model", nullptr, &LogicUse::lut, nullptr},
     {"ff", "ff_model", nullptr, &LogicUse::ff, nullptr},
     {"bram18", "bram18_model", "bram18_thesis", &LogicUse::bram18, &Thesis::bram18},
     {"uram", "uram_model", "uram_thesis", &LogicUse::uram, &Thesis::uram}}};

// Report on one block or on the sum of all: resources by synthesis, by the design's own estimate, and as published.
struct Line {
  std::string block;
  LogicUse synthesised, model;
  std::optional<Thesis> thesis;

  std::optional<std::int64_t> by_thesis(const Resource& of) const {
    return of.of_thesis && thesis ? (*thesis).*of.of_thesis : std::nullopt;
  }
};

// Line of the CSV. The kernel as a whole has no estimate.
struct LineRow {
  const Line& line;
  bool has_model = true;
};
void fields(record::Visitor& io, LineRow& row);

struct SynthResult {
  std::string kernel;
  std::vector<std::string> changes;  // of the kernel, as given: "array.y=4"
  std::string board;
  LogicUse available;                 // resources that the board leaves to kernels; 0: none, or not stated
  std::vector<Line> blocks;           // the sum is last
  std::optional<LogicUse> flattened;  // the kernel without module boundaries
};
void fields(record::Visitor& io, SynthResult& result);

// A kernel synthesised to calibrate the estimate, or kept out of the fit to test it.
struct CheckedKernel {
  bool test = false;
  std::string text;             // one-line description
  record::Named<Value> fields;  // columns that distinguish it from the others
  LogicUse measured, model;
  std::string set() const { return test ? "test" : "fit"; }
};
void fields(record::Visitor& io, CheckedKernel& kernel);

// Line of the CSV.
struct CheckedRow {
  CheckedKernel kernel;
};
void fields(record::Visitor& io, CheckedRow& row);

// Resources of a kernel by block.
using BlockUse = std::vector<LogicUse>;

struct Kernel {
  rtl::Kernel rtl;
  std::vector<bool> in_uram;  // per block: true if its buffers are in URAM
};

// A kernel with known sizes, and the design's data on it and its blocks.
class PreparedKernel {
 public:
  virtual ~PreparedKernel() = default;
  virtual Kernel kernel() const = 0;
  virtual std::string text() const = 0;  // one line without the name: sizes and other distinguishing values
  // Why the columns of a report differ: the resources of a PE in the RTL, and the resources that the publication
  // counts.
  virtual std::string rtl_note() const = 0;
  virtual std::string thesis_note() const = 0;
  virtual bool has_block(std::size_t /*block*/) const { return true; }
  // The design's own estimate: memories, which follow from their shapes, and linear forms of features.
  virtual LogicUse model(std::size_t block) const = 0;
  virtual LogicUse memory_use(std::size_t block) const = 0;
  virtual std::vector<double> features(std::size_t block) const = 0;
  // The publication's equations for a block, or for the whole kernel.
  virtual std::optional<Thesis> thesis(std::optional<std::size_t> block) const = 0;

  // Data of a kernel of the calibration: its cells of SynthDesign::columns(), the file of coefficients that it is used
  // to fit, and its text and fields in a report.
  virtual std::vector<std::string> cells() const = 0;
  virtual const char* coefficients() const { return "rtl_coefficients.inc"; }
  virtual CheckedKernel described() const = 0;
};
// Lines of a report: why its columns differ, and why it has no clock.
std::string notes(const PreparedKernel& kernel);

struct CalibrationKernel {
  std::shared_ptr<const PreparedKernel> kernel;
  bool test = false;  // kept out of the fit, to measure its error
};

// A design with RTL, as synthesis counts it: block by block.
class SynthDesign {
 public:
  virtual ~SynthDesign() = default;
  virtual const rtl::Sources& sources() const = 0;
  virtual std::vector<std::string_view> blocks() const = 0;
  // Returns the block of an instance in the top module, and the block of the top module itself. Throws std::logic_error
  // for an instance that belongs to none.
  virtual std::size_t block_of(const Module::Instance& instance) const = 0;
  virtual std::size_t top_block() const = 0;
  // True if a memory in this instance, at any depth of a block whose buffers are in URAM, is one of these buffers.
  virtual bool is_buffer(const Module::Instance& instance) const = 0;

  // Prepares a kernel. Sizes without a number are fitted to the largest training convolution of `layers`, which is
  // called only then. Throws Error for a kernel that the RTL does not support.
  virtual std::unique_ptr<PreparedKernel> sized(const config::Kernel& kernel,
                                                const std::function<std::vector<conv::Layer>()>& layers) const = 0;

  // Data of the fit, in `folder` of the project with the coefficients: the kernels to synthesise. Small kernels
  // suffice, because the forms are linear in replicated elements. `columns`: the columns that distinguish kernels, as
  // "x,y,z".
  virtual const char* folder() const = 0;
  virtual const char* columns() const = 0;
  // Returns the kernel of a line of the data. Throws Error with `place`.
  virtual std::shared_ptr<const PreparedKernel> read(const std::vector<std::string>& cells,
                                                     const std::string& place) const = 0;
};

}  // namespace weft::synth
