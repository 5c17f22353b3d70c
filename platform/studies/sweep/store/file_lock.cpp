#include "platform/studies/sweep/store/file_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>

#include "model/core/error.h"
#include "platform/os/process.h"

namespace weft::sweep {

namespace {

constexpr const char* kHolder = "process ";  // what the file begins with
constexpr int kTries = 20;
constexpr std::chrono::milliseconds kPause{50};

std::string content(int file) {
  std::array<char, 512> text{};
  const ssize_t count = ::pread(file, text.data(), text.size() - 1, 0);
  return count > 0 ? std::string(text.data(), static_cast<std::size_t>(count)) : "another process";
}

// Whether the open file still has its name: its last holder may have removed it between our open and our lock.
bool still_there(int file, const std::filesystem::path& path) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

// Beside the file itself, so that it is the same whatever links lead there.
std::filesystem::path lock_of(const std::filesystem::path& path) {
  std::error_code code;
  if (!std::filesystem::is_symlink(path, code)) return path.string() + ".lock";
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, code);
  return (code ? path : real).string() + ".lock";
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path) : path_(lock_of(path)) {
  for (;;) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) throw Error(fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
    // Children of a holder that was killed end a moment after it.
    int tries = 0;
    while (::flock(file_, LOCK_EX | LOCK_NB) != 0 && ++tries < kTries) std::this_thread::sleep_for(kPause);
    if (tries == kTries) {
      const std::string who = content(file_);
      ::close(file_);
      throw Error(
          fmt::format("'{}' is being written by another weft sweep ({}); wait for it, or stop it and start "
                      "again: nothing is lost",
                      path.string(), who));
    }
    if (still_there(file_, path_)) break;
    ::close(file_);
  }
  if (const std::string before = content(file_); ::lseek(file_, 0, SEEK_END) > 0 && before.rfind(kHolder, 0) != 0) {
    ::close(file_);
    throw Error(fmt::format("'{}' is what a sweep locks '{}' with, and is another's file: move it away", path_.string(),
                            path.string()));
  }
  const std::string text = fmt::format("{}{} on {}", kHolder, ::getpid(), os::host_name());
  const bool written = ::ftruncate(file_, 0) == 0 && ::pwrite(file_, text.data(), text.size(), 0) >= 0;
  static_cast<void>(written);  // the lock holds without the note
}

FileLock::~FileLock() {
  ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace weft::sweep
