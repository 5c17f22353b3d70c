#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace weft {
namespace {

namespace fs = std::filesystem;

// Libraries change what is private to them from one version to the next, and Debian 12 and 13 have different ones.
TEST(PrivateNames, OfALibraryAreUsedNowhere) {
  const std::regex name(R"(\b(detail|internal|impl)::|#include <.*/(detail|internal|impl)/)");
  int files = 0;
  for (const char* folder : {"kernels", "model", "platform", "tests", "tools", "torch", "workloads"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WEFT_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      if (entry.path().filename() == fs::path(__FILE__).filename()) continue;
      ++files;
      std::ifstream in(entry.path());
      int number = 0;
      for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.find("::") == std::string::npos && line.find("#include <") == std::string::npos) continue;
        EXPECT_FALSE(std::regex_search(line, name)) << entry.path().string() << ":" << number << ": " << line;
      }
    }
  }
  EXPECT_GT(files, 500);
}

}  // namespace
}  // namespace weft
