#include "model/core/topology.h"

#include <fmt/core.h>

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

std::string deadlock_text(const Topology& topology, Cycles now, const std::vector<Activity>& last,
                          const std::function<int(std::size_t)>& depth) {
  // The root causes are blocks whose full output nobody will empty; all other waits follow from them.
  std::string text = fmt::format("the {} cannot make progress in cycle {}:", topology.unit, now);
  for (std::size_t i = 0; i < topology.blocks.size(); ++i) {
    const char* const block = topology.blocks[i].name;
    if (last[i] == Activity::Blocked) {
      text += fmt::format(" {} waits for", block);
      const std::size_t fifo = find_output(topology, block);
      text += fifo < topology.fifos.size()
                  ? fmt::format(" room in FIFO {} (depth {});", topology.fifos[fifo].name, depth(fifo))
                  : fmt::format(" {};", output_port_text(topology, block));
    } else if (last[i] == Activity::Starved) {
      text += fmt::format(" {} waits for {};", block, inputs_text(topology, block));
    }
  }
  text.back() = '.';
  return text;
}

}  // namespace weft
