#include "model/fpgpt/topology.h"

#include "model/core/topology.h"

namespace weft::fpgpt {

const Topology& topology() {
  static const Topology table = topology_of(kBlockInfos, kFifoInfos, kPortInfos, kPeClassInfos);
  return table;
}

const char* limiter_name(conv::Kind kind, Block limiter) {
  return kind != conv::Kind::GW && compute_bound(limiter) ? "compute" : to_string(limiter);
}

}  // namespace weft::fpgpt
