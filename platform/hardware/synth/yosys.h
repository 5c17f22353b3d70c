#pragma once

#include <filesystem>
#include <string>

#include "model/core/logic_use.h"

namespace weft::synth {

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
