#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weft::test {

// An empty temporary directory, removed with its contents by the destructor.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& content) const;
  // Returns every file and folder in it: relative paths, sorted.
  std::vector<std::string> listing() const;

 private:
  std::filesystem::path path_;
};

std::string read_text_file(const std::filesystem::path& path);

}  // namespace weft::test
