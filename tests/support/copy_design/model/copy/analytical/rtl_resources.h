#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/copy/alpha.h"
#include "model/core/logic_form.h"

// Resources of a kernel's RTL per block on UltraScale+, as yosys maps it. The FIFO's memory follows from its shape.
// LUTs and registers are linear forms whose coefficients `weft synth --calibrate` fits to synthesised kernels.
namespace weft::copy {

// A block of the RTL, the unit of resource counting.
enum class RtlBlock : std::uint8_t {
  Registers,  // AXI4-Lite registers and activity counters
  Reader,
  Fifo,
  Writer,
  Wiring  // the top module, with the launch
};
inline constexpr std::size_t kRtlBlocks = 5;
inline constexpr std::array<std::string_view, kRtlBlocks> kRtlBlockNames{"registers", "reader", "fifo", "writer",
                                                                         "wiring"};

// Inputs of the block's linear forms. The first is always 1; count and order are the same for every alpha.
std::vector<double> features(RtlBlock block, const Alpha& alpha);
// LUTs of the FIFO's memory.
LogicUse memory_use(RtlBlock block, const Alpha& alpha);
// All resources: memory_use plus the linear forms.
LogicUse synthesised(RtlBlock block, const Alpha& alpha);
LogicUse synthesised(const Alpha& alpha);
// Coefficients of the block's linear forms, one per feature.
const LogicForm& coefficients(RtlBlock block);

}  // namespace weft::copy
