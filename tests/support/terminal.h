#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/run_binary.h"

namespace weft::test {

// Runs a program whose standard output, or standard error, or both, are a terminal of so many columns; what it writes
// there is `out`. The other of the two streams, if any, is `err`.
enum class OnTerminal { Both, Out, Err };
// Throws std::runtime_error where there are no pseudo-terminals.
Outcome run_on_terminal(int columns, OnTerminal which, const std::string& program,
                        const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                        const std::vector<std::string>& environment = {});

// Whether this machine has pseudo-terminals; a root without /dev/pts has none.
bool has_terminals();

}  // namespace weft::test
