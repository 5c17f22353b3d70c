#include "tests/support/run_binary.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace weft::test {

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (fs::temp_directory_path() / "weft test XXXXXX").string();  // users' paths may have spaces
  if (!::mkdtemp(name.data())) throw std::runtime_error("cannot create a temporary directory");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path TemporaryDirectory::write(const std::string& name, const std::string& content) const {
  fs::path path = path_ / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::vector<std::string> TemporaryDirectory::listing() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(path_)) {
    names.push_back(entry.path().lexically_relative(path_).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_text_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

int spawn(const Program& program, const fs::path& out, const fs::path& err) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child != 0) return child;
  if (program.own_group) ::setpgid(0, 0);
  std::vector<char*> words{const_cast<char*>(program.path.c_str())};
  for (const std::string& each : program.arguments) words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(nullptr);
  const auto stream = [](const fs::path& path, int flags, int number) {
    const int descriptor = ::open(path.c_str(), flags, 0666);
    if (descriptor < 0 || ::dup2(descriptor, number) < 0) ::_exit(127);
  };
  stream("/dev/null", O_RDONLY, STDIN_FILENO);
  stream(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  stream(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  for (const std::string& each : program.environment) ::putenv(const_cast<char*>(each.c_str()));
  if (::chdir(program.directory.c_str()) != 0) ::_exit(127);
  ::execv(program.path.c_str(), words.data());
  ::_exit(127);
}

int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Outcome run_program(const std::string& program, const std::vector<std::string>& arguments, const fs::path& directory,
                    const std::vector<std::string>& environment) {
  const TemporaryDirectory streams;
  const fs::path out_file = streams.path() / "out", err_file = streams.path() / "err";
  const int child = spawn({program, arguments, directory, environment}, out_file, err_file);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {exit_code(status), read_text_file(out_file), read_text_file(err_file)};
}

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
