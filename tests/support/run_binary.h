#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace weft::test {

// An empty directory of its own, gone with everything in it at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& content) const;
  // Every file and folder below, relative, sorted.
  std::vector<std::string> listing() const;

 private:
  std::filesystem::path path_;
};

// Both, one after the other: what a command always takes, and what a test adds.
std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& more);

struct Outcome {
  int exit_code = -1;  // 128 + signal if one ended it
  std::string out;
  std::string err;
};

// Runs a program in `directory` and waits for it; its standard input is empty. `out` other than "" is a file that its
// standard output goes to instead.
Outcome run_program(const std::string& program, const std::vector<std::string>& arguments,
                    const std::filesystem::path& directory, const std::string& out = "",
                    const std::vector<std::string>& environment = {});

// Runs a program whose standard output, or standard error, or both, are a terminal of so many columns; what it writes
// there is `out`. The other of the two streams, if any, is `err`.
enum class OnTerminal { Both, Out, Err };
// Throws std::runtime_error where there are no pseudo-terminals.
Outcome run_on_terminal(int columns, OnTerminal which, const std::string& program,
                        const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                        const std::vector<std::string>& environment = {});

// Whether this machine has pseudo-terminals; a root without /dev/pts has none.
bool has_terminals();

// Seconds of processor time, the system's included, of the processes that `work` starts and waits for.
double processor_seconds_of_children(const std::function<void()>& work);

// A program as it is started: its standard input is empty.
struct Program {
  std::string path;
  std::vector<std::string> arguments;
  std::filesystem::path directory;
  std::vector<std::string> environment;  // "NAME=VALUE", beside those of the test
  bool own_group = false;                // leads a process group, which can be killed as a whole
};

// Starts it with its output and its errors in two files, and says which process it is.
int spawn(const Program& program, const std::filesystem::path& out, const std::filesystem::path& err);

// What a shell would call the status that waitpid gives: 128 + signal if one ended it.
int exit_code(int status);

std::string read_text_file(const std::filesystem::path& path);

// A program that runs while the test goes on; it is killed with everything of its process group at the end.
class Background {
 public:
  Background(const std::string& program, const std::vector<std::string>& arguments,
             const std::filesystem::path& directory, const std::vector<std::string>& environment = {});
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  int process() const { return process_; }
  void signal(int number) const;
  bool running();
  Outcome wait();

 private:
  TemporaryDirectory streams_;
  int process_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

// Processes whose command line contains all of `words`, and children of a process.
std::vector<int> processes_with(const std::vector<std::string>& words);
std::vector<int> children_of(int process);

// Asks every 10 ms, for at most `seconds`. Whether it became true.
bool eventually(const std::function<bool()>& condition, double seconds = 30);

}  // namespace weft::test
