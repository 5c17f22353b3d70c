#include "platform/designs/barista/synth/calibration.h"

#include <fmt/core.h>

#include <utility>

#include "model/core/error.h"
#include "platform/designs/barista/synth/subject.h"
#include "platform/hardware/synth/fit.h"

namespace weft::barista {

namespace {

constexpr const char* kFolder = "model/barista/analytical";
constexpr const char* kColumns = "tr,tc,tp,s1,band";

struct Row {
  int tr, tc, tp, s1, band;
  bool test;
};

// Small meshes, as the forms are linear in what is replicated, with every length of the pipelines; the tile that was
// built is kept out.
constexpr Row kRows[] = {
    {2, 2, 8, 4, 4, false},    {4, 4, 16, 4, 8, false},  {2, 4, 8, 2, 4, false},     {3, 5, 10, 11, 8, false},
    {8, 4, 32, 11, 16, false}, {4, 8, 16, 3, 16, false}, {8, 8, 32, 11, 8, false},   {5, 3, 9, 1, 4, false},
    {6, 6, 12, 3, 4, false},   {2, 8, 16, 11, 4, false}, {8, 2, 16, 2, 16, false},   {16, 4, 64, 11, 16, false},
    {6, 5, 20, 11, 8, true},   {4, 8, 32, 4, 8, true},   {16, 16, 64, 11, 16, true},
};

Point point_of(const Row& row) {
  Point point;
  point.test = row.test;
  Alpha& a = point.alpha;
  a.tr = row.tr;
  a.tc = row.tc;
  a.tp = row.tp;
  a.partials = row.s1;
  a.band = row.band;
  return point;
}

RtlBlock block_named(const std::string& name, const std::string& place) {
  for (std::size_t i = 0; i < kRtlBlocks; ++i) {
    if (to_string(static_cast<RtlBlock>(i)) == name) return static_cast<RtlBlock>(i);
  }
  throw Error(fmt::format("{}: there is no block '{}'", place, name));
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
  for (const Point& point : points) kernels.push_back(synth_kernel(point.alpha));
  const std::vector<synth::BlockUse> uses = synthesis.blocks(kernels);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t block = 0; block < kRtlBlocks; ++block) {
      samples.push_back({points[i], static_cast<RtlBlock>(block), uses[i][block]});
    }
  }
  return samples;
}

std::string to_csv(const std::vector<Sample>& samples) {
  std::vector<synth::Measured> all;
  for (const Sample& s : samples) {
    const Alpha& a = s.point.alpha;
    synth::Measured& one = all.emplace_back();
    one.test = s.point.test;
    for (const int size : {a.tr, a.tc, a.tp, a.partials, a.band}) one.kernel.push_back(std::to_string(size));
    one.block = to_string(s.block);
    one.use = s.use;
  }
  return synth::to_csv(kColumns, all);
}

std::vector<Sample> read_csv(const std::string& text, const std::string& name) {
  std::vector<Sample> samples;
  int line = 2;
  for (const synth::Measured& each : synth::read_csv(kColumns, text, name)) {
    const std::string place = fmt::format("{}:{}", name, line++);
    const auto value = [&](std::size_t i) { return static_cast<int>(synth::number(each.kernel[i], place)); };
    samples.push_back({point_of({value(0), value(1), value(2), value(3), value(4), each.test}),
                       block_named(each.block, place), each.use});
  }
  return samples;
}

Fit fit(const std::vector<Sample>& samples) {
  Fit result;
  for (std::size_t i = 0; i < kRtlBlocks; ++i) {
    const auto block = static_cast<RtlBlock>(i);
    std::vector<synth::FitPoint> points;
    for (const Sample& s : samples) {
      if (s.block != block || s.point.test) continue;
      points.push_back({features(block, s.point.alpha), s.use, memory_use(block, s.point.alpha)});
    }
    if (points.empty()) throw Error(fmt::format("no point to fit {} to", to_string(block)));
    result.at(i) = synth::fitted(points);
  }
  return result;
}

std::string to_source(const Fit& fit) {
  std::vector<std::pair<std::string_view, LogicForm>> blocks;
  for (std::size_t i = 0; i < kRtlBlocks; ++i) blocks.emplace_back(to_string(static_cast<RtlBlock>(i)), fit.at(i));
  return synth::to_source(kFolder, blocks);
}

std::vector<synth::CheckedKernel> checked(const std::vector<Sample>& samples) {
  std::vector<synth::CheckedKernel> kernels;
  for (const Sample& sample : samples) {
    const Alpha& a = sample.point.alpha;
    if (sample.block == RtlBlock{}) {
      kernels.push_back(
          {sample.point.test,
           fmt::format("<{},{},{}> S1 {} band {}", a.tr, a.tc, a.tp, a.partials, a.band),
           {{"tile_r", a.tr}, {"tile_c", a.tc}, {"tile_p", a.tp}, {"partial_sums", a.partials}, {"band", a.band}},
           {},
           {}});
    }
    kernels.back().measured += sample.use;
    kernels.back().model += synthesised(sample.block, a);
  }
  return kernels;
}

}  // namespace weft::barista
