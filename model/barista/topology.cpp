#include "model/barista/topology.h"

namespace weft::barista {

const Topology& topology() {
  static const Topology table{{kBlockInfos.begin(), kBlockInfos.end()},
                              {kFifoInfos.begin(), kFifoInfos.end()},
                              {kPortInfos.begin(), kPortInfos.end()},
                              {kPeClassInfos.begin(), kPeClassInfos.end()}};
  return table;
}

}  // namespace weft::barista
