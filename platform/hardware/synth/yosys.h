#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/core/logic_form.h"

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

// "Yosys 0.23 (...)". Throws Error if it does not start.
std::string yosys_version();

// The commands that map what was read to UltraScale+. `uram`: memories go to URAM; `flatten`: boundaries are dissolved.
std::string mapping_script(bool uram, bool flatten);

// A file's name as one word of a script.
std::string script_word(const std::filesystem::path& path);

// Runs `script` in the folder of `result`, for not every command takes a name with spaces, and then `last`, which ends
// the script with the name of a file in place of its "{}": what it writes there becomes `result`, whole or not at all.
// Throws Error with yosys' message.
void run_yosys(const std::string& script, const std::string& last, const std::filesystem::path& result);

// Maps `design` (RTLIL) by `script`; `result` has the cells by type, as `stat -json` counts them.
void map_module(const std::string& design, const std::string& script, const std::filesystem::path& result);

// The cells of such a result as resources: the modules in it together, black boxes not.
LogicUse read_cells(const std::filesystem::path& result);

}  // namespace weft::synth
