#include "model/conv/window.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>

namespace weft::conv {

namespace {

using Distance = std::optional<std::int64_t>;  // nullopt if no two outputs fit

struct Range {
  std::int64_t first = 0, last = -1;  // of outputs
  bool single() const { return first == last; }
};

std::int64_t modulo(std::int64_t value, std::int64_t by) {
  const std::int64_t rest = value % by;
  return rest < 0 ? rest + by : rest;
}
std::int64_t floor_div(std::int64_t value, std::int64_t by) {
  return (value - modulo(value, by)) / by;
}
std::int64_t ceil_of(std::int64_t value, std::int64_t by) {
  return -floor_div(-value, by);
}

// One axis of a convolution in closed form: the stored samples of INP that an output touches, and the outputs that
// touch samples at a common position of the dilated window.
class Side {
 public:
  explicit Side(const Axis& axis)
      : outputs_(axis.out),
        stride_(axis.stride),
        pad_(axis.pad_begin),
        extent_(axis.kern_dilated()),
        dilation_(axis.inp_dilation),
        last_(std::int64_t{axis.inp - 1} * axis.inp_dilation),
        period_(dilation_ / std::gcd(stride_, dilation_)) {}

  std::int64_t outputs() const { return outputs_; }
  // Outputs that touch samples at the same position differ by multiples of this period.
  std::int64_t period() const { return period_; }
  // Outputs whose window is entirely inside INP: the samples they touch repeat every period().
  Range inner() const {
    return {std::max<std::int64_t>(0, ceil_of(pad_, stride_)),
            std::min(outputs_ - 1, floor_div(last_ - extent_ + 1 + pad_, stride_))};
  }

  // The smallest and the largest sample that an output touches. The output must touch at least one.
  std::int64_t low(std::int64_t output) const { return ceil_div(std::max<std::int64_t>(0, begin(output)), dilation_); }
  std::int64_t high(std::int64_t output) const { return floor_div(std::min(last_, end(output)), dilation_); }
  bool touches(std::int64_t output) const { return end(output) >= 0 && low(output) <= high(output); }

  // The first and the last output of a range that touches a sample.
  std::optional<std::int64_t> first_touching(Range range) const {
    for (std::int64_t o = range.first; o <= range.last;) {
      if (touches(o)) return o;
      const std::int64_t sample = low(o) * dilation_;
      if (sample > last_) break;
      o += ceil_div(sample - end(o), stride_);
    }
    return std::nullopt;
  }
  std::optional<std::int64_t> last_touching(Range range) const {
    for (std::int64_t o = range.last; o >= range.first;) {
      if (touches(o)) return o;
      if (end(o) < 0) break;
      o -= ceil_div(begin(o) - high(o) * dilation_, stride_);
    }
    return std::nullopt;
  }

  // Largest distance in samples from an output of `from` to one of `to`, where both touch samples at the same position
  // and the output of `to` is not earlier. One range is a single output, or `to` does not begin after `from`.
  Distance forward(Range from, Range to) const {
    if (from.single()) return samples(forward_from(from.first, to));
    if (to.single()) {
      const std::int64_t reach = last_ / stride_ / period_ * period_;  // limit for two outputs at one position
      const std::int64_t lowest = std::max({from.first, first_position_, to.first - reach});
      const std::int64_t output = to.first - floor_div(to.first - lowest, period_) * period_;
      return output > from.last ? Distance() : samples(forward_from(output, to));
    }
    if (stride_ == 1) {  // later outputs have at most as many samples before the end of INP
      const auto output = first_touching(from);
      return output ? samples(forward_from(*output, to)) : Distance();
    }
    Distance most;
    const std::int64_t lowest = std::max(from.first, first_position_);
    for (std::int64_t o = lowest; o <= from.last && o < lowest + period_; ++o)
      most = std::max(most, forward_from(o, to));
    return samples(most);
  }
  // Same as forward(), but the output of `to` may also be earlier. `from` ends and `to` begins at the border of the
  // outputs, or both are the same range.
  Distance either_way(Range from, Range to) const {
    const Distance found = forward(from, to);
    return found ? found : samples(backward(from, to));
  }

