#pragma once

#include <filesystem>
#include <string>

namespace weft::os {

// An empty folder of its own in `parent`, gone with everything in it at the end. Throws Error if it cannot be made.
class TemporaryFolder {
 public:
  TemporaryFolder(const std::filesystem::path& parent, const std::string& prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace weft::os
