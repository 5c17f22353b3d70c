#pragma once

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/number_format.h"
#include "model/core/resources.h"
#include "model/core/units.h"
#include "model/fpgpt/alpha.h"
#include "model/fpgpt/analytical/readings.h"

namespace weft::fpgpt {

// One kind of memory block, for words of one width (WPB and PPB of 5.17 and 5.21).
struct MemoryBlock {
  Words words = 0;
  int ports = 0;
};

// Returns the block for words of `word_bits`. BRAM18: 512 words of up to 36 bits, 1024 of 18, 2048 of 9. URAM: 4096
// words of up to 72 bits, never two words in one, because a partition is read one word at a time. A wider word takes
// several blocks in parallel, which leaves each block fewer words. A block of either kind has two ports.
MemoryBlock memory_block(Storage storage, int word_bits);

// DSPs of one PE: 9 in FP32, the thesis' average over its builds (5.3.10), 3 for fixed point (6.2.2).
int dsp_per_pe(NumberFormat format);

// One memory of the kernel, by 5.14 to 5.22.
struct MemoryUse {
  const char* name = "";  // "INP", "KERN (F/GI)", ...
  Storage storage = Storage::BRAM;
  Words partition_words = 0;                                                     // pmem, 5.14-5.16
  std::int64_t partitions = 0;                                                   // the factor in 5.18-5.20
  std::int64_t util = 0;                                                         // blocks per partition, 5.17
  std::int64_t mblocks = 0;                                                      // blocks for the words, 5.18-5.20
  std::int64_t ports = 0;                                                        // Z, Y or X
  std::int64_t pblocks = 0;                                                      // blocks for the ports, 5.21
  std::int64_t blocks() const { return mblocks > pblocks ? mblocks : pblocks; }  // 5.22
};

// Resources of a kernel. `memories`: INP, then KERN, then OUT; a kernel for both variants has both feeders and both
// constructors, with one entry for each of their memories. With reading::Resources::Synthesis the values are those of
// the RTL: LUTs and registers are known, a memory's partitions are the RAMs of the RTL, and small ones take no block.
struct Resources {
  std::int64_t dsp = 0;     // 9 X Y, or 3 X Y
  std::int64_t bram18 = 0;  // 5.22, left side
  std::int64_t uram = 0;
  std::optional<std::int64_t> lut = {}, ff = {};
  boost::container::static_vector<MemoryUse, 5> memories;  // allocates nothing: explorations make many
};

// The first overload sizes the memories by alpha: each feeder (constructor) of a kernel for both variants must then
// hold all of alpha's kern_words (out_words). The second sizes them by the convolutions that the kernel runs, as in
// 5.15 and 5.16: the same for one convolution, and less for a kernel for both variants. reading::OutStorage::Tensor
// needs the channels of OUT and has no effect on the first.
Resources resources(const Alpha& alpha, const Readings& readings = {});
Resources resources(const Alpha& alpha, const std::vector<conv::Convolution>& betas, const Readings& readings = {});

// Compares resources with a device's. The thesis' baseline is one super logic region of a U250 per subsystem: 3072 DSPs
// and 1344 BRAM18 (the thesis, section 5.6.4; readings F17 and F18).
ResourceReport compare(const Resources& resources, const Budget& budget);
// Returns fits(compare(resources, budget)). Makes no report, because explorations ask for each of their kernels.
bool fits(const Resources& resources, const Budget& budget);

}  // namespace weft::fpgpt
