#pragma once

#include <filesystem>
#include <string>

namespace weft::os {

// An empty folder of its own in `parent`, named `prefix` and six letters, gone with everything in it at the end. Its
// file kTemporaryMark says that weft made it, and is locked while this object or a child process lives.
class TemporaryFolder {
 public:
  // Also removes what killed processes left in `parent`: see remove_stale_folders(). Throws Error or MachineError,
  // which begin with `what`, if it is given.
  TemporaryFolder(const std::filesystem::path& parent, const std::string& prefix, const std::string& what = "");
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

inline constexpr const char* kTemporaryMark = ".weft-temporary";

// Removes the temporary folders of `prefix` in `parent` whose processes were killed: folders of this user, with exactly
// that pattern of a name, whose mark names them and whose lock nobody holds. Everything else is left alone.
void remove_stale_folders(const std::filesystem::path& parent, const std::string& prefix);

}  // namespace weft::os
