#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/run_binary.h"

namespace weft::test {

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
