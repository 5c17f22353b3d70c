#include "model/nada/entity.h"

#include <algorithm>

#include "model/core/error.h"

namespace weft::nada {

namespace {

// Checked product below 2^60, so that the sum of a use and a limit stays within 64 bits.
std::int64_t counted(const char* what, std::initializer_list<std::int64_t> factors) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  const std::int64_t count = checked::product(what, factors);
  if (count > kMost) checked::fail(what);
  return count;
}

// Smallest a for each distinct value of ceil(n / a).
std::vector<std::int64_t> sides(std::int64_t n) {
  std::vector<std::int64_t> all;
  for (std::int64_t a = 1; a <= n;) {
    all.push_back(a);
    if (a == n) break;
    const std::int64_t rest = ceil_div(n, a);
    a = ceil_div(n, rest - 1);  // rest >= 2
  }
  return all;
}

std::vector<std::int64_t> taps(const Entity& entity) {
  if (entity.window == 1) return {1};
  return {1, entity.window};
}

template <typename Visit>
void for_each_parallelism(const Entity& entity, Visit visit) {
  for (const std::int64_t a : sides(entity.channels)) {
    for (const std::int64_t b : sides(entity.filters)) {
      for (const std::int64_t each : taps(entity)) visit(Parallelism{a, b, each});
    }
  }
}

}  // namespace

Cycles interval(const Entity& entity, const Parallelism& p) {
  return ceil_div(entity.channels, p.a) * ceil_div(entity.filters, p.b) * (entity.window / p.taps);
}

Cycles cycles(const Entity& entity, const Parallelism& parallelism) {
  if (entity.passes == 0) return entity.pixels;
  return std::max(entity.pixels, interval(entity, parallelism) * entity.outputs);
}

Use use(const Entity& entity, const Parallelism& parallelism, const Costs& costs) {
  Use all;
  all.m20k = ceil_div(entity.lines, costs.m20k_words);
  if (entity.passes == 0) return all;
  const std::int64_t lanes = parallelism.lanes();
  all.dsp = counted("the DSPs of a layer", {costs.dsp_per_lane, lanes, entity.passes});
  all.registers = counted("the registers of a layer", {costs.registers_per_lane, lanes, entity.passes});
  if (entity.weights_in_dram) return all;
  const Words depth = ceil_div(entity.weights(), lanes);
  if (depth <= costs.mlab_words) {
    all.mlab = counted("the MLABs of a layer", {costs.copies, lanes, costs.mlabs_per_bank});
  } else {
    all.m20k += counted("the blocks of memory of a layer", {costs.copies, lanes, ceil_div(depth, costs.m20k_words)});
  }
  return all;
}

std::vector<Choice> choices(const Entity& entity, const Costs& costs, Cycles period) {
  std::vector<Choice> all;
  if (entity.passes == 0) {
    if (entity.pixels <= period) all.push_back({{}, use(entity, {}, costs)});
    return all;
  }
  for_each_parallelism(entity, [&](const Parallelism& p) {
    if (cycles(entity, p) <= period) all.push_back({p, use(entity, p, costs)});
  });
  // DSPs and registers both depend only on the lanes.
  std::stable_sort(all.begin(), all.end(), [](const Choice& x, const Choice& y) {
    if (x.use.dsp != y.use.dsp) return x.use.dsp < y.use.dsp;
    if (x.use.m20k != y.use.m20k) return x.use.m20k < y.use.m20k;
    return x.use.mlab < y.use.mlab;
  });
  std::vector<Choice> best;
  for (const Choice& each : all) {
    if (std::none_of(best.begin(), best.end(), [&](const Choice& one) { return one.use.within(each.use); })) {
      best.push_back(each);
    }
  }
  return best;
}

std::vector<Cycles> attainable(const Entity& entity) {
  std::vector<Cycles> all;
  if (entity.passes == 0) {
    all.push_back(entity.pixels);
  } else {
    for_each_parallelism(entity, [&](const Parallelism& p) { all.push_back(cycles(entity, p)); });
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace weft::nada
