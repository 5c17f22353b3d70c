#include "tests/support/background.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace weft::test {

namespace fs = std::filesystem;

Background::Background(const std::string& program, const std::vector<std::string>& arguments, const fs::path& directory,
                       const std::vector<std::string>& environment) {
  const std::string out = (streams_.path() / "out").string(), err = (streams_.path() / "err").string();
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("cannot fork");
  if (process_ != 0) return;
  ::setpgid(0, 0);
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& each : arguments) words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(nullptr);
  const auto stream = [](const std::string& path, int flags, int number) {
    const int descriptor = ::open(path.c_str(), flags, 0666);
    if (descriptor < 0 || ::dup2(descriptor, number) < 0) ::_exit(127);
  };
  stream("/dev/null", O_RDONLY, STDIN_FILENO);
  stream(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  stream(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  for (const std::string& each : environment) ::putenv(const_cast<char*>(each.c_str()));
  if (::chdir(directory.c_str()) != 0) ::_exit(127);
  ::execvp(program.c_str(), words.data());
  ::_exit(127);
}

Background::~Background() {
  if (!ended_) {
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, &status_, 0);
  }
}

void Background::signal(int number) const {
  ::kill(process_, number);
}

bool Background::running() {
  if (!ended_ && ::waitpid(process_, &status_, WNOHANG) == process_) ended_ = true;
  return !ended_;
}

Outcome Background::wait() {
  if (!ended_) ::waitpid(process_, &status_, 0);
  ended_ = true;
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  outcome.out = read_text_file(streams_.path() / "out");
  outcome.err = read_text_file(streams_.path() / "err");
  return outcome;
}

std::vector<int> processes_with(const std::vector<std::string>& words) {
  std::vector<int> found;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator("/proc", code)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string line = read_text_file(entry.path() / "cmdline");
    const auto has = [&](const std::string& word) { return line.find(word) != std::string::npos; };
    if (std::all_of(words.begin(), words.end(), has)) found.push_back(std::atoi(name.c_str()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<int> children_of(int process) {
  const std::string id = std::to_string(process);
  std::istringstream list(read_text_file("/proc/" + id + "/task/" + id + "/children"));
  std::vector<int> children;
  for (int child = 0; list >> child;) children.push_back(child);
  return children;
}

bool eventually(const std::function<bool()>& condition, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace weft::test
