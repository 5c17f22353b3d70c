#include "tests/support/background.h"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace weft::test {

namespace fs = std::filesystem;

Background::Background(const std::string& program, const std::vector<std::string>& arguments, const fs::path& directory,
                       const std::vector<std::string>& environment) {
  process_ =
      spawn({program, arguments, directory, environment, true}, streams_.path() / "out", streams_.path() / "err");
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
  outcome.exit_code = exit_code(status_);
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
