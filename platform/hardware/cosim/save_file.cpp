#include "platform/hardware/waves/save_file.h"

#include <fmt/core.h>

#include <algorithm>

#include "platform/hardware/cosim/lockstep.h"

namespace weft::cosim {

namespace {

using waves::Format, waves::Group;

constexpr Cycles kCyclesBefore = 60;  // left of the difference

// A signal of the RTL and one of u_model, with the display format of both; empty: none.
struct Pair {
  Format as;
  std::string rtl, model;
};

std::vector<Pair> pairs_of(const PortInfo& port) {
  const bool read = port.direction == PortDirection::Read;
  const std::string name = port.name, a = name + (read ? "_ar" : "_aw"), data = name + (read ? "_r" : "_w");
  std::vector<Pair> pairs{{Format::Bits, a + "valid_o", name + "_address"},
                          {Format::Bits, a + "ready_i", ""},
                          {Format::Hex, a + "addr_o", name + "_addr"},
                          {Format::Decimal, a + "len_o", name + "_beats"},
                          {Format::Bits, data + (read ? "valid_i" : "valid_o"), name + "_beat"},
                          {Format::Bits, data + (read ? "ready_o" : "ready_i"), ""}};
  if (!read) pairs.push_back({Format::Bits, name + "_bvalid_i", name + "_response"});
  return pairs;
}

}  // namespace

std::string save_file(const WrittenWaves& waves, const Topology& topology, const Verdict& verdict) {
  const Difference& difference = verdict.first;
  // Scope of the first signal whose name has `part`, up to the end of the part.
  const auto scope_of = [&](const std::string& part) -> std::string {
    for (const std::string& name : waves.names) {
      if (const std::size_t at = name.find(part); at != std::string::npos) return name.substr(0, at + part.size());
    }
    return "";
  };
  constexpr std::size_t kModel = 8;  // "u_model."
  std::string kernel = scope_of(".u_model.");
  kernel.resize(std::max(kernel.size(), kModel) - kModel);
  std::vector<Group> groups;
  const auto add = [&](Format as, const std::string& signal) {
    const std::string whole = kernel + signal;
    for (const std::string& name : waves.names) {
      const bool same =
          name.compare(0, whole.size(), whole) == 0 && (name.size() == whole.size() || name[whole.size()] == '[');
      if (same) return groups.back().signals.push_back({as, name});
    }
  };
  const auto add_group = [&](const std::string& title, bool differs, const std::vector<Pair>& pairs) {
    groups.push_back({title, {}});
    if (differs) groups.back().title = fmt::format("DIFFERENCE: {} {} {}", title, difference.signal, *difference.token);
    for (const Pair& pair : pairs) {
      add(pair.as, pair.rtl);
      if (!pair.model.empty()) add(pair.as, "u_model." + pair.model);
    }
    if (differs) std::rotate(groups.begin() + 1, groups.end() - 1, groups.end());
  };
  groups.emplace_back();
  add(Format::Decimal, "u_model.cycle");
  for (const FifoInfo& fifo : topology.fifos) {
    const std::string name = fifo.name, instance = "u_" + name;
    add_group("FIFO " + name, name == difference.fifo,
              {{Format::Bits, instance + ".push_i", name + "_push"},
               {Format::Bits, instance + ".pop_i", name + "_pop"},
               {Format::Hex, instance + ".data_i", name + "_data"}});
  }
  for (const PortInfo& port : topology.ports) {
    const bool differs = difference.fifo.empty() && difference.token && difference.block == port.block;
    add_group(fmt::format("AXI port {}", port.name), differs, pairs_of(port));
  }
  const auto start = [&](Cycles cycle) { return cycle_start(cycle, waves.clock); };
  waves::View view{waves.file, scope_of("." + difference.in.instance + "."), 1e6 / mhz(waves.clock), start(waves.from)};
  if (view.scope.empty() || difference.in.instance.empty()) view.scope = kernel;
  view.scope.resize(view.scope.size() - (view.scope.empty() ? 0 : 1));
  if (difference.cycle) {
    view.marker_ps = start(*difference.cycle);
    view.first_ps = start(std::max(waves.from, *difference.cycle - kCyclesBefore));
  }
  return waves::save_file(view, groups);
}

}  // namespace weft::cosim
