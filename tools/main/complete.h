#pragma once

#include <string>
#include <vector>

#include "tools/main/command_tree.h"

namespace weft::tools {

// `weft __complete WORD...`: what the last of the words on a command line, behind weft, may go on as, one a line; what
// ends in '.', '=', ':' or ',' goes on. Nothing where files may stand, or where the line makes no sense so far.
std::vector<std::string> completions(const std::vector<CommandInfo>& commands, const std::vector<std::string>& words);

// `weft completion bash`: the script that asks for them.
std::string bash_completion();

}  // namespace weft::tools
