#include "platform/card/xrt/xclbin.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <pugixml.hpp>

#include "model/core/error.h"
#include "platform/card/xrt/xclbin_format.h"
#include "platform/os/process.h"
#include "tests/support/files.h"

namespace weft::xrt {
namespace {

Xclbin sample() {
  return {"xilinx_u250_gen3x16_xdma",
          "fpgpt",
          {{"kind", 0x20}, {"pad", 0x54, 4, -1, true}, {"inp", 0x6c, 8, 0}, {"out", 0x7c, 8, 2}},
          {0, 1, 3},
          100,
          design::AddressMap(4, Bytes{16} << 30),
          "board: u250\n"};
}

template <class T>
T at(const std::string& file, std::size_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof value, file.size());
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

// XRT's xclbin.h: the header ends at 456 with the number of sections at 448, and a section's header has 40 bytes.
std::map<std::uint32_t, std::string> sections(const std::string& file) {
  std::map<std::uint32_t, std::string> all;
  const auto count = at<std::uint32_t>(file, 448);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t header = 456 + 40 * i;
    const auto offset = at<std::uint64_t>(file, header + 24), size = at<std::uint64_t>(file, header + 32);
    EXPECT_EQ(offset % 8, 0U);
    EXPECT_LE(offset + size, file.size());
    all[at<std::uint32_t>(file, header)] = file.substr(offset, size);
  }
  return all;
}

TEST(Xclbin, HasTheHeaderOfAnAxlfOfHardwareEmulation) {
  const std::string file = write_xclbin(sample());
  EXPECT_EQ(file.substr(0, 8), std::string("xclbin2\0", 8));
  EXPECT_EQ(at<std::uint64_t>(file, 304), file.size());
  EXPECT_EQ(at<std::uint16_t>(file, 332), 4);
  EXPECT_STREQ(file.c_str() + 352, "xilinx_u250_gen3x16_xdma");
}

TEST(Xclbin, BanksLieWhereTheCardHasThem) {
  const std::string topology = sections(write_xclbin(sample())).at(6);
  ASSERT_EQ(at<std::int32_t>(topology, 0), 4);
  ASSERT_EQ(topology.size(), 8U + 4 * 40);
  EXPECT_EQ(at<std::uint64_t>(topology, 8 + 40 + 8), std::uint64_t{16} << 20);  // KiB
  EXPECT_EQ(at<std::uint64_t>(topology, 8 + 16), 0x4000000000U);
  EXPECT_EQ(at<std::uint64_t>(topology, 8 + 120 + 16), 0x4C00000000U);
  EXPECT_STREQ(topology.c_str() + 8 + 120 + 24, "bank3");
}

TEST(Xclbin, BuffersAreConnectedToTheBanksOfTheirPorts) {
  const std::string connectivity = sections(write_xclbin(sample())).at(7);
  ASSERT_EQ(at<std::int32_t>(connectivity, 0), 2);
  ASSERT_EQ(connectivity.size(), 4U + 2 * 12);
  EXPECT_EQ(at<std::int32_t>(connectivity, 4), 2);   // argument
  EXPECT_EQ(at<std::int32_t>(connectivity, 12), 0);  // bank
  EXPECT_EQ(at<std::int32_t>(connectivity, 16), 3);
  EXPECT_EQ(at<std::int32_t>(connectivity, 24), 3);
}

TEST(Xclbin, ArgumentsAreTheRegisters) {
  const std::string text = sections(write_xclbin(sample())).at(2);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(text.c_str()));
  const pugi::xml_node kernel = document.select_node("/project/platform/device/core/kernel").node();
  EXPECT_STREQ(kernel.attribute("name").value(), "fpgpt");
  EXPECT_STREQ(kernel.child("instance").attribute("name").value(), "fpgpt_1");
  EXPECT_EQ(kernel.child("instance").child("addrRemap").attribute("base").as_ullong(), 0x1800000U);
  std::string summary;
  for (const pugi::xml_node& argument : kernel.children("arg")) {
    for (const char* key : {"id", "name", "addressQualifier", "offset", "size", "type"}) {
      summary += argument.attribute(key).value() + std::string(" ");
    }
    summary += "\n";
  }
  EXPECT_EQ(summary,
            "0 kind 0 0x20 0x4 uint \n1 pad 0 0x54 0x4 int \n2 inp 1 0x6c 0x8 float* \n3 out 1 0x7c 0x8 float* \n");
}

TEST(Xclbin, TheArchiveUnpacksToAScriptAndTheBitstream) {
  const test::TemporaryDirectory folder;
  folder.write("archive.zip", sections(write_xclbin(sample())).at(0));
  const std::filesystem::path log = folder.path() / "log";
  ASSERT_EQ(os::run({{"unzip", "-q", "archive.zip"}, folder.path()}, log), 0) << test::read_text_file(log);
  EXPECT_EQ(test::read_text_file(folder.path() / "behav_waveform/xsim/bitstream.yaml"), "board: u250\n");
  EXPECT_EQ(test::read_text_file(folder.path() / "behav_waveform/xsim/simulate.sh").substr(0, 10), "#!/bin/sh\n");
}

// XRT treats two files with one UUID as equal.
TEST(Xclbin, BytesAndUuidDependOnWhatIsInIt) {
  const std::string one = write_xclbin(sample());
  EXPECT_EQ(write_xclbin(sample()), one);
  Xclbin other = sample();
  other.bitstream += "\n";
  EXPECT_NE(write_xclbin(other).substr(416, 16), one.substr(416, 16));
}

TEST(Xclbin, ANameThatDoesNotFitIsRefused) {
  Xclbin what = sample();
  what.kernel = std::string(40, 'k');
  EXPECT_THROW(write_xclbin(what), Error);
}

TEST(Xclbin, HasItsMarkInTheFirstKilobyte) {
  EXPECT_LT(write_xclbin(sample()).find(kXclbinMark), 1000U);
}

TEST(Xclbin, IsWholeOnlyIfNoBitIsChangedAndNoByteIsMissingOrMore) {
  const std::string file = write_xclbin(sample());
  EXPECT_EQ(damage_of(file), "");
  EXPECT_EQ(damage_of(""), "is empty");
  EXPECT_EQ(damage_of("a text"), "is no xclbin");
  EXPECT_EQ(damage_of(file.substr(0, 179)), "is cut off: it has 179 bytes");
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ 1 << i % 8);
    ASSERT_NE(damage_of(damaged), "") << i;
    ASSERT_NE(damage_of(file.substr(0, i)), "") << i;
  }
  EXPECT_NE(damage_of(file + '\0'), "");
}

// A section must be within the file even if the digest is right.
TEST(Xclbin, SectionsBeyondTheEndAreNamed) {
  const std::string file = write_xclbin(sample());
  for (const std::size_t field : {24, 32}) {
    for (const std::uint64_t value : {std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
      std::string damaged = file;
      std::memcpy(damaged.data() + 456 + 40 * 2 + field, &value, sizeof value);
      EXPECT_EQ(damage_of(damaged), "is damaged, or weft card did not write it: section 2 lies beyond its end");
    }
  }
  std::string many = file;
  const std::uint32_t count = 1 << 30;
  std::memcpy(many.data() + 448, &count, sizeof count);
  EXPECT_EQ(damage_of(many), "is damaged, or weft card did not write it: it has no room for its sections");
}

}  // namespace
}  // namespace weft::xrt
