#pragma once

#include <functional>

namespace weft::tools {

inline constexpr int kOk = 0;
inline constexpr int kUserError = 2;

// What the command line asks for; the function's result is the exit code. Throws Error for one that is wrong.
std::function<int()> parse_command_line(int argc, char** argv);

}  // namespace weft::tools
