#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/core/logic_use.h"
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

// A kernel, block by block.
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
