#include "platform/fpgpt/synth/calibration.h"

#include <fmt/core.h>

#include <Eigen/Dense>
#include <algorithm>
#include <sstream>

#include "model/core/error.h"
#include "platform/fpgpt/synth/subject.h"

namespace weft::fpgpt {

namespace {

constexpr Profile kHls = Profile::hls();
constexpr Profile kRtl = Profile::rtl();
constexpr Profile kWide{false, false, true, false, false};   // KERN stored a beat a cycle, rows skewed
constexpr Profile kOverlap{true, true, false, true, false};  // KERN stored a word a cycle, rows not skewed
constexpr auto kBoth = Variant::Both;
constexpr auto kFgi = Variant::FGI;
constexpr auto kGw = Variant::GW;

struct Row {
  int x, y, z, band;
  Words z_channel, kern_words, out_words;
  std::int64_t max_sets;
  Profile profile;
  Variant variant;
  bool test;
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
};

Point point_of(const Row& row) {
  Point point;
  point.test = row.test;
  point.kernel.max_sets = row.max_sets;
  Alpha& a = point.kernel.alpha;
  a.x = row.x;
  a.y = row.y;
  a.z = row.z;
  a.band = row.band;
  a.z_channel = row.z_channel;
  a.k_range = row.kern_words;
  a.kern_words = row.kern_words;
  a.out_words = row.out_words;
  a.profile = row.profile;
  a.variant = row.variant;
  return point;
}

constexpr const char* kHeader =
    "set,x,y,z,band,z_channel,kern_words,out_words,max_sets,variant,exact_bursts,overlap_drain,wide_kern_load,"
    "early_kern_feed,packed_gw_sets,block,dsp,lut,ff,bram18,uram";
constexpr std::size_t kColumns = 21;

// A file of ours: a field that is no number is a damaged file.
std::int64_t number(const std::string& field, const std::string& place) {
  std::size_t end = 0;
  std::int64_t value = -1;
  try {
    value = std::stoll(field, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end == 0 || end != field.size()) throw Error(fmt::format("{}: '{}' is not a number", place, field));
  return value;
}

RtlBlock block_named(const std::string& name, const std::string& place) {
  for (std::size_t i = 0; i < kRtlBlocks; ++i) {
    if (to_string(static_cast<RtlBlock>(i)) == name) return static_cast<RtlBlock>(i);
  }
  throw Error(fmt::format("{}: there is no block '{}'", place, name));
}

Sample sample_of(const std::vector<std::string>& field, const std::string& place) {
  const auto value = [&](std::size_t i) { return number(field[i], place); };
  const auto flag = [&](std::size_t i) { return value(i) != 0; };
  const Row row{static_cast<int>(value(1)),
                static_cast<int>(value(2)),
                static_cast<int>(value(3)),
                static_cast<int>(value(4)),
                value(5),
                value(6),
                value(7),
                value(8),
                {flag(10), flag(11), flag(12), flag(13), flag(14)},
                field[9] == "fgi"  ? kFgi
                : field[9] == "gw" ? kGw
                                   : kBoth,
                field[0] == "test"};
  return {point_of(row), block_named(field[15], place), {value(16), value(17), value(18), value(19), value(20)}};
}

// Coefficients of one resource of one block: weights make a relative error of equal size count the same at every point.
std::vector<double> solve(const std::vector<const Sample*>& samples, std::int64_t LogicUse::*resource) {
  const auto rows = static_cast<Eigen::Index>(samples.size());
  const std::size_t columns = fpgpt::features(samples.front()->block, samples.front()->point.kernel.alpha, 1).size();
  Eigen::MatrixXd a(rows, static_cast<Eigen::Index>(columns));
  Eigen::VectorXd b(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const Sample& sample = *samples[static_cast<std::size_t>(i)];
    const SizedKernel& kernel = sample.point.kernel;
    const std::vector<double> f = fpgpt::features(sample.block, kernel.alpha, kernel.max_sets);
    const auto measured = static_cast<double>(sample.use.*resource);
    const double weight = 1 / std::max(measured, 1.0);
    for (std::size_t j = 0; j < columns; ++j) a(i, static_cast<Eigen::Index>(j)) = f[j] * weight;
    const LogicUse memory = memory_use(sample.block, kernel.alpha, kernel.max_sets);
    b(i) = (measured - static_cast<double>(memory.*resource)) * weight;
  }
  const Eigen::VectorXd x = a.completeOrthogonalDecomposition().solve(b);
  return {x.data(), x.data() + x.size()};
}

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", value);
  return "{" + text + "}";
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
  std::string text = std::string(kHeader) + "\n";
  for (const Sample& s : samples) {
    const Alpha& a = s.point.kernel.alpha;
    const Profile& p = a.profile;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{:d},{:d},{:d},{:d},{:d},{},{},{},{},{},{}\n",
                        s.point.test ? "test" : "fit", a.x, a.y, a.z, a.band, a.z_channel, a.kern_words, a.out_words,
                        s.point.kernel.max_sets, to_string(a.variant), p.exact_bursts, p.overlap_drain,
                        p.wide_kern_load, p.early_kern_feed, p.packed_gw_sets, to_string(s.block), s.use.dsp, s.use.lut,
                        s.use.ff, s.use.bram18, s.use.uram);
  }
  return text;
}

std::vector<Sample> read_csv(const std::string& text, const std::string& name) {
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  if (line != kHeader) throw Error(fmt::format("{}:1: the columns must be {}", name, kHeader));
  std::vector<Sample> samples;
  for (int number = 2; std::getline(in, line); ++number) {
    std::vector<std::string> fields;
    std::istringstream words(line);
    for (std::string field; std::getline(words, field, ',');) fields.push_back(field);
    const std::string place = fmt::format("{}:{}", name, number);
    if (fields.size() != kColumns)
      throw Error(fmt::format("{}: must have {} columns, has {}", place, kColumns, fields.size()));
    samples.push_back(sample_of(fields, place));
  }
  return samples;
}

Fit fit(const std::vector<Sample>& samples) {
  Fit result;
  for (std::size_t block = 0; block < kRtlBlocks; ++block) {
    std::vector<const Sample*> own;
    for (const Sample& sample : samples) {
      if (sample.block == static_cast<RtlBlock>(block) && !sample.point.test) own.push_back(&sample);
    }
    if (own.empty()) throw Error(fmt::format("no point to fit {} to", to_string(static_cast<RtlBlock>(block))));
    result[block] = {solve(own, &LogicUse::dsp), solve(own, &LogicUse::lut), solve(own, &LogicUse::ff)};
  }
  return result;
}

std::string to_source(const Fit& fit) {
  std::string text =
      "// Made by `weft synth --calibrate model/fpgpt/analytical` from rtl_resources.csv: per block DSP, LUT, FF.\n";
  for (std::size_t block = 0; block < kRtlBlocks; ++block) {
    text += fmt::format("// {}\n{{{},\n {},\n {}}},\n", to_string(static_cast<RtlBlock>(block)),
                        numbers(fit[block].dsp), numbers(fit[block].lut), numbers(fit[block].ff));
  }
  return text;
}

}  // namespace weft::fpgpt
