#include "model/copy/analytical/rtl_resources.h"

namespace weft::copy {

const LogicForm& coefficients(RtlBlock block) {
  // One entry per block; `weft synth --calibrate` writes the file.
  static const std::array<LogicForm, kRtlBlocks> kTable{{
#include "model/copy/analytical/rtl_coefficients.inc"
  }};
  return kTable.at(static_cast<std::size_t>(block));
}

std::vector<double> features(RtlBlock block, const Alpha& alpha) {
  switch (block) {
    case RtlBlock::Reader:
    case RtlBlock::Writer:
      return {1, static_cast<double>(alpha.band)};
    default:
      return {1};
  }
}

LogicUse memory_use(RtlBlock block, const Alpha& alpha) {
  LogicUse use;
  if (block == RtlBlock::Fifo) use.lut = fifo_luts(std::int64_t{32} * alpha.band, alpha.fifo[FifoId::Beat]);
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

}  // namespace weft::copy
