#include "model/core/logic_form.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "model/core/units.h"

namespace weft {

namespace {

std::int64_t rounded_sum(const std::vector<double>& coefficients, const std::vector<double>& features) {
  double sum = 0;
  for (std::size_t i = 0; i < features.size(); ++i) sum += coefficients[i] * features[i];
  return std::llround(std::max(0.0, sum));
}

}  // namespace

LogicUse LogicForm::of(const std::vector<double>& features) const {
  LogicUse use;
  use.dsp = rounded_sum(dsp, features);
  use.lut = rounded_sum(lut, features);
  use.ff = rounded_sum(ff, features);
  return use;
}

std::int64_t index_bits(std::int64_t n) {
  std::int64_t bits = 1;
  while ((std::int64_t{1} << bits) < n) ++bits;
  return bits;
}

std::int64_t lut_memory(std::int64_t width, std::int64_t depth) {
  if (depth <= 32) return 8 * ceil_div(width, 14);
  return 8 * ceil_div(width, 7) * ceil_div(depth, 64);
}

std::int64_t fifo_luts(std::int64_t width, std::int64_t depth) {
  return depth <= 1 ? 0 : lut_memory(width, depth);
}

void add_regroup_features(std::vector<double>& features, std::int64_t in, std::int64_t out) {
  const std::int64_t hold = std::max(in, out), all = hold + in;
  features.push_back(static_cast<double>(hold));
  features.push_back(static_cast<double>(in * index_bits(hold)));
  features.push_back(static_cast<double>(all * index_bits(out + 1)));
}

std::vector<double> encode_features(std::int64_t in, std::int64_t band) {
  std::vector<double> features{1, static_cast<double>(band)};
  add_regroup_features(features, in, band);
  return features;
}

}  // namespace weft
