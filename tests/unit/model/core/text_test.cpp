#include "model/core/text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace weft {
namespace {

TEST(Printable, KeepsTextOfEveryScript) {
  const std::string text = "inception3b \xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x8e\x89";
  EXPECT_EQ(find_unprintable(text), std::string_view::npos);
  EXPECT_EQ(find_non_utf8(text), std::string_view::npos);
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsControlCharactersByTheirBytes) {
  EXPECT_EQ(find_unprintable("ab\x1b[31m"), 2U);
  EXPECT_EQ(find_non_utf8("ab\x1b[31m"), std::string_view::npos);
  EXPECT_EQ(printable("ab\x1b[31m"), "ab\\x1b[31m");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xc2\x9b!"), "\\xc2\\x9b!");                 // CSI as one C1 character
  EXPECT_EQ(find_unprintable("\xc2\xa0"), std::string_view::npos);  // the first character that is not a control
  EXPECT_EQ(printable("a\nb\tc"), "a\\x0ab\\x09c");
  EXPECT_EQ(printable("a\nb\tc\r", "\n\t"), "a\nb\tc\\x0d");
}

TEST(Printable, ShowsCharactersWithoutAShapeByTheirBytes) {
  // Overrides and isolates of the direction, line and paragraph separators, zero-width space, joiner and byte order
  // mark, soft hyphen, a tag.
  for (const std::string hidden :
       {"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9", "\xd8\x9c", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9",
        "\xe2\x80\x8b", "\xe2\x80\x8d", "\xef\xbb\xbf", "\xc2\xad", "\xf3\xa0\x81\x81"}) {
    const std::string text = "conv" + hidden + "1";
    EXPECT_EQ(find_unprintable(text), 4U) << text;
    EXPECT_EQ(find_non_utf8(text), std::string_view::npos) << text;
    const std::string shown = printable(text);
    EXPECT_EQ(shown.rfind("conv\\x", 0), 0U) << shown;
    EXPECT_EQ(find_unprintable(shown), std::string_view::npos) << shown;
  }
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\xe2\\x80\\xaeb");
  // Visible neighbours of these: a thin space, an ellipsis, a narrow space, and others.
  for (const std::string seen :
       {"\xe2\x80\x8a", "\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe2\x81\xb0", "\xc2\xae"}) {
    EXPECT_EQ(find_unprintable(seen), std::string_view::npos) << seen;
  }
}

TEST(Printable, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(find_non_utf8("caf\xe9"), 3U);
  EXPECT_EQ(printable("caf\xe9!"), "caf\\xe9!");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // longer than necessary
  EXPECT_EQ(printable("\xe6\x97"), "\\xe6\\x97");           // cut short
  EXPECT_EQ(printable(""), "");
}

TEST(EditDistance, CountsLettersAndSwapsOfNeighbours) {
  EXPECT_EQ(edit_distance("burst", "burst"), 0U);
  EXPECT_EQ(edit_distance("brust", "burst"), 1U);
  EXPECT_EQ(edit_distance("ony", "only"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

namespace fs = std::filesystem;

// Libraries change their private names between versions, and Debian 12 and 13 have different versions.
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