 private:
  std::int64_t begin(std::int64_t output) const { return output * stride_ - pad_; }
  std::int64_t end(std::int64_t output) const { return begin(output) + extent_ - 1; }
  // The first window position that may touch a sample.
  std::int64_t position(std::int64_t output) const {
    return begin(output) < 0 ? -begin(output) : modulo(-begin(output), dilation_);
  }
  bool ends_within(std::int64_t output, std::int64_t position) const { return begin(output) + position <= last_; }
  Distance samples(Distance outputs) const { return outputs ? *outputs * stride_ / dilation_ : outputs; }

  Distance forward_from(std::int64_t output, Range to) const {
    const std::int64_t at = position(output);
    if (at >= extent_) return std::nullopt;
    const std::int64_t last = std::min(to.last, floor_div(last_ - at + pad_, stride_));
    if (last < output) return std::nullopt;
    const std::int64_t far = (last - output) / period_ * period_;
    return output + far < to.first ? Distance() : far;
  }

  Distance backward(Range from, Range to) const {
    if (stride_ == 1) {
      const auto nearest = last_touching(to);
      if (!nearest) return std::nullopt;
      const std::int64_t gap = ceil_of(from.first - *nearest, period_) * period_;
      if (gap <= 0) return std::nullopt;
      // The first output with this gap reaches least far into INP.
      const auto output = first_touching({std::max(to.first, from.first - gap), to.last});
      return backward_from(*output, *output + gap, from);
    }
    Distance most;
    for (std::int64_t o = to.last; o >= to.first && o > to.last - period_; --o) {
      most = std::max(most, backward_from(o, o + ceil_of(from.first - o, period_) * period_, from));
    }
    return most;
  }
  Distance backward_from(std::int64_t before, std::int64_t behind, Range from) const {
    const std::int64_t at = position(before);
    const bool both = behind > before && behind <= from.last && at < extent_ && ends_within(behind, at);
    return both ? Distance(before - behind) : std::nullopt;
  }

  std::int64_t outputs_, stride_, pad_, extent_, dilation_;
  std::int64_t last_;  // coordinate of the last sample
  std::int64_t period_;
  std::int64_t first_position_ = std::max<std::int64_t>(0, ceil_of(pad_ - extent_ + 1, stride_));  // reaches INP
};

// Outputs of a set that cover the same columns in every row.
struct Block {
  Range rows, columns;
};

// Calls `look` for every index below `count` except repetitions: of `inner` only one period is visited.
template <class Look>
void for_each_kind(std::int64_t count, Range inner, std::int64_t period, Look look) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (i == inner.first + period && i <= inner.last) i = inner.last + 1;
    if (i < count) look(i);
  }
}

class Map {
 public:
  Map(const Convolution& c, int x) : h_(c.h), w_(c.w), pitch_(c.w.inp), x_(x), outputs_(c.out_map()) {}

  std::int64_t sets() const { return ceil_div(outputs_, x_); }

  // Addresses that a set touches.
  struct Span {
    Words low = 0, high = -1;
    Words words() const { return high - low + 1; }
  };
  Span span(std::int64_t set) const {
    Span all;
    for (const Block& block : blocks(set * x_)) {
      const auto top = h_.first_touching(block.rows), left = w_.first_touching(block.columns);
      if (!top || !left) continue;
      const std::int64_t bottom = *h_.last_touching(block.rows), right = *w_.last_touching(block.columns);
      const Words low = h_.low(*top) * pitch_ + w_.low(*left), high = h_.high(bottom) * pitch_ + w_.high(right);
      all = all.words() == 0 ? Span{low, high} : Span{std::min(all.low, low), std::max(all.high, high)};
    }
    return all;
  }

  WindowGeometry geometry() const {
    WindowGeometry geometry;
    if (x_ < w_.outputs()) {
      add_rows(geometry);
    } else {
      add_sets(geometry);
    }
    return geometry;
  }

 private:
  // Parts of the set that begins with output `begin`: rest of its first row, whole rows, part of its last row.
  struct Blocks {
    std::array<Block, 3> all;
    std::size_t count = 0;
    const Block* begin() const { return all.data(); }
    const Block* end() const { return all.data() + count; }
  };
  Blocks blocks(std::int64_t begin) const {
    const std::int64_t width = w_.outputs(), last = std::min(begin + x_, outputs_) - 1;
    const std::int64_t top = begin / width, bottom = last / width, left = begin % width, right = last % width;
    Blocks blocks;
    const auto add = [&](Range rows, Range columns) { blocks.all.at(blocks.count++) = {rows, columns}; };
    if (top == bottom) {
      add({top, top}, {left, right});
      return blocks;
    }
    add({top, top}, {left, width - 1});
    if (top + 1 < bottom) add({top + 1, bottom - 1}, {0, width - 1});
    add({bottom, bottom}, {0, right});
    return blocks;
  }

