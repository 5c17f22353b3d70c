#include "platform/designs/fpgpt/synth/calibration.h"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "model/core/error.h"
#include "platform/designs/fpgpt/synth/subject.h"
#include "platform/hardware/synth/fit.h"

namespace weft::fpgpt {

namespace {

constexpr Profile kHls = Profile::hls();
constexpr Profile kRtl = Profile::rtl();
constexpr Profile kWide{false, false, true, false, false};   // KERN stored a beat a cycle, rows skewed
constexpr Profile kOverlap{true, true, false, true, false};  // KERN stored a word a cycle, rows not skewed
constexpr auto kBoth = Variant::Both;
constexpr auto kFgi = Variant::FGI;
constexpr auto kGw = Variant::GW;
constexpr auto kPacked = Packing::Packed;
constexpr auto kPadded = Packing::Padded;
constexpr NumberFormat fxp(int bits) {
  return NumberFormat::fixed(bits);
}

struct Row {
  int x, y, z, band;
  Words z_channel, kern_words, out_words;
  std::int64_t max_sets;
  Profile profile;
  Variant variant;
  bool test;
  Packing packing = Packing::Packed;
  NumberFormat format = NumberFormat::fp32();
};

// Small kernels, so that all of it takes minutes: the forms are linear in what is replicated. Memories of one word to
// several BRAMs deep.
constexpr Row kRows[] = {
    {2, 2, 4, 4, 128, 256, 512, 64, kHls, kBoth, false},
    {4, 2, 8, 8, 512, 1024, 1024, 64, kRtl, kBoth, false},
    {4, 4, 8, 16, 512, 4096, 4096, 64, kHls, kBoth, false},
    {4, 8, 8, 8, 512, 8192, 4096, 64, kWide, kBoth, false},
    {8, 8, 16, 16, 1024, 16384, 16384, 256, kHls, kBoth, false},
    {2, 8, 4, 4, 128, 2048, 1024, 64, kOverlap, kBoth, false},
    {8, 2, 8, 8, 512, 1024, 8192, 64, kWide, kBoth, false},
    {3, 5, 6, 8, 300, 1024, 1024, 64, kHls, kBoth, false},
    {8, 4, 8, 16, 512, 4096, 8192, 256, kRtl, kFgi, false},
    {2, 4, 4, 8, 128, 1024, 1024, 64, kHls, kFgi, false},
    {4, 8, 8, 4, 512, 8192, 4096, 64, kHls, kGw, false},
    {8, 2, 4, 4, 128, 1024, 8192, 64, kRtl, kGw, false},
    {6, 3, 5, 8, 200, 1024, 1024, 64, kRtl, kBoth, true},
    {2, 4, 8, 16, 512, 4096, 1024, 64, kOverlap, kBoth, true},
    {8, 4, 4, 8, 128, 4096, 8192, 64, kHls, kFgi, true},
    {8, 8, 8, 4, 512, 8192, 8192, 64, kRtl, kGw, true},
    {2, 2, 4, 4, 128, 256, 512, 64, kHls, kBoth, false, kPacked, fxp(8)},
    {4, 2, 8, 2, 512, 1024, 1024, 64, kRtl, kBoth, false, kPacked, fxp(8)},
    {4, 4, 8, 8, 512, 4096, 4096, 64, kHls, kBoth, false, kPacked, fxp(16)},
    {4, 8, 8, 4, 512, 8192, 4096, 64, kWide, kBoth, false, kPadded, fxp(12)},
    {8, 8, 16, 4, 1024, 16384, 16384, 256, kHls, kBoth, false, kPacked, fxp(8)},
    {2, 8, 4, 2, 128, 2048, 1024, 64, kOverlap, kBoth, false, kPacked, fxp(14)},
    {8, 2, 8, 4, 512, 1024, 8192, 64, kWide, kBoth, false, kPacked, fxp(16)},
    {3, 5, 6, 4, 300, 1024, 1024, 64, kHls, kBoth, false, kPacked, fxp(12)},
    {8, 4, 8, 8, 512, 4096, 8192, 256, kRtl, kFgi, false, kPacked, fxp(12)},
    {2, 4, 4, 4, 128, 1024, 1024, 64, kHls, kFgi, false, kPacked, fxp(4)},
    {4, 8, 8, 2, 512, 8192, 4096, 64, kHls, kGw, false, kPacked, fxp(16)},
    {8, 2, 4, 2, 128, 1024, 8192, 64, kRtl, kGw, false, kPacked, fxp(6)},
    {4, 4, 4, 8, 256, 2048, 2048, 64, kRtl, kBoth, false, kPacked, fxp(8)},
    {6, 4, 12, 4, 384, 2048, 2048, 64, kHls, kBoth, true, kPacked, fxp(10)},
    {4, 6, 10, 4, 320, 2048, 2048, 64, kWide, kBoth, false, kPadded, fxp(5)},
    {5, 3, 7, 8, 256, 1024, 1024, 64, kOverlap, kBoth, false, kPacked, fxp(16)},
    {6, 3, 5, 4, 200, 1024, 1024, 64, kRtl, kBoth, false, kPacked, fxp(8)},
    {2, 4, 8, 8, 512, 4096, 1024, 64, kOverlap, kBoth, true, kPacked, fxp(12)},
    {8, 4, 4, 4, 128, 4096, 8192, 64, kHls, kFgi, true, kPacked, fxp(16)},
    {8, 8, 8, 2, 512, 8192, 8192, 64, kRtl, kGw, true, kPadded, fxp(14)},
};

Point point_of(const Row& row) {
  Point point;
  point.test = row.test;
  point.kernel.max_sets = row.max_sets;
  Alpha& a = point.kernel.alpha;
  a.x = row.x;
  a.y = row.y;
  a.z = row.z;
  a.bus_bits = 32 * row.band;
  a.z_channel = row.z_channel;
  a.k_range = row.kern_words;
  a.kern_words = row.kern_words;
  a.out_words = row.out_words;
  a.profile = row.profile;
  a.variant = row.variant;
  a.format = row.format;
  a.packing = row.packing;
  return point;
}

constexpr const char* kColumns =
    "x,y,z,band,z_channel,kern_words,out_words,max_sets,variant,exact_bursts,overlap_drain,wide_kern_load,"
    "early_kern_feed,packed_gw_sets,format,packing";

RtlBlock block_named(const std::string& name, const std::string& place) {
  for (std::size_t i = 0; i < kRtlBlocks; ++i) {
    if (to_string(static_cast<RtlBlock>(i)) == name) return static_cast<RtlBlock>(i);
  }
  throw Error(fmt::format("{}: there is no block '{}'", place, name));
}

Sample sample_of(const synth::Measured& measured, const std::string& place) {
  const std::vector<std::string>& field = measured.kernel;
  const auto value = [&](std::size_t i) { return synth::number(field[i], place); };
  const auto flag = [&](std::size_t i) { return value(i) != 0; };
  const std::optional<NumberFormat> format = parse_number_format(field[14]);
  if (!format)
    throw Error(fmt::format("{}: there is no format '{}', only {}", place, field[14], number_formats_text()));
  const Row row{static_cast<int>(value(0)),
                static_cast<int>(value(1)),
                static_cast<int>(value(2)),
                static_cast<int>(value(3)),
                value(4),
                value(5),
                value(6),
                value(7),
                {flag(9), flag(10), flag(11), flag(12), flag(13)},
                field[8] == "fgi"  ? kFgi
                : field[8] == "gw" ? kGw
                                   : kBoth,
                measured.test,
                field[15] == to_string(kPadded) ? kPadded : kPacked,
                *format};
  return {point_of(row), block_named(measured.block, place), measured.use};
}

}  // namespace

std::vector<Point> calibration_points() {
  std::vector<Point> points;
  for (const Row& row : kRows) points.push_back(point_of(row));
  return points;
}

std::vector<Sample> measure(synth::Synthesis& synthesis) {
  const std::vector<Point> points = calibration_points();
  std::vector<synth::Kernel> kernels;
  kernels.reserve(points.size());
  for (const Point& point : points) kernels.push_back(synth_kernel(point.kernel.alpha, point.kernel.max_sets));
  const std::vector<synth::BlockUse> uses = synthesis.blocks(kernels);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t block = 0; block < kRtlBlocks; ++block) {
      const auto rtl_block = static_cast<RtlBlock>(block);
      if (!has_block(points[i].kernel.alpha.variant, rtl_block)) continue;
      samples.push_back({points[i], rtl_block, uses[i][block]});
    }
  }
  return samples;
}

