// weft timeline --perfetto and weft run --perfetto: the decoded file has the content of the CSV and JSON.

#include <map>
#include <set>
#include <tuple>

#include "tests/support/weft_test.h"
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

using Counts = std::vector<std::pair<std::uint64_t, std::int64_t>>;  // by time

// Returns the slices by the name of their track, in the order of the file; a slice ends before the next begins.
// `counts`: values of counter tracks.
std::map<std::string, std::vector<Slice>> slices_of(const std::string& bytes,
                                                    std::map<std::string, Counts>* counts = nullptr) {
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
    if (counts && event.type() == TrackEvent::COUNTER) {
      (*counts)[names[event.track_uuid()]].emplace_back(packet.timestamp(), event.counter_value());
      continue;
    }
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

class Perfetto : public test::WeftTest, public testing::WithParamInterface<std::vector<std::string>> {
 protected:
  std::string timeline(const Words& more) const {
    const Words words = with({"timeline", "resnet20-u250", "--rung", "analytical"}, {"batch=2"});
    return ok(test::joined(with(words, GetParam()), more)).out;
  }
};

TEST_P(Perfetto, TracksHaveEveryStepOnceAndTheCriticalPathTilesTheIteration) {
  const auto json = nlohmann::json::parse(timeline({"--format", "json", "--perfetto", "t.pftrace"}));
  const std::string csv = timeline({"--format", "csv"});
  const auto tracks = slices_of(text("t.pftrace"));

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
  const std::vector<std::string> lines = test::split(csv);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : lines[i]) {
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
  timeline({"--perfetto", "a"});
  timeline({"--perfetto", "b"});
  EXPECT_EQ(text("a"), text("b"));
}

INSTANTIATE_TEST_SUITE_P(
    Schedules, Perfetto,
    testing::Values(std::vector<std::string>{},
                    std::vector<std::string>{"schedule.overlap=double_buffer", "schedule.transfers=keep_activations",
                                             "schedule.load=region"},
                    std::vector<std::string>{"schedule.im2col=cpu", "schedule.host_buffers=copied"}));

class PerfettoOfARun : public test::WeftTest {
 protected:
  // A convolution of two groups, with DDR4: two launches.
  static constexpr const char* kRun = R"(
name: trace
board: u250
kernel: {design: fpgpt, array: {x: 4, y: 4}, clock_mhz: 100, profile: hls}
network:
  layers:
    - {name: a, channels: 8, h: 9, w: 7, filters: 6, kernel: 3, pad: 1, groups: 2}
batch: 2
rung: systemc
)";
  void SetUp() override { dir_.write("run.yaml", kRun); }
  static Words run(const Words& more) { return test::joined({"run", "run.yaml", "--no-save"}, more); }
  std::map<std::string, std::vector<Slice>> traced(const std::vector<std::string>& window,
                                                   std::map<std::string, Counts>* counts) const {
    result_ = json_of(run(test::joined({"--only", "a:GW", "--perfetto", "t.pftrace"}, window)));
    return slices_of(text("t.pftrace"), counts);
  }

  mutable nlohmann::json result_;
};

TEST_F(PerfettoOfARun, SlicesTileEachTrackAndAddUpToTheResult) {
  std::map<std::string, Counts> counts;
  const auto tracks = traced({"--cycles", "1000000"}, &counts);
  const nlohmann::json& row = result_["convolutions"][0];
  const std::uint64_t cycles = row["cycles"];
  ASSERT_EQ(tracks.size(), 12U);
  for (const auto& [name, slices] : tracks) {
    std::uint64_t free = 0;
    std::map<std::string, std::int64_t> sums;
    for (const Slice& slice : slices) {
      EXPECT_EQ(slice.start_ns, free) << name;
      EXPECT_LT(slice.start_ns, slice.end_ns) << name;
      free = slice.end_ns;
      sums[slice.name] += static_cast<std::int64_t>(slice.end_ns - slice.start_ns);
    }
    EXPECT_EQ(free, cycles) << name;
    if (name == "convolution") continue;
    for (const auto& [state, count] : row["blocks"][name].items())
      EXPECT_EQ(sums[state], count) << name << ' ' << state;
  }
  ASSERT_EQ(tracks.at("convolution").size(), 2U);
  EXPECT_EQ(tracks.at("convolution")[0].name, "a:GW group 0");
  EXPECT_EQ(tracks.at("convolution")[1].name, "a:GW group 1");
  // At most one push and one pop per cycle: between two shown cycles the fill of a FIFO changes by at most one; every
  // launch begins empty.
  ASSERT_EQ(counts.size(), 10U);
  const std::uint64_t second = tracks.at("convolution")[1].start_ns;
  for (const auto& [name, values] : counts) {
    EXPECT_EQ(values.front().second, 0) << name;
    std::int64_t before = 0;
    for (const auto& [time, value] : values) {
      EXPECT_GE(value, 0) << name;
      EXPECT_LE(value, 32) << name;
      if (time != second) {
        EXPECT_LE(std::abs(value - before), 1) << name << " at " << time;
      }
      before = value;
    }
  }
}

TEST_F(PerfettoOfARun, AWindowIsThatPartOfTheWhole) {
  std::map<std::string, Counts> all_counts, counts;
  const auto all = traced({"--cycles", "1000000"}, &all_counts);
  const std::uint64_t second = all.at("convolution")[1].start_ns, from = second - 700, to = second + 900;
  const auto window = traced({"--from", std::to_string(from), "--cycles", std::to_string(to - from)}, &counts);
  for (const auto& [name, slices] : all) {
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> expected, found;
    for (const Slice& slice : slices) {
      const std::uint64_t start = std::max(slice.start_ns, from), end = std::min(slice.end_ns, to);
      if (start < end) expected.emplace_back(start, end, slice.name);
    }
    for (const Slice& slice : window.at(name)) found.emplace_back(slice.start_ns, slice.end_ns, slice.name);
    EXPECT_EQ(found, expected) << name;
  }
  for (const auto& [name, values] : all_counts) {
    Counts expected{{from, 0}};
    for (const auto& [time, value] : values) {
      if (time <= from) expected[0].second = value;
      if (time > from && time < to) expected.emplace_back(time, value);
    }
    EXPECT_EQ(counts.at(name), expected) << name;
  }
}

TEST_F(PerfettoOfARun, IsTheSameOnBothRungsThatSimulateAndTheResultIsThatWithoutIt) {
  for (const char* rung : {"systemc", "exact"}) {
    const Words one{"--only", "a:F", "--rung", rung};
    EXPECT_EQ(json_of(run(test::joined(one, {"--perfetto", rung}))), json_of(run(one)));
  }
  EXPECT_EQ(text("systemc"), text("exact"));
}

}  // namespace
}  // namespace weft
