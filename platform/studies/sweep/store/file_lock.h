#pragma once

#include <filesystem>

namespace weft::sweep {

// The right to write PATH, held by one process on whatever machine; it ends with the process, however that ends.
// PATH.lock, beside the file that PATH leads to, says who holds it, and goes with the lock.
class FileLock {
 public:
  // Throws Error that says who holds it.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace weft::sweep
