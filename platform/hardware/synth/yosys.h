#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/core/logic_form.h"

namespace weft::synth {

// One module of an elaborated design, as yosys writes it (RTLIL).
struct Module {
  std::string text;  // complete, in a form that does not depend on the rest of the design
  std::string stub;  // ports only: black box for modules that instantiate it
  struct Instance {
    std::string module;
    std::string name;  // without the surrounding generate blocks
  };
  std::vector<Instance> instances;
};

// All modules, by the names that yosys gave them, which include the parameters.
using Netlist = std::map<std::string, Module>;

// Reads RTLIL. The numbers in yosys' own names depend on everything read before, and its results depend on them: these
// names are renumbered within each module, and source locations are removed.
Netlist read_rtlil(const std::string& text);

// Returns "Yosys 0.23 (...)". Throws Error if yosys does not start.
std::string yosys_version();

// Commands that map a design to UltraScale+. `uram`: memories go to URAM; `flatten`: module boundaries are dissolved.
std::string mapping_script(bool uram, bool flatten);

// Quotes a file name as one word of a script.
std::string script_word(const std::filesystem::path& path);

// Runs `script` and then `last`, whose "{}" is replaced by a file name; that output becomes `result`, atomically. The
// working directory is the folder of `result`, because some commands accept no spaces in paths. Throws Error with
// yosys' message.
void run_yosys(const std::string& script, const std::string& last, const std::filesystem::path& result);

// Maps `design` (RTLIL) by `script`; `result`: the number of cells by type, as `stat -json` counts them.
void map_module(const std::string& design, const std::string& script, const std::filesystem::path& result);

// Resources of such a result: the sum over its modules, without black boxes.
LogicUse read_cells(const std::filesystem::path& result);

}  // namespace weft::synth
