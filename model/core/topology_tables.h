#pragma once

#include "model/core/topology.h"

namespace weft {

// The tables of a design as what is generic over designs takes them.
template <class Blocks, class Fifos, class Ports, class PeClasses>
Topology topology_of(const Blocks& blocks, const Fifos& fifos, const Ports& ports, const PeClasses& pe_classes) {
  return {{blocks.begin(), blocks.end()},
          {fifos.begin(), fifos.end()},
          {ports.begin(), ports.end()},
          {pe_classes.begin(), pe_classes.end()}};
}

}  // namespace weft
