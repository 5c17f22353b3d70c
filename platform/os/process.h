#pragma once

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace weft::os {

// Makes sure that the Debian packages of packages-LIST.txt are installed, for programs that are started later. In a
// checkout, the launcher of the project in `source` installs missing ones and reports that on standard error. An
// installed weft has no launcher: missing packages are an error that says how to install them. Runs once per process
// and list. Throws Error if they cannot be installed.
void require_packages(const std::filesystem::path& source, const std::string& list);

// From now on, SIGINT and SIGTERM are noted instead of ending the process, so that finished work can be kept; the
// second signal ends it at once.
void watch_interrupts();

// The noted signal; 0: none.
const volatile std::sig_atomic_t& interrupt();

// Returns `text` as one word of a shell command.
std::string shell_word(const std::string& text);

// A program that runs without a shell. Its standard input is empty.
struct Program {
  std::vector<std::string> words;     // name, searched in PATH unless it has a slash, and arguments
  std::filesystem::path folder = {};  // start folder; empty: the current one
};

// Both functions wait for the program's end, and throw Error that names it if it does not start. Exit code 128 + N
// means signal N. Ctrl-C ends the program; this process goes on, unless it handles SIGINT itself, so that the caller
// can remove unfinished files.

// Writes both streams of the program to `log`, which is replaced, or to standard error if there is none. With a log, a
// line per minute on standard error says that the program still runs, unless standard error is a terminal.
int run(const Program& program, const std::filesystem::path& log = {});

struct Output {
  int exit_code = 0;
  std::string text;  // of both streams
};
Output output_of(const Program& program);

std::string host_name();  // of this machine

}  // namespace weft::os
