#include "model/batchlane/topology.h"

#include "model/core/topology.h"

namespace weft::batchlane {

const Topology& topology() {
  static const Topology table = topology_of(kBlockInfos, kFifoInfos, kPortInfos, kPeClassInfos);
  return table;
}

}  // namespace weft::batchlane
