#include "platform/os/temporary_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "platform/os/failure.h"

namespace weft::os {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLetters = 6;  // of mkdtemp

// Returns the contents of a folder's mark. The inode distinguishes the folder from its copies.
std::string mark_of(const fs::path& folder, const struct stat& status) {
  return fmt::format("weft made {} (inode {}) and removes it\n", folder.filename().string(), status.st_ino);
}

bool has_pattern(const std::string& name, const std::string& prefix) {
  return name.size() == prefix.size() + kLetters && name.compare(0, prefix.size(), prefix) == 0 &&
         std::all_of(name.end() - kLetters, name.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

void remove_if_stale(const fs::path& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) return;
  const int mark = ::open((folder / kTemporaryMark).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (mark < 0) return;
  std::array<char, 512> text{};
  const ssize_t length = ::read(mark, text.data(), text.size());
  const bool ours = length > 0 && std::string(text.data(), static_cast<std::size_t>(length)) == mark_of(folder, status);
  if (ours && ::flock(mark, LOCK_EX | LOCK_NB) == 0) remove_folder(folder);
  ::close(mark);
}

}  // namespace

void remove_folder(const fs::path& folder) {
  std::error_code ignored;
  for (int attempt = 0; attempt < 100; ++attempt) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().filename() != kTemporaryMark) fs::remove_all(entry.path(), ignored);
    }
    fs::remove_all(folder, ignored);
    if (!fs::exists(folder, ignored)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

TemporaryFolder::TemporaryFolder(const fs::path& parent, const std::string& prefix, const std::string& what) {
  remove_stale_folders(parent, prefix);
  std::string name = (parent / (prefix + "XXXXXX")).string();
  if (!::mkdtemp(name.data())) fail(what.empty() ? fmt::format("cannot create a folder '{}'", name) : what, errno);
  path_ = name;
  struct stat status {};
  lock_ = ::open((path_ / kTemporaryMark).c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  bool marked = lock_ >= 0 && ::flock(lock_, LOCK_EX | LOCK_NB) == 0 && ::stat(path_.c_str(), &status) == 0;
  if (marked) {
    const std::string text = mark_of(path_, status);
    marked = ::write(lock_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  if (marked) return;
  const int reason = errno;
  if (lock_ >= 0) ::close(lock_);
  ::unlink((path_ / kTemporaryMark).c_str());
  ::rmdir(path_.c_str());
  fail(what.empty() ? fmt::format("cannot write '{}'", (path_ / kTemporaryMark).string()) : what, reason);
}

TemporaryFolder::~TemporaryFolder() {
  ::close(lock_);  // first: removal needs a descriptor, and this may be the last one that the process may have
  remove_folder(path_);
}

void remove_stale_folders(const fs::path& parent, const std::string& prefix) {
  std::error_code code;
  for (fs::directory_iterator at(parent, code), end; !code && at != end; at.increment(code)) {
    if (has_pattern(at->path().filename().string(), prefix)) remove_if_stale(at->path());
  }
}

}  // namespace weft::os
