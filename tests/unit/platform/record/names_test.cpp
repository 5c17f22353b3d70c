// Records with names for their fields, and CSV of chosen columns.

#include <nlohmann/json.hpp>

#include "platform/record/csv.h"
#include "platform/record/json.h"
#include "tests/support/texts.h"

namespace weft::record {

struct Port {
  std::string name;
  std::int64_t beats = 0;
  std::optional<double> share;
  Named<std::string> others;
};

static void fields(Visitor& io, Port& port) {
  io("name", "of the port", port.name);
  io.others("", "a note", port.others);
  io("beats", "beats", "sent", port.beats);
  io("share", "1", "of the time", port.share);
}

struct Device {
  Named<Value> uses;
  std::optional<Named<Port>> ports;
};

static void fields(Visitor& io, Device& device) {
  static const Words uses{{"dsp", "DSPs", "slices", "integer"}, {"power", "W", "of it", "number", true}};
  static const Words ports{{"in", "", "first"}, {"out", "", "last"}};
  io.words(uses, device.uses);
  io.words("ports", "of it", ports, device.ports);
}

namespace {

TEST(Words, AreTheOnlyNamesThatAreRead) {
  const Device device{{{"power", {}}, {"dsp", std::int64_t{3}}}, Named<Port>{{"out", {}}}};
  const std::string text = json_text(device);
  EXPECT_EQ(nlohmann::ordered_json::parse(text).dump(),
            R"({"power":null,"dsp":3,"ports":{"out":{"name":"","beats":0}}})");
  EXPECT_EQ(json_text(from_json<Device>("f", text)), text);
  EXPECT_EQ(json_text(from_json<Device>("f", "{}")), "{}\n");
  for (const auto& [other, key] : {std::pair(R"({"lut": 1})", "lut"), {R"({"ports": {"side": {}}})", "ports.side"}}) {
    EXPECT_EQ(test::message_of<InputError>([&, other = other] { from_json<Device>("f", other); }),
              std::string("f: ") + key + ": is unknown");
  }
}

TEST(Words, AreKeysOfTheSchemaWithTheirMeaning) {
  const nlohmann::ordered_json schema = json_schema("a device", Device());
  const nlohmann::ordered_json& of = schema.at("properties");
  EXPECT_EQ(of.at("dsp").dump(), R"({"type":"integer","unit":"DSPs","description":"slices"})");
  EXPECT_EQ(of.at("power").dump(), R"({"type":["number","null"],"unit":"W","description":"of it"})");
  EXPECT_EQ(of.at("ports").at("properties").at("out").at("description"), "last");
  EXPECT_EQ(schema.at("required").dump(), "[]");
  EXPECT_EQ(schema.at("additionalProperties"), false);
}

TEST(Names, StandBesideFieldsAndAreReadBack) {
  const Port port{"in, \"a\"", 3, {}, {{"z", "last"}, {"b", "first"}}};
  const std::string text = json_text(port);
  EXPECT_EQ(nlohmann::ordered_json::parse(text).dump(), R"({"name":"in, \"a\"","z":"last","b":"first","beats":3})");
  const Port read = from_json<Port>("f", text);
  EXPECT_EQ(read.others, port.others);
  EXPECT_EQ(json_text(read), text);
  EXPECT_EQ(test::message_of<InputError>([&] { from_json<Port>("f", R"({"name": "p", "beats": 3, "b": 1})"); }),
            "f: b: must be a text, not 1");
}

TEST(Names, AreOtherKeysInTheSchema) {
  const nlohmann::ordered_json schema = json_schema("a port", Port());
  EXPECT_EQ(schema.at("additionalProperties").dump(), R"({"type":"string","description":"a note"})");
  EXPECT_EQ(schema.at("required").dump(), R"(["name","beats"])");
}

TEST(Csv, HasTheColumnsThatAreChosenInTheirOrder) {
  const std::vector<Port> ports{{"in, \"a\"", 3, 0.5, {{"z", "1"}}}, {"out", 4, {}, {{"z", "2"}}}};
  EXPECT_EQ(csv_text(ports, "share,name,z\n"), "share,name,z\n0.5,\"in, \"\"a\"\"\",1\n,out,2\n");
  EXPECT_EQ(csv_line(ports[1]), "out,2,4,\n");
  EXPECT_EQ(csv_head(ports[1]), "name,z,beats,share\n");
  EXPECT_THROW(csv_text(ports, "words\n"), std::logic_error);
}

TEST(Columns, AreFoundByTheNamesOfVersion0_1Too) {
  const std::vector<Column> columns{{"epoch_hours", "REAL", "h", ""}, {"gap", "REAL", "1", ""}};
  EXPECT_EQ(find_named_column(columns, "epoch_hours"), 0);
  EXPECT_EQ(find_named_column(columns, "hours_per_epoch"), 0);
  EXPECT_EQ(find_named_column(columns, "gap"), 1);       // a column of today's before the old name of another
  EXPECT_EQ(find_named_column(columns, "seconds"), -1);  // convolutions_seconds is not there
  EXPECT_EQ(find_column(columns, "hours_per_epoch"), -1);
}

}  // namespace
}  // namespace weft::record
