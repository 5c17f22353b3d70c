// weft timeline --perfetto: what is decoded from the file is what the iteration's CSV and JSON say.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include "tests/support/run_binary.h"
#include "trace.pb.h"

namespace weft {
namespace {

using perfetto::Packet;
using perfetto::TrackEvent;

struct Slice {
  std::uint64_t start_ns = 0, end_ns = 0;
  std::string name;
  std::map<std::string, std::int64_t> numbers;
  std::map<std::string, std::string> texts;
};

// Slices by the name of their track, in the order of the file; what begins ends before the next begins.
std::map<std::string, std::vector<Slice>> slices_of(const std::string& bytes) {
  perfetto::TraceFile file;
  EXPECT_TRUE(file.ParseFromString(bytes));
  std::map<std::uint64_t, std::string> names;
  std::map<std::uint64_t, bool> open;
  std::map<std::string, std::vector<Slice>> slices;
  for (const Packet& packet : file.packet()) {
    EXPECT_EQ(packet.trusted_packet_sequence_id(), 1U);
    if (packet.has_track_descriptor()) {
      EXPECT_TRUE(names.emplace(packet.track_descriptor().uuid(), packet.track_descriptor().name()).second);
      continue;
    }
    const TrackEvent& event = packet.track_event();
    EXPECT_EQ(names.count(event.track_uuid()), 1U);
    std::vector<Slice>& track = slices[names[event.track_uuid()]];
    bool& is_open = open[event.track_uuid()];
    EXPECT_EQ(is_open, event.type() == TrackEvent::SLICE_END);
    is_open = !is_open;
    if (event.type() == TrackEvent::SLICE_END) {
      track.back().end_ns = packet.timestamp();
      continue;
    }
    Slice slice{packet.timestamp(), 0, event.name(), {}, {}};
    for (const perfetto::Annotation& note : event.debug_annotations()) {
      if (note.has_int_value()) slice.numbers[note.name()] = note.int_value();
      if (note.has_string_value()) slice.texts[note.name()] = note.string_value();
    }
    track.push_back(slice);
  }
  return slices;
}

class Perfetto : public testing::TestWithParam<std::vector<std::string>> {
 protected:
  std::string weft(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"timeline", "resnet20-u250", "--set", "rung=analytical", "--set", "batch=2"};
    for (const std::string& set : GetParam()) words = test::joined(words, {"--set", set});
    const test::Outcome outcome = test::run_program(WEFT_BINARY, test::joined(words, more), dir_.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }

  test::TemporaryDirectory dir_;
};

TEST_P(Perfetto, TracksHaveEveryStepOnceAndTheCriticalPathTilesTheIteration) {
  const auto json = nlohmann::json::parse(weft({"--format", "json", "--perfetto", "t.pftrace"}));
  const std::string csv = weft({"--format", "csv"});
  const auto tracks = slices_of(test::read_text_file(dir_.path() / "t.pftrace"));

  using Key = std::tuple<std::string, std::string, std::int64_t, std::int64_t>;  // resource, activity, start and end
  std::multiset<Key> here, there;
  for (const auto& [name, slices] : tracks) {
    std::int64_t free = 0;
    for (const Slice& slice : slices) {
      const std::int64_t start = slice.numbers.at("start_ps"), end = slice.numbers.at("end_ps");
      EXPECT_EQ(slice.start_ns, static_cast<std::uint64_t>(start / 1000)) << slice.name;
      EXPECT_EQ(slice.end_ns, static_cast<std::uint64_t>(end / 1000)) << slice.name;
      EXPECT_GE(start, free) << name << ' ' << slice.name;
      if (name == "critical path") {
        EXPECT_EQ(start, free) << slice.name;
      }
      free = end;
      if (name != "critical path") here.emplace(name, slice.texts.at("activity"), start, end);
    }
    if (name == "critical path") {
      EXPECT_EQ(free, json.at("iteration_ps"));
    }
  }
  // operator,direction,class,activity,resource,"what",start_ps,end_ps,...: `what` is quoted where it has commas.
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted) {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    ASSERT_GT(fields.size(), 8U);
    there.emplace(fields[4], fields[3], std::stoll(fields[6]), std::stoll(fields[7]));
  }
  EXPECT_GT(there.size(), 500U);
  EXPECT_EQ(here, there);
}

TEST_P(Perfetto, BytesAreTheSameEachTime) {
  weft({"--perfetto", "a"});
  weft({"--perfetto", "b"});
  EXPECT_EQ(test::read_text_file(dir_.path() / "a"), test::read_text_file(dir_.path() / "b"));
}

INSTANTIATE_TEST_SUITE_P(
    Schedules, Perfetto,
    testing::Values(std::vector<std::string>{},
                    std::vector<std::string>{"schedule.overlap=double_buffer", "schedule.transfers=keep_activations",
                                             "schedule.load=region"},
                    std::vector<std::string>{"schedule.im2col=cpu", "schedule.host_buffers=copied"}));

TEST(PerfettoFile, ThatCannotBeWrittenIsSaidBeforeAnythingIsSimulated) {
  const test::TemporaryDirectory dir;
  const test::Outcome outcome =
      test::run_program(WEFT_BINARY, {"timeline", "googlenet-u250", "--perfetto", "none/t.pftrace"}, dir.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--perfetto"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace weft
