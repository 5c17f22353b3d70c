#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/barista/alpha.h"
#include "model/barista/analytical/equations.h"
#include "model/core/number_format.h"
#include "model/core/resources.h"
#include "platform/config/kernel_base.h"
#include "platform/config/run_config.h"

namespace weft::barista {

// Alternatives for what the thesis leaves open in Eqs. 4.1 to 4.13; the first of each is the default.
struct Readings {
  // V of Eq. 4.10. The text says 9; the 1286 DSPs of the published design, and <36,36,*> on 6840 DSPs, imply 5.
  enum class DspPerElement : std::uint8_t { Published, Text };
  // B_mem of Eq. 4.3: the peak of the memory channels that the ports use, or 105.3 Gb/s, with which the equations
  // reproduce Table 4.1.
  enum class MemoryBandwidth : std::uint8_t { Board, Fitted };
  // B_PCIe of Eq. 4.8: 54.6 Gb/s (fitted to the same table), or the line rate of the board's link.
  enum class PcieBandwidth : std::uint8_t { Fitted, Line };

  // Resource estimate: Eqs. 4.10 and 4.11, or the RTL as mapped by yosys, with LUTs and registers.
  enum class Resources : std::uint8_t { Thesis, Synthesis };
  // BRAM of Eq. 4.11: the blocks that hold its bits, or a block of its own for each memory that an element, a row or a
  // column of the mesh uses in one cycle, with A and B double buffered.
  enum class Bram : std::uint8_t { Bits, Banks };
  // WL of Eqs. 4.1, 4.2 and 4.11 in fixed point: the 32 bits that the kernel moves, or the bits of the format.
  enum class Wordlength : std::uint8_t { Memory, Format };

  DspPerElement dsp_per_element = DspPerElement::Published;
  MemoryBandwidth memory_bandwidth = MemoryBandwidth::Board;
  PcieBandwidth pcie_bandwidth = PcieBandwidth::Fitted;
  Resources resources = Resources::Thesis;
  Bram bram = Bram::Bits;
  Wordlength wordlength = Wordlength::Memory;
};

// Throws InputError for a key or value that does not exist.
Readings readings_of(const std::vector<config::ReadingChoice>& given);
// Returns every reading with its value, as a file would give it.
std::vector<config::ReadingChoice> all_readings(const Readings& readings);

int dsp_per_element(const Readings& readings, NumberFormat format);
int word_bits(const Readings& readings, NumberFormat format);
// BRAM18s by Eq. 4.11.
std::int64_t bram18(const Alpha& alpha, const Readings& readings);
// Throws Error for a kernel of fixed point with readings.resources synthesis, because the RTL is FP32.
ResourceReport resources(const Alpha& alpha, const Readings& readings, const Budget& budget);
Bandwidths bandwidths(const config::RunConfig& run, const Readings& readings);

// Published resource use of a kernel with these tiles on a board, in per cent of the board. Printed with ours;
// calibrates nothing.
struct PublishedResources {
  std::string board;
  int tr = 0, tc = 0, tp = 0;
  double dsp = 0, lut = 0, ff = 0, bram = 0;
  std::string source;
};

// A Barista kernel as given in its file.
class KernelConfig : public config::BandKernel<KernelConfig, kPortInfos, int> {
 public:
  static constexpr const char* kDesign = "barista";

  int tr = 16, tc = 16, tp = 64;
  std::optional<int> partials;  // nothing: that of the format
  NumberFormat format;
  FifoDepths fifo;
  std::optional<PublishedResources> published;

  std::vector<std::pair<const char*, int*>> fifo_depths();  // depths that a file may choose
  NumberFormat number_format() const override { return format; }
  std::int64_t peak_macs() const override { return std::int64_t{tr} * tc; }
  config::KernelText text() const override;
  std::vector<config::ReadingChoice> readings(const std::vector<config::ReadingChoice>& given) const override;

  static void fields(config::MapIo& io, KernelConfig& k);
};

Alpha alpha_of(const KernelConfig& kernel);
// Throws Error unless the kernel is FP32, as the RTL is. `what` needs the RTL.
void require_fp32(const Alpha& alpha, const char* what);
// The published resources with ours; nothing unless they are of this tile.
std::vector<std::string> published_lines(const config::RunConfig& run);

// The tile sizes, named as in the rows of results and samples.
std::vector<std::pair<std::string, Value>> tile_values(const Alpha& alpha);

}  // namespace weft::barista
