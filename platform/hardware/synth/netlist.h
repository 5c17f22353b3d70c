#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weft::synth {

// One module of an elaborated design, as yosys writes it (RTLIL).
struct Module {
  std::string text;  // whole, in a form that does not depend on what else was in the design
  std::string stub;  // ports only: a black box for the modules that use it
  struct Instance {
    std::string module;
    std::string name;  // without the generate blocks around it
  };
  std::vector<Instance> instances;
};

// All modules by the name that yosys gave them, which holds a module's parameters.
using Netlist = std::map<std::string, Module>;

// Reads RTLIL. The numbers in yosys' own names depend on everything that was read before, and its results depend on
// them: here they are numbered anew within each module, and places in source files are left out.
Netlist read_rtlil(const std::string& text);

}  // namespace weft::synth
