#include "model/conv/window.h"

#include <algorithm>
#include <limits>

namespace weft::conv {

namespace {

constexpr Words kNone = -1;

struct Span {
  Words low = std::numeric_limits<Words>::max();
  Words high = kNone;
  void add(Words first, Words last) {
    low = std::min(low, first);
    high = std::max(high, last);
  }
  bool empty() const { return high == kNone; }
  Words words() const { return empty() ? 0 : high - low + 1; }
};

// A run of a set within one output row: outputs (row, first..last).
struct Run {
  int row, first, last;
};

std::vector<Run> runs_of_set(const Convolution& c, std::int64_t begin, std::int64_t end) {
  std::vector<Run> runs;
  for (std::int64_t o = begin; o < end;) {
    const int row = static_cast<int>(o / c.w.out);
    const std::int64_t row_end = std::min<std::int64_t>(end, std::int64_t{row + 1} * c.w.out);
    runs.push_back({row, static_cast<int>(o % c.w.out), static_cast<int>((row_end - 1) % c.w.out)});
    o = row_end;
  }
  return runs;
}

// Smallest and largest stored column that outputs first..last touch at position `p`; empty if none.
Span columns(const Axis& w, int first, int last, int p) {
  Span span;
  for (int o = first; o <= last; ++o) {
    const int x = w.sample(o, p);
    if (x < 0) continue;
    span.add(x, x);
    break;
  }
  for (int o = last; o >= first && !span.empty(); --o) {
    const int x = w.sample(o, p);
    if (x < 0) continue;
    span.add(x, x);
    break;
  }
  return span;
}

}  // namespace

WindowGeometry window_geometry(const Convolution& c, int x) {
  WindowGeometry geometry;
  const std::int64_t map = c.out_map();
  const int rows = c.h.kern_dilated(), cols = c.w.kern_dilated();
  // With W_INP words a row, the address is row * W_INP + column, so a run's extremes are its rows' and columns'
  // extremes.
  std::vector<Span> column_span;
  for (std::int64_t begin = 0; begin < map; begin += x) {
    const std::vector<Run> runs = runs_of_set(c, begin, std::min(map, begin + x));
    column_span.assign(runs.size() * cols, {});
    for (std::size_t r = 0; r < runs.size(); ++r) {
      for (int j = 0; j < cols; ++j) column_span[r * cols + j] = columns(c.w, runs[r].first, runs[r].last, j);
    }
    Span set;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) {
        Span position;
        for (std::size_t r = 0; r < runs.size(); ++r) {
          const int y = c.h.sample(runs[r].row, i);
          const Span& span = column_span[r * cols + j];
          if (y < 0 || span.empty()) continue;
          position.add(Words{y} * c.w.inp + span.low, Words{y} * c.w.inp + span.high);
        }
        if (position.empty()) continue;
        geometry.z = std::max(geometry.z, position.words());
        set.add(position.low, position.high);
      }
    }
    geometry.z_channel = std::max(geometry.z_channel, set.words());
    geometry.set_start.push_back(set.empty() ? 0 : set.low);
  }
  return geometry;
}

}  // namespace weft::conv
