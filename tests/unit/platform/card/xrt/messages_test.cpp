#include "platform/card/xrt/messages.h"

#include <gtest/gtest.h>

#include <random>

namespace weft::xrt {
namespace {

using namespace std::string_literals;

// libprotobuf's bytes of {field 2: fixed32 7, field 1: fixed64 300} of XRT's call_packet_info, field 1 first.
TEST(Messages, ACallHeaderIsTwoFixedFields) {
  const auto header = parse_call_header("\x09\x2c\x01\0\0\0\0\0\0\x15\x07\0\0\0");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->payload, 300U);
  EXPECT_EQ(header->api, 7U);
  EXPECT_FALSE(parse_call_header("\x08\x2c\x01\0\0\0\0\0\0\x15\x07\0\0\0"));
  EXPECT_FALSE(parse_call_header("\x09\x2c\x01\0\0\0\0\0\0\x14\x07\0\0\0"));
}

TEST(Messages, AHeaderAnnouncesAtMostTwoMebibytes) {
  EXPECT_TRUE(parse_call_header("\x09\0\0\x20\0\0\0\0\0\x15\x07\0\0\0"));
  EXPECT_FALSE(parse_call_header("\x09\x01\0\x20\0\0\0\0\0\x15\x07\0\0\0"));
  EXPECT_FALSE(parse_call_header("\x09\xff\xff\xff\xff\xff\xff\xff\xff\x15\x07\0\0\0"));
}

TEST(Messages, AResponseHeaderIsOneFixedField) {
  EXPECT_EQ(response_header(300), "\x09\x2c\x01\0\0\0\0\0\0"s);
}

// encoding.html: field 1 = 150 is 08 96 01, field 2 = "testing" is 12 07 74 65 73 74 69 6e 67.
TEST(Messages, FieldsAreThoseOfProtobuf) {
  const std::string message = "\x08\x96\x01\x12\x07testing\x19\x02\0\0\0\0\0\0\0\x25\x03\0\0\0"s;
  const auto fields = Fields::parse(message);
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->number(1), 150U);
  EXPECT_EQ(fields->bytes(2), "testing");
  EXPECT_EQ(fields->number(3), 2U);
  EXPECT_EQ(fields->number(4), 3U);
  EXPECT_FALSE(fields->number(2));
  EXPECT_FALSE(fields->bytes(1));
  std::string made;
  put_number(made, 1, 150);
  put_bytes(made, 2, "testing");
  EXPECT_EQ(made, message.substr(0, 12));
}

TEST(Messages, OfAFieldThatComesTwiceTheLastCounts) {
  const auto fields = Fields::parse("\x08\x01\x08\x02"s);
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->number(1), 2U);
}

TEST(Messages, WhatEndsInTheMiddleIsNone) {
  const std::string message = "\x08\x96\x01\x12\x07testing\x19\x02\0\0\0\0\0\0\0\x25\x03\0\0\0"s;
  for (const std::size_t length : {1, 2, 4, 5, 11, 13, 20, 22, 25}) {
    EXPECT_FALSE(Fields::parse(std::string_view(message).substr(0, length))) << length;
  }
  for (const std::size_t length : {0, 3, 12, 21, 26}) {
    EXPECT_TRUE(Fields::parse(std::string_view(message).substr(0, length))) << length;
  }
}

TEST(Messages, GroupsFieldZeroAndLongVarintsAreRefused) {
  EXPECT_FALSE(Fields::parse("\x0b\x0c"s));
  EXPECT_FALSE(Fields::parse("\x02\x01x"s));
  EXPECT_FALSE(Fields::parse("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s));
  EXPECT_FALSE(Fields::parse("\x12\xff\xff\xff\xff\x0fx"s));
}

TEST(Messages, RandomBytesAreReadWithinTheirBounds) {
  std::mt19937_64 random(1);
  int messages = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string bytes(random() % 64, '\0');
    for (char& each : bytes) each = static_cast<char>(random());
    const auto fields = Fields::parse(bytes);
    if (!fields) continue;
    ++messages;
    for (std::uint32_t field = 0; field < 16; ++field) {
      const auto found = fields->bytes(field);
      if (!found) continue;
      EXPECT_GE(found->data(), bytes.data());
      EXPECT_LE(found->data() + found->size(), bytes.data() + bytes.size());
    }
  }
  EXPECT_GT(messages, 100);
  EXPECT_LT(messages, 9'900);
}

}  // namespace
}  // namespace weft::xrt
