#include "model/core/topology.h"

namespace weft {

std::size_t find_output(const Topology& topology, std::string_view block) {
  std::size_t i = 0;
  while (i < topology.fifos.size() && topology.fifos[i].producer != block) ++i;
  return i;
}

std::string inputs_text(const Topology& topology, std::string_view block) {
  std::string text;
  const auto add = [&](const std::string& input) { text += (text.empty() ? "" : " or ") + input; };
  for (const FifoInfo& fifo : topology.fifos) {
    if (fifo.consumer == block) add(fifo.name);
  }
  for (const PortInfo& port : topology.ports) {
    if (port.block != block) continue;
    add((port.direction == PortDirection::Read ? "read data of port " : "write response of port ") +
        std::string(port.name));
  }
  return text;
}

std::string output_port_text(const Topology& topology, std::string_view block) {
  for (const PortInfo& port : topology.ports) {
    if (port.direction == PortDirection::Write && port.block == block) return std::string("port ") + port.name;
  }
  return "";
}

}  // namespace weft
