#pragma once

#include <functional>
#include <string>
#include <vector>

namespace weft::tools {

struct OptionInfo {
  std::vector<std::string> names;  // "--set", "-s"
  bool takes_value = false;
};

struct CommandInfo {
  std::string name;
  std::vector<OptionInfo> options;  // arguments without a flag are none
};

// `weft __complete WORD...`: what the last of the words on a command line, behind weft, may go on as, one a line; what
// ends in '.', '=', ':' or ',' goes on. Nothing where files may stand, or where the line makes no sense so far.
std::vector<std::string> completions(const std::vector<CommandInfo>& commands, const std::vector<std::string>& words);

// `weft completion bash`: the script that asks for them.
std::string bash_completion();

inline constexpr int kOk = 0;
inline constexpr int kUserError = 2;

// What the command line asks for; the function's result is the exit code. Throws Error for one that is wrong.
std::function<int()> parse_command_line(int argc, char** argv);

}  // namespace weft::tools
