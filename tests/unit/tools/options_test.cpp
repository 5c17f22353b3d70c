#include "tools/cli/options.h"

#include <gtest/gtest.h>

namespace weft::tools {
namespace {

TEST(ChangedName, SaysWhatOptionsChanged) {
  const std::string name =
      changed_name("net-u250", {{"kernel.array.x", "4", ""}, {"only", "layer1.*:GW, b", "", true}}, "resolved");
  EXPECT_EQ(name.substr(0, name.rfind('-')), "net-u250-x-4-only-layer1.-GW-b");
  EXPECT_EQ(name.size(), name.rfind('-') + 1 + 8);
}

TEST(ChangedName, IsAnotherForAnotherConfiguration) {
  EXPECT_NE(changed_name("a", {{"k", "1", ""}}, "one"), changed_name("a", {{"k", "1", ""}}, "two"));
  EXPECT_EQ(changed_name("a", {{"k", "1", ""}}, "one"), changed_name("a", {{"k", "1", ""}}, "one"));
}

TEST(ChangedName, IsShortAndPlainWhateverTheValues) {
  const std::string name = changed_name("a", {{"network", "{layers: [" + std::string(500, '/') + "\n]}", ""}}, "r");
  EXPECT_LE(name.size(), 1U + 60 + 9);
  EXPECT_EQ(name.find_first_of("/ \n{}[]"), std::string::npos) << name;
}

}  // namespace
}  // namespace weft::tools
