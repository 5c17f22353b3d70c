#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace weft::os {

// Held while one process makes a build; the others wait, and then find it done.
class BuildLock {
 public:
  explicit BuildLock(const std::filesystem::path& file);  // throws Error
  ~BuildLock();
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  int descriptor_;
};

// JitLibrary: a shared library of the project that is compiled on first use.
struct JitLibrary {
  std::string what;                  // for messages: "what runs operators"
  std::string packages;              // packages-LIST.txt has what it is compiled with
  std::vector<std::string> sources;  // what of the project it is made of: the one that is compiled, then its headers
  std::vector<std::string> compile;  // options
  std::vector<std::string> link;     // likewise
  std::string machine = {};          // what else tells two builds apart
  // More options of the compiler, which are asked for when the packages are there; empty: none.
  std::function<std::vector<std::string>()> compile_with = {};
};

// Loads it, built from `source` (the project) into `cache` if it is not there yet, and returns the function that it
// exports as `name`. It is never unloaded. Throws Error with the log of a build that fails.
void* load(const JitLibrary& library, const std::filesystem::path& source, const std::filesystem::path& cache,
           const char* name);

}  // namespace weft::os
