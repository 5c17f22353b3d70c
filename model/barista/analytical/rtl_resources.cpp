#include "model/barista/analytical/rtl_resources.h"

#include <algorithm>

namespace weft::barista {

namespace {

// One entry per block; `weft synth --calibrate` writes the file.
const std::array<LogicForm, kRtlBlocks>& table() {
  static const std::array<LogicForm, kRtlBlocks> kTable{{
#include "model/barista/analytical/rtl_coefficients.inc"
  }};
  return kTable;
}

// True if a multiplier with `mul` and an adder with `add` registers meet the cycles of BAR-3 and BAR-4: each partial
// sum returns before its next product, within a tile and across tiles, and the final adds end within S1^2 cycles.
bool keeps_up(const Alpha& a, int partials, int mul, int add) {
  if (a.tp > a.partials && add + 1 > a.partials) return false;
  for (int k = 0; k < partials; ++k) {
    const Cycles last = a.tp - 1 - (a.tp - 1 - k) % a.partials;
    if (add + 1 > a.mesh_cycles() + k - last) return false;
  }
  return mul + add + (partials - 1) * (add + 1) <= a.final_add_cycles() - 1;
}

// Words of a beat of B that belong to one column.
std::int64_t words_of_column(const Alpha& a) {
  return ceil_div(a.band, a.tc);
}

// LUTs of the memories of A: for each row, two halves of the beats that hold words of the row.
std::int64_t a_tile_luts(const Alpha& a) {
  std::int64_t luts = 0;
  for (std::int64_t row = 0; row < a.tr; ++row) {
    const std::int64_t first = row * a.tp / a.band, last = (row * a.tp + a.tp - 1) / a.band;
    luts += lut_memory(std::int64_t{32} * a.band, 2 * (last - first + 1));
  }
  return luts;
}

// LUTs of the memories of B: for each column, its words; words of one beat share a memory line.
std::int64_t b_tile_luts(const Alpha& a) {
  const std::int64_t each = words_of_column(a);
  const std::int64_t depth = each > 1 ? a.b_tile_words() / a.band : a.tp;
  return a.tc * lut_memory(32 * each, 2 * depth);
}

}  // namespace

ElementPipelines element_pipelines(const Alpha& alpha) {
  ElementPipelines longest;
  longest.partials = std::min(alpha.partials, alpha.tp);
  for (const int mul : {0, 3}) {
    for (const int add : {0, 1, 2}) {
      if (!keeps_up(alpha, longest.partials, mul, add)) continue;
      longest.multiplier = mul;
      longest.adder = add;
    }
  }
  return longest;
}

std::vector<double> features(RtlBlock block, const Alpha& a) {
  const double tr = a.tr, tc = a.tc, band = a.band, elements = tr * tc;
  std::vector<double> f{1};
  const auto add = [&](double value) { f.push_back(value); };
  switch (block) {
    case RtlBlock::Registers:
      break;
    case RtlBlock::Launch: {  // the launch multiplies by Tr * Tc
      const Words words = a.c_tile_words();
      add((words & (words - 1)) != 0 ? 1 : 0);
      break;
    }
    case RtlBlock::AReader:
    case RtlBlock::BReader:
    case RtlBlock::CWriter:
    case RtlBlock::Wiring:
      add(band);
      break;
    case RtlBlock::AFill:
      add(static_cast<double>(index_bits(a.a_tile_words() / a.band)));
      break;
    case RtlBlock::BFill:
      add(static_cast<double>(index_bits(a.b_tile_words() / a.band)));
      break;
    case RtlBlock::ATile:  // each row selects one word of a beat
      add(tr);
      add(tr * band);
      add(tr * static_cast<double>(index_bits(a.tp)));
      break;
    case RtlBlock::BTile: {  // each column selects its words of a beat, then one of them
      const auto each = static_cast<double>(words_of_column(a));
      const double shifts = a.band % a.tc != 0 ? tc : 0;
      add(tc);
      add(tc * each);
      add(shifts * band);
      add(tc * static_cast<double>(index_bits(a.tp)));
      break;
    }
    case RtlBlock::Mesh: {
      const ElementPipelines p = element_pipelines(a);
      const double ago = tr + tc - 2 + p.multiplier + p.adder;
      add(ago);
      add(ago * static_cast<double>(index_bits(p.partials)));
      add(elements);
      add(p.multiplier == 0 ? elements : 0);
      add(p.adder < 2 ? elements : 0);
      add(p.adder < 1 ? elements : 0);
      add(elements * static_cast<double>(p.partials));
      break;
    }
    case RtlBlock::CTile:
      add(elements);
      break;
    case RtlBlock::Drain:  // selects one of Tr words: one LUT up to four words, a LUT tree up to eight, a chain above
      add(tc);
      add(a.tr > 4 ? tc : 0);
      add(a.tr > 8 ? elements : 0);
      break;
    case RtlBlock::Encode:
      return encode_features(a.tc, a.band);
    case RtlBlock::Fifos:
      break;
  }
  return f;
}

LogicUse memory_use(RtlBlock block, const Alpha& a) {
  LogicUse use;
  switch (block) {
    case RtlBlock::ATile:
      use.lut = a_tile_luts(a);
      break;
    case RtlBlock::BTile:
      use.lut = b_tile_luts(a);
      break;
    case RtlBlock::Fifos:
      for (const FifoId fifo : kFreeFifos) use.lut += fifo_luts(std::int64_t{32} * fifo_width(a, fifo), a.fifo[fifo]);
      break;
    default:
      break;
  }
  return use;
}

LogicUse synthesised(RtlBlock block, const Alpha& alpha) {
  LogicUse use = memory_use(block, alpha);
  use += coefficients(block).of(features(block, alpha));
  return use;
}

LogicUse synthesised(const Alpha& alpha) {
  LogicUse use;
  for (std::size_t i = 0; i < kRtlBlocks; ++i) use += synthesised(static_cast<RtlBlock>(i), alpha);
  return use;
}

const LogicForm& coefficients(RtlBlock block) {
  return table().at(static_cast<std::size_t>(block));
}

}  // namespace weft::barista
