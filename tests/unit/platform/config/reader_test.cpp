#include "platform/config/reader.h"

#include "tests/support/texts.h"

namespace weft::config {
namespace {

Node parse(const std::string& text) {
  return parse_yaml(text, std::make_shared<Source>(Source{"f.yaml", "", false}));
}

TEST(ExactNumber, IsReadWithoutRounding) {
  const auto same = [](const char* text, std::int64_t num, std::int64_t den) {
    const auto value = parse_exact(text);
    return value && value->numerator() == num && value->denominator() == den;
  };
  EXPECT_TRUE(same("100", 100, 1));
  EXPECT_TRUE(same("1000/3", 1000, 3));
  EXPECT_TRUE(same("200/6", 100, 3));
  EXPECT_TRUE(same("33.25", 133, 4));
  EXPECT_TRUE(same("333.333333", 333333333, 1000000));  // the literal value, not the probable one
  EXPECT_TRUE(same("0.1", 1, 10));
}

TEST(ExactNumber, IsWrittenAsItIsRead) {
  for (const char* text : {"100", "1000/3", "133/4", "333333333/1000000"})
    EXPECT_EQ(exact_text(*parse_exact(text)), text);
}

TEST(ExactNumber, RefusesWhatIsNoPositiveDecimalOrFraction) {
  for (const char* text : {"", "0", "-1", "1/0", "0/3", "1/-3", "1e3", "1.", ".5", "nan", ".inf", "1/2/3", "1.5/2",
                           " 1", "9999999999999999999", "1.0000000001", "0x10", "+1"}) {
    EXPECT_FALSE(parse_exact(text)) << text;
  }
}

TEST(DidYouMean, FindsTheNearestWordAndNothingFarAway) {
  const std::vector<std::string> known{"tRC", "tRCD", "tRP", "batch"};
  EXPECT_EQ(nearest("tRDC", known), "tRCD");
  EXPECT_EQ(nearest("bacth", known), "batch");
  EXPECT_EQ(nearest("network", known), "");
  EXPECT_EQ(nearest("x", known), "");
}

TEST(DidYouMean, ListsTheNearestFirstAndTheirFileOrderOnTies) {
  const std::vector<std::string> known{"layer3.2.conv1", "layer3.2.conv2", "layer1.0.conv1", "fc"};
  EXPECT_EQ(nearest_of("layer3.2.conv9", known, 2), (std::vector<std::string>{"layer3.2.conv1", "layer3.2.conv2"}));
  EXPECT_EQ(nearest_of("layer1.0.conv1", known, 1), (std::vector<std::string>{"layer1.0.conv1"}));
  EXPECT_TRUE(nearest_of("softmax", known, 3).empty());
}

TEST(UnitOfKey, IsThatOfItsName) {
  EXPECT_EQ(unit_of_key("kernel.clock_mhz"), "MHz");
  EXPECT_EQ(unit_of_key("board.memory.bytes_per_channel"), "bytes");
  EXPECT_EQ(unit_of_key("controller_latency_ns"), "ns");
  EXPECT_EQ(unit_of_key("columns"), "");
  EXPECT_EQ(unit_of_key("ns"), "");
}

TEST(MapReader, NamesUnitsAndChoices) {
  const auto read = [](const std::string& text) {
    const Node node = parse(text);
    return test::message_of<InputError>([&] {
      Frequency clock = 1;
      std::int64_t bytes = 0;
      int map = 0;
      MapReader reader(node, "m");
      reader.exact("clock_mhz", clock, 1, 2000, Need::Required);
      reader.integer("bytes_per_channel", bytes, 1, 64, Need::Required);
      reader.choice("address_map", map, Names<int>{{"RCB", 0}, {"INTLV", 1}}, Need::Required);
      reader.finish();
    });
  };
  EXPECT_EQ(read("{clock_mhz: 200MHz}"),
            "f.yaml:1: m.clock_mhz: must be a number of MHz from 1 to 2000 such as 100, 33.25 or 1000/3, not '200MHz'");
  EXPECT_EQ(read("{clock_mhz: 1, bytes_per_channel: 16GiB}"),
            "f.yaml:1: m.bytes_per_channel: must be a whole number of bytes from 1 to 64, not '16GiB'");
  EXPECT_EQ(read("{clock_mhz: 1}"),
            "f.yaml:1: m.bytes_per_channel: is missing and has no default: it must be a whole number of bytes");
  EXPECT_EQ(read("{clock_mhz: 1, bytes_per_channel: 8}"),
            "f.yaml:1: m.address_map: is missing and has no default: it must be one of RCB, INTLV");
}

TEST(MapReader, ReportsAMisspeltKeyRatherThanTheMissingOne) {
  const Node node = parse("bacth: 3\n");
  EXPECT_EQ(test::message_of<InputError>([&] {
              MapReader reader(node, "");
              int batch = 0;
              reader.integer("batch", batch, 1, 10, Need::Required);
              reader.finish();
            }),
            "f.yaml:1: bacth: unknown key; did you mean 'batch'? (known: batch)");
}

TEST(MapReader, KeepsTheDefaultOfAnAbsentOptionalKey) {
  const Node node = parse("{}");
  MapReader reader(node, "");
  int value = 7;
  reader.integer("value", value, 1, 10);
  reader.finish();
  EXPECT_EQ(value, 7);
}

TEST(MapReader, HoldsIntegersToTheirRangeAndToWholeNumbers) {
  const auto read = [](const std::string& text) {
    const Node node = parse("n: " + text);
    return test::message_of<InputError>([&] {
      int value = 0;
      MapReader reader(node, "a.b");
      reader.integer("n", value, 2, 5);
    });
  };
  EXPECT_EQ(read("2"), "nothing");
  EXPECT_EQ(read("+5"), "nothing");
  const std::string wanted = "f.yaml:1: a.b.n: must be a whole number from 2 to 5, not ";
  EXPECT_EQ(read("1"), wanted + "'1'");
  EXPECT_EQ(read("6"), wanted + "'6'");
  EXPECT_EQ(read("-3"), wanted + "'-3'");
  EXPECT_EQ(read("2.0"), wanted + "'2.0'");
  EXPECT_EQ(read("0x3"), wanted + "'0x3'");
  EXPECT_EQ(read("18446744073709551618"), wanted + "'18446744073709551618'");
  EXPECT_EQ(read("'3'"), wanted + "the text \"3\"");
  EXPECT_EQ(read("[3]"), wanted + "a list");
  EXPECT_EQ(read("{a: 3}"), wanted + "a map");
  EXPECT_EQ(read("~"), "f.yaml:1: a.b.n: has no value; it must be a whole number from 2 to 5");
}

// YAML 1.1 reads it as an octal number, YAML 1.2 as a decimal one.
TEST(MapReader, RefusesNumbersThatBeginWithZero) {
  const auto read = [](const std::string& text, auto read) {
    const Node node = parse("n: " + text);
    return test::message_of<InputError>([&] { read(*node.find("n")); });
  };
  const auto integer = [](const Node& node) { read_integer(node, "n", -100, 100); };
  const auto real = [](const Node& node) { read_real(node, "n", -100, 100); };
  const auto exact = [](const Node& node) { read_exact(node, "n", 1, 100); };
  const auto scaled = [](const Node& node) { read_scaled(node, "n", kNanoseconds); };
  EXPECT_EQ(read("010", integer),
            "f.yaml:1: n: '010' is ambiguous: by YAML 1.1 a leading 0 makes it octal, by YAML 1.2 it is decimal; write "
            "10, without the leading 0");
  for (const char* text : {"010", "08", "00"}) {
    const std::string ambiguous = std::string("f.yaml:1: n: '") + text + "' is ambiguous: ";
    EXPECT_EQ(read(text, integer).rfind(ambiguous, 0), 0U) << text;
    EXPECT_EQ(read(text, real).rfind(ambiguous, 0), 0U) << text;
    EXPECT_EQ(read(text, exact).rfind(ambiguous, 0), 0U) << text;
    EXPECT_EQ(read(text, scaled).rfind(ambiguous, 0), 0U) << text;
  }
  EXPECT_TRUE(test::has(read("-010", integer), "write -10, without"));
  EXPECT_TRUE(test::has(read("00", integer), "write 0, without"));
  EXPECT_EQ(read("0", integer), "nothing");
  EXPECT_EQ(read("0.5", real), "nothing");
  EXPECT_EQ(read("0.5", scaled), "nothing");
}

TEST(MapReader, RefusesNumbersThatAreNone) {
  for (const char* text : {".nan", "nan", ".inf", "inf", "-.inf", "1e999", "one", "1 2", "true"}) {
    const Node node = parse(std::string("n: ") + text);
    EXPECT_NE(test::message_of<InputError>([&] {
                double value = 0;
                MapReader reader(node, "");
                reader.real("n", value, 0, 1e6);
              }),
              "nothing")
        << text;
  }
}

}  // namespace
}  // namespace weft::config
