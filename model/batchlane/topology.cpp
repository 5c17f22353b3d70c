#include "model/batchlane/topology.h"

namespace weft::batchlane {

const Topology& topology() {
  static const Topology table{{kBlockInfos.begin(), kBlockInfos.end()},
                              {kFifoInfos.begin(), kFifoInfos.end()},
                              {kPortInfos.begin(), kPortInfos.end()},
                              {kPeClassInfos.begin(), kPeClassInfos.end()}};
  return table;
}

}  // namespace weft::batchlane
