#include "platform/hardware/rtl/package.h"

#include <fmt/core.h>

#include <vector>

#include "platform/os/content.h"

namespace weft::rtl {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSources = "rtl";  // folder of the package
constexpr const char* kRegisters = "REGISTERS.md";
constexpr const char* kContract = "CONTRACT.md";
constexpr const char* kOtherContract = "../fpgpt/CONTRACT.md";  // to which Barista's refers
// Texts of the package, in the project. @NAME@ and the like stand for values of the kernel.
constexpr const char* kTexts = "kernels/common/export";

// A pin of the kernel's top: PORT_NAME_i or PORT_NAME_o.
struct Pin {
  bool input;
  std::string bits;  // range, as "[31:0] "; empty: one bit
  const char* name;
};

std::string range(int bits) {
  return fmt::format("[{}:0] ", bits - 1);
}

std::vector<Pin> control_pins() {
  return {{true, "", "awvalid"},
          {false, "", "awready"},
          {true, range(kControlAddressBits), "awaddr"},
          {true, "", "wvalid"},
          {false, "", "wready"},
          {true, range(32), "wdata"},
          {true, range(4), "wstrb"},
          {false, "", "bvalid"},
          {true, "", "bready"},
          {false, range(2), "bresp"},
          {true, "", "arvalid"},
          {false, "", "arready"},
          {true, range(kControlAddressBits), "araddr"},
          {false, "", "rvalid"},
          {true, "", "rready"},
          {false, range(32), "rdata"},
          {false, range(2), "rresp"}};
}

std::vector<Pin> memory_pins(PortDirection direction, int band) {
  if (direction == PortDirection::Read) {
    return {{false, "", "arvalid"},
            {true, "", "arready"},
            {false, range(1), "arid"},
            {false, range(64), "araddr"},
            {false, range(8), "arlen"},
            {false, range(3), "arsize"},
            {false, range(2), "arburst"},
            {true, "", "rvalid"},
            {false, "", "rready"},
            {true, range(1), "rid"},
            {true, range(32 * band), "rdata"},
            {true, range(2), "rresp"},
            {true, "", "rlast"}};
  }
  return {{false, "", "awvalid"},
          {true, "", "awready"},
          {false, range(1), "awid"},
          {false, range(64), "awaddr"},
          {false, range(8), "awlen"},
          {false, range(3), "awsize"},
          {false, range(2), "awburst"},
          {false, "", "wvalid"},
          {true, "", "wready"},
          {false, range(32 * band), "wdata"},
          {false, range(4 * band), "wstrb"},
          {false, "", "wlast"},
          {true, "", "bvalid"},
          {false, "", "bready"},
          {true, range(1), "bid"},
          {true, range(2), "bresp"}};
}

// Returns the text with `value` in place of each @NAME@.
std::string filled(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    const std::string mark = "@" + name + "@";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

// Values of the texts in kTexts.
std::map<std::string, std::string> values_of(const Package& package, const Files& files) {
  const std::string& name = package.name;
  const bool has_part = !package.part.empty();
  std::string parameters, sources, ports, connections;
  for (const Parameter& each : package.kernel.parameters) {
    parameters += fmt::format("\n| {} | {} |", each.name, each.value);
  }
  for (const fs::path& file : files.sources) sources += fmt::format(" {}/{}", kSources, file.filename().string());
  for (std::size_t i = 0; i < package.topology->ports.size(); ++i) {
    const std::string port = memory_port(package.topology->ports[i].name);
    ports += " " + port;
    connections += fmt::format("sp={}_1.{}:DDR[{}]\n", name, port, package.channels.at(i));
  }
  return {{"NAME", name},
          {"RUN", package.run},
          {"PARAMETERS", parameters.substr(1)},
          {"SOURCES", sources.substr(1)},
          {"PORTS", ports.substr(1)},
          {"CONNECTIONS", connections},
          {"MHZ", fmt::format("{:.6g}", mhz(package.clock_mhz))},
          {"HZ", std::to_string(floor(package.clock_mhz * 1'000'000))},
          {"PERIOD_NS", fmt::format("{:.3f}", 1000 / mhz(package.clock_mhz))},
          {"OF_BOARD", has_part ? " of the board" : " is yours to choose"},
          {"PART", has_part ? package.part : "PART"},
          {"PART_OPTION", has_part ? " -part " + package.part : ""}};
}

}  // namespace

std::string memory_port(const std::string& port) {
  return "m_axi_" + port;
}

std::string wrapper_text(const Package& package) {
  struct Group {
    std::string outside, inside;
    std::vector<Pin> pins;
  };
  std::vector<Group> groups{{kControlPort, "s", control_pins()}};
  for (const PortInfo& port : package.topology->ports) {
    groups.push_back({memory_port(port.name), port.name, memory_pins(port.direction, package.band)});
  }
  std::string pins = fmt::format("  input  logic {},\n  input  logic {}", kClockPin, kResetPin);
  std::string connections = fmt::format("    .clk_i({}),\n    .rst_ni({})", kClockPin, kResetPin);
  for (const Group& group : groups) {
    for (const Pin& pin : group.pins) {
      pins += fmt::format(",\n  {} logic {}{}_{}", pin.input ? "input " : "output", pin.bits, group.outside, pin.name);
      connections +=
          fmt::format(",\n    .{0}_{1}_{2}({3}_{1})", group.inside, pin.name, pin.input ? 'i' : 'o', group.outside);
    }
  }
  std::string parameters;
  for (const Parameter& each : package.kernel.parameters) {
    parameters +=
        fmt::format("{}\n    .{}({}{})", parameters.empty() ? "" : ",", each.name, each.bit ? "1'b" : "", each.value);
  }
  return fmt::format(
      "// {} with its parameters set, and pins by the names that AMD's tools expect.\n"
      "module {} (\n{}\n);\n\n  {} #({}\n  ) {} (\n{}\n  );\n\nendmodule\n",
      package.kernel.sources.top, package.name, pins, package.kernel.sources.top, parameters, kWrapped, connections);
}

std::map<std::string, std::string> package_files(const Package& package, const BuildContext& build_context) {
  const Files files = rtl::files(package.kernel.sources, build_context);
  const std::map<std::string, std::string> values = values_of(package, files);
  const std::string wrapper = package.name + ".sv";
  std::map<std::string, std::string> all{
      {wrapper, wrapper_text(package)}, {"kernel.xml", package.kernel_xml}, {"config.yaml", package.config}};
  for (const auto* kind : {&files.waivers, &files.sources}) {
    for (const fs::path& file : *kind) {
      const std::string name = fmt::format("{}/{}", kSources, file.filename().string());
      all["files.f"] += name + "\n";
      all.emplace(name, os::content(file));
    }
  }
  all["files.f"] += wrapper + "\n";
  for (const auto& entry : fs::directory_iterator(build_context.source / kTexts)) {
    all.emplace(entry.path().filename(), filled(os::content(entry.path()), values));
  }
  // The folders are those of the project, so that references between these files hold.
  const fs::path source = folder(package.kernel.sources, build_context);
  all.emplace(std::string(kSources) + "/" + kRegisters, os::content(source / kRegisters));
  std::string contract = os::content(source.parent_path() / kContract);
  if (const std::size_t at = contract.find(kOtherContract); at != std::string::npos) {
    all.emplace(kOtherContract + 3, os::content(source.parent_path() / kOtherContract));
    contract.erase(at, 3);  // "../": a folder of the package
  }
  all.emplace(kContract, contract);
  return all;
}

}  // namespace weft::rtl