std::string to_csv(const std::vector<Sample>& samples) {
  std::vector<synth::Measured> all;
  for (const Sample& s : samples) {
    const Alpha& a = s.point.kernel.alpha;
    synth::Measured& one = all.emplace_back();
    one.test = s.point.test;
    for (const std::int64_t size : {Words{a.x}, Words{a.y}, Words{a.z}, Words{a.bus_words()}, a.z_channel, a.kern_words,
                                    a.out_words, s.point.kernel.max_sets}) {
      one.kernel.push_back(std::to_string(size));
    }
    one.kernel.emplace_back(to_string(a.variant));
    for (const ProfileSwitch& each : kProfileSwitches) one.kernel.emplace_back(a.profile.*each.on ? "1" : "0");
    one.kernel.emplace_back(to_string(a.format));
    one.kernel.emplace_back(to_string(a.packing));
    one.block = to_string(s.block);
    one.use = s.use;
  }
  return synth::to_csv(kColumns, all);
}

std::vector<Sample> read_csv(const std::string& text, const std::string& name) {
  std::vector<Sample> samples;
  int line = 2;
  for (const synth::Measured& each : synth::read_csv(kColumns, text, name)) {
    samples.push_back(sample_of(each, fmt::format("{}:{}", name, line++)));
  }
  return samples;
}

std::array<LogicForm, kRtlBlocks> fit(const std::vector<Sample>& samples, NumberFormat::Kind numbers) {
  std::array<LogicForm, kRtlBlocks> result;
  for (std::size_t i = 0; i < kRtlBlocks; ++i) {
    const auto block = static_cast<RtlBlock>(i);
    std::vector<synth::FitPoint> points;
    for (const Sample& s : samples) {
      const SizedKernel& kernel = s.point.kernel;
      if (s.block != block || s.point.test || kernel.alpha.format.kind != numbers) continue;
      points.push_back(
          {features(block, kernel.alpha, kernel.max_sets), s.use, memory_use(block, kernel.alpha, kernel.max_sets)});
    }
    if (points.empty()) throw Error(fmt::format("no point to fit {} to", to_string(block)));
    result[i] = synth::fitted(points);
  }
  return result;
}

std::string to_source(const std::array<LogicForm, kRtlBlocks>& forms) {
  std::vector<std::pair<std::string_view, LogicForm>> blocks;
  for (std::size_t i = 0; i < kRtlBlocks; ++i) blocks.emplace_back(to_string(static_cast<RtlBlock>(i)), forms[i]);
  return synth::to_source("model/fpgpt/analytical", blocks);
}

}  // namespace weft::fpgpt