  void add(std::int64_t set, WindowGeometry& to) const {
    to.z_channel = std::max(to.z_channel, span(set).words());
    const Blocks all = blocks(set * x_);
    for (const Block* a = all.begin(); a != all.end(); ++a) {
      for (const Block* b = a; b != all.end(); ++b) {
        const Distance down = h_.forward(a->rows, b->rows), right = w_.either_way(a->columns, b->columns);
        if (down && right) to.z = std::max(to.z, *down * pitch_ + *right + 1);
      }
    }
  }

  // Sets of at least one row: there are at most as many sets as rows.
  void add_sets(WindowGeometry& to) const {
    const std::int64_t width = w_.outputs(), common = std::gcd<std::int64_t>(x_, width);
    const std::int64_t rows = x_ / common;  // rows filled by `width / common` sets
    const std::int64_t period = width / common * (h_.period() / std::gcd(h_.period(), rows));
    const Range inner{ceil_div(h_.inner().first * width, x_), (h_.inner().last + 1) * width / x_ - 1};
    for_each_kind(sets(), inner, period, [&](std::int64_t set) { add(set, to); });
  }

  // Sets within one row, whose row and column distances add up, and sets that continue in the next row.
  void add_rows(WindowGeometry& to) const {
    const std::int64_t width = w_.outputs(), common = std::gcd<std::int64_t>(x_, width);
    const auto kinds = static_cast<std::size_t>(x_ / common);  // kinds of rows, by the column of their first set
    // Largest number of words of a set in one row of INP, by kind of row; 0 if no set touches a sample.
    struct Most {
      Words at_position = 0, at_any = 0;
    };
    std::vector<Most> most(kinds);
    const Range inner{ceil_div(w_.inner().first, common), floor_div(w_.inner().last - x_ + 1, common)};
    const std::int64_t period = std::lcm<std::int64_t>(w_.period(), x_) / common;
    for_each_kind((width - x_) / common + 1, inner, period, [&](std::int64_t i) {
      const Range columns{i * common, i * common + x_ - 1};
      const auto left = w_.first_touching(columns);
      if (!left) return;
      Most& of_kind = most[static_cast<std::size_t>(i) % kinds];
      of_kind.at_position = std::max(of_kind.at_position, *w_.forward(columns, columns) + 1);
      of_kind.at_any = std::max(of_kind.at_any, w_.high(*w_.last_touching(columns)) - w_.low(*left) + 1);
    });

    const auto rows = static_cast<std::int64_t>(kinds);
    const Range inner_rows{h_.inner().first, h_.inner().last - 1};
    for_each_kind(h_.outputs(), inner_rows, std::lcm(rows, h_.period()), [&](std::int64_t row) {
      const std::int64_t first = modulo(-row * width, x_);
      const Most& of_row = most[static_cast<std::size_t>(first / common)];
      if (of_row.at_any > 0 && h_.touches(row)) {
        to.z = std::max(to.z, of_row.at_position);
        to.z_channel = std::max(to.z_channel, (h_.high(row) - h_.low(row)) * pitch_ + of_row.at_any);
      }
      const std::int64_t last = first + (width - 1 - first) / x_ * x_;
      if (last + x_ > width) add((row * width + last) / x_, to);
    });
  }

  Side h_, w_;
  Words pitch_;
  std::int64_t x_, outputs_;
};

}  // namespace

WindowGeometry window_geometry(const Convolution& c, int x) {
  return Map(c, x).geometry();
}

std::vector<Words> set_starts(const Convolution& c, int x) {
  const Map map(c, x);
  std::vector<Words> starts;
  starts.reserve(static_cast<std::size_t>(map.sets()));
  for (std::int64_t set = 0; set < map.sets(); ++set) starts.push_back(map.span(set).low);
  return starts;
}

}  // namespace weft::conv
