#pragma once

#include <filesystem>
#include <string>

namespace weft::tools {

// A file that a command writes when its work is done: it appears complete or not at all.
class OutputFile {
 public:
  // Checks the place, before any work is spent: its folder must exist and be writable, and nothing but a regular file
  // may be replaced. `option` is how messages name it. Throws Error.
  OutputFile(std::filesystem::path path, std::string option);

  // Into a file beside it, flushed, then renamed. Throws Error and leaves what was there before.
  void write(const std::string& content) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::string option_;
};

}  // namespace weft::tools
