#pragma once

#include <filesystem>
#include <string>

namespace weft::os {

// A file that a command writes when its work is done: it appears complete or not at all.
class OutputFile {
 public:
  // Checks the place, before any work is spent. Its folder must exist and be writable. A file that is there is replaced
  // only if it is empty or weft wrote it: if its first kilobyte has `mark`, a text of every file of this kind.
  // `option` is how messages name the file. Throws Error.
  OutputFile(std::filesystem::path path, std::string option, std::string mark);

  // Writes into a temporary folder beside it, flushed, then renamed. Checks again what is there. Throws Error or
  // MachineError and leaves what was there before.
  void write(const std::string& content) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  void refuse_foreign() const;

  std::filesystem::path path_;
  std::string option_, mark_;
};

}  // namespace weft::os
