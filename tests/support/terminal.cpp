#include "tests/support/terminal.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

namespace weft::test {

Outcome run_on_terminal(int columns, OnTerminal which, const std::string& program,
                        const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                        const std::vector<std::string>& environment) {
  const TemporaryDirectory other;
  const std::string file = (other.path() / "other").string();
  std::vector<std::string> words = joined({program}, arguments);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  winsize size{};
  size.ws_row = 50;
  size.ws_col = static_cast<unsigned short>(columns);
  int terminal = -1;
  const pid_t process = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (process < 0) throw std::runtime_error("no pseudo-terminal is to be had here");
  if (process == 0) {
    if (which != OnTerminal::Both) {
      const int to = ::open(file.c_str(), O_WRONLY | O_CREAT, 0600);
      ::dup2(to, which == OnTerminal::Out ? STDERR_FILENO : STDOUT_FILENO);
    }
    for (const std::string& each : environment) ::putenv(const_cast<char*>(each.c_str()));
    if (::chdir(directory.c_str()) != 0) ::_exit(127);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  Outcome outcome;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = ::read(terminal, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // EIO: the program is gone
    outcome.out.append(buffer.data(), static_cast<std::size_t>(got));
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  ::close(terminal);
  outcome.exit_code = exit_code(status);
  if (which != OnTerminal::Both) outcome.err = read_text_file(file);
  std::string text;  // a terminal's lines end in two characters
  for (std::size_t i = 0; i < outcome.out.size(); ++i) {
    if (outcome.out.compare(i, 2, "\r\n") != 0) text += outcome.out[i];
  }
  outcome.out = text;
  return outcome;
}

bool has_terminals() {
  int ours = -1, theirs = -1;
  if (::openpty(&ours, &theirs, nullptr, nullptr, nullptr) != 0) return false;
  ::close(ours);
  ::close(theirs);
  return true;
}

}  // namespace weft::test
