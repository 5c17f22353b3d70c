#include "model/fpgpt/execution/difference.h"

#include <fmt/core.h>

#include <algorithm>

namespace weft::fpgpt {

std::string difference(const ConvolutionResult& fast, const ConvolutionResult& data) {
  const auto unequal = [](const std::string& what, std::int64_t a, std::int64_t b) {
    return a == b ? std::string() : fmt::format("{}: fast {}, data {}", what, a, b);
  };
  std::vector<std::string> all{unequal("cycles", fast.cycles, data.cycles),
                               unequal("drain cycles", fast.drain_cycles, data.drain_cycles),
                               unequal("overflows", fast.overflows, data.overflows)};
  for (std::size_t block = 0; block < kBlocks; ++block) {
    for (std::size_t i = 0; i < kActivities; ++i) {
      all.push_back(unequal(fmt::format("{} {}", to_string(static_cast<Block>(block)), kActivityNames.at(i)),
                            fast.activities.at(block).cycles.at(i), data.activities.at(block).cycles.at(i)));
    }
  }
  for (std::size_t i = 0; i < kPeClasses; ++i) {
    all.push_back(
        unequal(fmt::format("PE-cycles {}", kPeClassInfos.at(i).name), fast.pe_cycles.at(i), data.pe_cycles.at(i)));
  }
  for (std::size_t port = 0; port < kPorts; ++port) {
    for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
      all.push_back(unequal(fmt::format("{} {}", to_string(static_cast<Port>(port)), field.name),
                            fast.ports.at(port).*field.count, data.ports.at(port).*field.count));
    }
  }
  const auto first = std::find_if(all.begin(), all.end(), [](const std::string& each) { return !each.empty(); });
  if (first != all.end()) return *first;
  return fast.limiter == data.limiter ? "" : fmt::format("limiter: fast {}, data {}", fast.limiter, data.limiter);
}

std::string difference(const std::vector<Word>& fast, const std::vector<Word>& data, Address first) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (fast[i] == data[i]) continue;
    return fmt::format("address {:#x}: fast {:08X}, data {:08X}", first + static_cast<Address>(4 * i), fast[i].bits,
                       data[i].bits);
  }
  return "";
}

}  // namespace weft::fpgpt
