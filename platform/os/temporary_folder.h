#pragma once

#include <filesystem>
#include <string>

namespace weft::os {

// An empty folder in `parent`, named `prefix` and six letters; removed with its contents at the end. Its file
// kTemporaryMark shows that weft made it, and is locked while this object or a child process lives.
class TemporaryFolder {
 public:
  // Also removes folders of killed processes in `parent`: see remove_stale_folders(). Throws Error or MachineError,
  // which begins with `what` if that is given.
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

// Removes a folder with a mark, the mark last: a process that is killed in the middle leaves a folder that is known to
// be stale. Tries again for at most a second, because a process that is just ending may write into it meanwhile.
void remove_folder(const std::filesystem::path& folder);

// Removes the temporary folders of `prefix` in `parent` whose processes were killed: folders of this user with exactly
// that pattern of a name, whose mark names them and whose lock is free. Leaves all other files alone.
void remove_stale_folders(const std::filesystem::path& parent, const std::string& prefix);

}  // namespace weft::os
