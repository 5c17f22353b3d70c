#include "platform/hardware/rtl/package.h"

#include <fmt/core.h>

#include <cctype>
#include <vector>

#include "platform/os/content.h"

namespace weft::rtl {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSources = "rtl";  // folder of the package
constexpr const char* kRegisters = "REGISTERS.md";

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

std::string files_text(const Package& package, const std::string& name, const BuildContext& build_context) {
  const Files files = rtl::files(package.kernel.sources, build_context);
  std::string text;
  for (const auto* kind : {&files.waivers, &files.sources}) {
    for (const fs::path& file : *kind) text += fmt::format("{}/{}\n", kSources, file.filename().string());
  }
  return text + name + ".sv\n";
}

std::string constraints_text(const Package& package, const std::string& name) {
  const double mhz = weft::mhz(package.clock_mhz);
  return fmt::format(
      R"(# Constraints of {0}, as comments: the platform (v++) makes the clock and places the kernel. To build out
# of context, remove the hash before create_clock, set_false_path and set_property.
#
# Clock of the simulated kernel: {1:.6g} MHz.

# create_clock -period {2:.3f} -name {3} [get_ports {3}]

# The reset is synchronous and active low. The platform drives it, so its path from a pin is not timed.

# set_false_path -from [get_ports {4}]

# The device{5}:

# set_property PART {6} [current_project]
)",
      name, mhz, 1000 / mhz, kClockPin, kResetPin, package.part.empty() ? " is yours to choose" : " of the board",
      package.part.empty() ? "PART" : package.part);
}

// Beginning of the scripts: they change to their own folder.
constexpr const char* kShell = "#!/bin/sh\nset -eu\ncd -- \"$(dirname -- \"$0\")\"\n";

std::string verilator_text(const std::string& name) {
  return fmt::format(
      R"({0}# Lints the kernel; `sh verilator.sh build` also builds a C++ library in obj_dir (V{1}.h) for your own bench.
verilator --lint-only -Wall --assert -f files.f --top-module {1}
if [ "${{1-}}" = build ]; then
  verilator --cc --build -O3 -Wall --assert -f files.f --top-module {1} --Mdir obj_dir
fi
)",
      kShell, name);
}

std::string yosys_text(const Package& package, const std::string& name, const BuildContext& build_context) {
  std::string text = fmt::format("# Maps {} to the cells of UltraScale+, module by module, and counts them.\n", name);
  text += "read_verilog -sv -DSYNTHESIS";
  for (const fs::path& file : files(package.kernel.sources, build_context).sources) {
    text += fmt::format(" {}/{}", kSources, file.filename().string());
  }
  return text + fmt::format(
                    " {0}.sv\nhierarchy -check -top {0}\nsynth_xilinx -family xcup -noiopad -noclkbuf -top {0}\n"
                    "tee -o {0}.stat stat\nwrite_verilog -noattr {0}.netlist.v\n",
                    name);
}

std::string yosys_shell(const std::string& name) {
  return fmt::format(
      R"({0}# Takes minutes for a large array. Writes the cells used to {1}.stat and the netlist to {1}.netlist.v.
yosys -q -s synth.ys
)",
      kShell, name);
}

std::string readme_text(const Package& package, const std::string& name) {
  std::string text = fmt::format(R"(# {0}

The kernel of `{1}`, as weft simulates it and co-simulates it against its SystemC model.

| file | |
|---|---|
| {0}.sv | the module to use: pins by AMD's names, all parameters set |
| {2}/ | the design |
| files.f | all files, in the order in which they are read |
| constraints.xdc | clock, reset and device, as comments |
| verilator.sh | `sh verilator.sh` lints it; `sh verilator.sh build` compiles it |
| yosys.sh, synth.ys | `sh yosys.sh` synthesises it for UltraScale+ |
| kernel.xml | ports and arguments, to package it as an RTL kernel (`package_xo -kernel_xml kernel.xml`) |
| {3} | its registers |
| config.yaml | the run: `weft run config.yaml` counts its cycles, `weft cosim config.yaml --rtl .` compares this folder with the model |

| parameter | |
|---|---|
)",
                                 name, package.run, kSources, kRegisters);
  for (const Parameter& each : package.kernel.parameters) text += fmt::format("| {} | {} |\n", each.name, each.value);
  return text;
}

}  // namespace

std::string memory_port(const std::string& port) {
  return "m_axi_" + port;
}

std::string wrapper_name(const Package& package, const std::string& design, const BuildContext& build_context) {
  std::string name = design + "_";
  for (const char c : package.run) {
    const auto byte = static_cast<unsigned char>(c);
    // Names with two underscores in a row are reserved by Verilator.
    if (byte < 128 && std::isalnum(byte) != 0) {
      name += static_cast<char>(std::tolower(byte));
    } else if (name.back() != '_') {
      name += '_';
    }
  }
  if (name.back() == '_') name.pop_back();
  for (const fs::path& file : files(package.kernel.sources, build_context).sources) {
    if (file.stem() == name) return name + "_top";
  }
  return name;
}

std::string wrapper_text(const Package& package, const std::string& name) {
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
      package.kernel.sources.top, name, pins, package.kernel.sources.top, parameters, kWrapped, connections);
}

std::map<std::string, std::string> package_files(const Package& package, const std::string& name,
                                                 const BuildContext& build_context) {
  const fs::path source = folder(package.kernel.sources, build_context);
  std::map<std::string, std::string> all{{name + ".sv", wrapper_text(package, name)},
                                         {"files.f", files_text(package, name, build_context)},
                                         {"constraints.xdc", constraints_text(package, name)},
                                         {"verilator.sh", verilator_text(name)},
                                         {"synth.ys", yosys_text(package, name, build_context)},
                                         {"yosys.sh", yosys_shell(name)},
                                         {"kernel.xml", package.kernel_xml},
                                         {"config.yaml", package.config},
                                         {"README.md", readme_text(package, name)},
                                         {kRegisters, os::content(source / kRegisters)}};
  const Files files = rtl::files(package.kernel.sources, build_context);
  for (const auto* kind : {&files.waivers, &files.sources}) {
    for (const fs::path& file : *kind) {
      all.emplace(fmt::format("{}/{}", kSources, file.filename().string()), os::content(file));
    }
  }
  return all;
}

}  // namespace weft::rtl
