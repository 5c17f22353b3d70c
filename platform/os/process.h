#pragma once

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace weft::os {

// Sees to it that the Debian packages of packages-LIST.txt are there before their programs are started: the launcher of
// the project in `source` installs those that are missing, and says so on standard error. Asks once per process and
// list. Throws Error if they cannot be installed.
void require_packages(const std::filesystem::path& source, const std::string& list);

// From now on SIGINT and SIGTERM are noted instead of ending the process, so that what is done can be kept; the second
// one ends it at once.
void watch_interrupts();

// The signal that was noted, 0 if none was.
const volatile std::sig_atomic_t& interrupt();

// `text` as one word of a shell's command.
std::string shell_word(const std::string& text);

// A program to run, without a shell between. Its standard input is empty.
struct Program {
  std::vector<std::string> words;     // its name, looked for in PATH unless it holds a slash, and its arguments
  std::filesystem::path folder = {};  // where it starts; empty: here
};

// Both wait for the program to end, and throw Error that names it if it does not start. An exit code of 128 and more is
// a signal's number beside the 128. Ctrl-C ends the program; this process, unless it handles SIGINT itself, goes on, so
// that the caller can clear away what is half done.

// What the program prints on either stream makes `log` anew, or goes to standard error where there is none. With a log,
// a line a minute on standard error says that it lives, unless that is a terminal.
int run(const Program& program, const std::filesystem::path& log = {});

struct Output {
  int exit_code = 0;
  std::string text;  // of both streams
};
Output output_of(const Program& program);

std::string host_name();  // of this machine

}  // namespace weft::os
