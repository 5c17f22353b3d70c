#pragma once

#include <functional>
#include <string>
#include <vector>

namespace weft::tools {

// Commands of the launcher ./weft, which the binary completes and refuses.
inline constexpr const char* kLauncherCommands[] = {"test", "install", "build",     "python",
                                                    "docs", "package", "new-design"};

struct OptionInfo {
  std::vector<std::string> names;  // "--set", "-s"
  bool takes_value = false;
};

struct CommandInfo {
  std::string name;
  std::vector<OptionInfo> options;  // without positional arguments
};

// `weft __complete WORD...`: completions of the last word after weft, one per line. A completion that ends in '.', '=',
// ':' or ',' is partial. Nothing if a file may follow or the words before are invalid.
std::vector<std::string> completions(const std::vector<CommandInfo>& commands, const std::vector<std::string>& words);

inline constexpr int kOk = 0;
inline constexpr int kUserError = 2;

// Action of the command line; it returns the exit code. Throws Error for an invalid command line.
std::function<int()> parse_command_line(int argc, char** argv);

}  // namespace weft::tools
