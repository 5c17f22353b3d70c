#pragma once

#include <filesystem>

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

}  // namespace weft::os
