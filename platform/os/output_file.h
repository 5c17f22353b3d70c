#pragma once

#include <filesystem>
#include <string>

namespace weft::os {

// A file that a command writes at its end: it appears complete or not at all.
class OutputFile {
 public:
  // Checks the place before any work. Its folder must exist and be writable. An existing file is replaced only if it is
  // empty or weft wrote it: its first kilobyte has `mark`, a text of every file of this kind. `option`: name of the
  // file in messages. Throws Error.
  OutputFile(std::filesystem::path path, std::string option, std::string mark);

  // Writes into a temporary folder next to the file, flushes, then renames. Repeats the check of an existing file.
  // Throws Error or MachineError and leaves the old file.
  void write(const std::string& content) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  void refuse_foreign() const;

  std::filesystem::path path_;
  std::string option_, mark_;
};

}  // namespace weft::os
