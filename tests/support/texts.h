#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "model/core/error.h"

namespace weft::test {

// Returns the text of the error that `work` throws, or "nothing" if it throws none.
template <typename Thrown = Error, typename Work>
std::string message_of(Work&& work) {
  try {
    work();
  } catch (const Thrown& error) {
    return error.what();
  }
  return "nothing";
}

// True if `part` occurs in `text`. A check that fails prints both.
inline testing::AssertionResult has(std::string_view text, std::string_view part) {
  const bool found = text.find(part) != std::string_view::npos;
  return testing::AssertionResult(found) << '\'' << part << "' is " << (found ? "" : "not ") << "in:\n" << text;
}

// True if the error that `work` throws has `part` in its text.
template <typename Thrown = Error, typename Work>
testing::AssertionResult fails(Work&& work, std::string_view part) {
  return has(message_of<Thrown>(work), part);
}

// Returns the lines of a text, or its parts between other separators, without an empty last part.
inline std::vector<std::string> split(const std::string& text, char separator = '\n') {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace weft::test
