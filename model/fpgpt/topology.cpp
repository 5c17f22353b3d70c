#include "model/fpgpt/topology.h"

namespace weft::fpgpt {

const Topology& topology() {
  static const Topology table{{kBlockInfos.begin(), kBlockInfos.end()},
                              {kFifoInfos.begin(), kFifoInfos.end()},
                              {kPortInfos.begin(), kPortInfos.end()},
                              {kPeClassInfos.begin(), kPeClassInfos.end()}};
  return table;
}

const char* limiter_name(conv::Kind kind, Block limiter) {
  return kind != conv::Kind::GW && compute_bound(limiter) ? "compute" : to_string(limiter);
}

}  // namespace weft::fpgpt
