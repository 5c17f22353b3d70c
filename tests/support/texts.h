#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "model/core/error.h"

namespace weft::test {

// Text of the error that `work` throws, "nothing" where it throws none.
template <typename Thrown = Error, typename Work>
std::string message_of(Work&& work) {
  try {
    work();
  } catch (const Thrown& error) {
    return error.what();
  }
  return "nothing";
}

// True if `part` stands in `text`. A check that fails prints both.
inline testing::AssertionResult has(std::string_view text, std::string_view part) {
  const bool found = text.find(part) != std::string_view::npos;
  return testing::AssertionResult(found) << '\'' << part << "' is " << (found ? "" : "not ") << "in:\n" << text;
}

}  // namespace weft::test
