#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace weft::test {

// An empty temporary directory, removed with its contents by the destructor.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& content) const;
  // Returns every file and folder in it: relative paths, sorted.
  std::vector<std::string> listing() const;

 private:
  std::filesystem::path path_;
};

// Returns `first` followed by `more`: the fixed arguments of a command and those of one test.
std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& more);

struct Outcome {
  int exit_code = -1;  // 128 + signal if a signal ended the program
  std::string out;
  std::string err;
};

// Runs a program in `directory` and waits for it; its standard input is empty.
Outcome run_program(const std::string& program, const std::vector<std::string>& arguments,
                    const std::filesystem::path& directory, const std::vector<std::string>& environment = {});

// A program to start; its standard input is empty.
struct Program {
  std::string path;
  std::vector<std::string> arguments;
  std::filesystem::path directory;
  std::vector<std::string> environment;  // "NAME=VALUE", added to those of the test
  bool own_group = false;                // true: leads a process group, which can be killed as a whole
};

// Starts the program with its output and its errors in two files. Returns its process id.
int spawn(const Program& program, const std::filesystem::path& out, const std::filesystem::path& err);

// Returns a shell's exit code for a status of waitpid: 128 + signal if a signal ended the process.
int exit_code(int status);

std::string read_text_file(const std::filesystem::path& path);

// A program that runs during the test; its whole process group is killed by the destructor.
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

// Returns the children of a process.
std::vector<int> children_of(int process);

// Polls every 10 ms, for at most `seconds`. Returns true if the condition became true.
bool eventually(const std::function<bool()>& condition, double seconds = 30);

}  // namespace weft::test
