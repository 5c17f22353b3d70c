#include "model/barista/topology.h"

#include "model/core/topology.h"

namespace weft::barista {

const Topology& topology() {
  static const Topology table = topology_of(kBlockInfos, kFifoInfos, kPortInfos, kPeClassInfos);
  return table;
}

}  // namespace weft::barista
