#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace weft::os {

// Lock of the process that makes a build; the others wait, and then find the build done.
class BuildLock {
 public:
  explicit BuildLock(const std::filesystem::path& file);  // throws Error
  ~BuildLock();
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  int descriptor_;
};

// A shared library of the project that is compiled on first use.
struct JitLibrary {
  std::string what;                  // name in messages: "what runs operators"
  std::string packages;              // LIST of the packages-LIST.txt that its build needs
  std::vector<std::string> sources;  // files of the project: the one that is compiled, then its headers
  std::vector<std::string> compile;  // options
  std::vector<std::string> link;     // options
  std::string machine = {};          // other differences between two builds
  // Returns more options of the compiler; called when the packages are installed; empty: none.
  std::function<std::vector<std::string>()> compile_with = {};
};

// Loads the library and returns its exported function `name`. Builds it from `source` (the project) into `cache` if it
// is not there yet. It is never unloaded. Throws Error with the log of a build that fails.
void* load(const JitLibrary& library, const std::filesystem::path& source, const std::filesystem::path& cache,
           const char* name);

}  // namespace weft::os
