#pragma once

#include <array>
#include <vector>

#include "model/conv/convolution.h"
#include "model/fpgpt/alpha.h"
#include "model/fpgpt/topology.h"
#include "model/memory/store.h"
#include "platform/design/row.h"

namespace weft::fpgpt {

// OUT of a convolution that has run against sums in double precision (fixed point: exact ones, cut to 32 bits) at up to
// 1024 outputs, and a digest of all of its words (FNV-1a). `channels`: what the memory channels hold.
design::DataCheck check_data(const Alpha& alpha, const conv::Convolution& convolution,
                             const std::vector<memory::Store>& channels,
                             const std::array<int, kPorts>& channel_of_port);

}  // namespace weft::fpgpt
