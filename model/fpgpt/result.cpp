#include "model/fpgpt/result.h"

#include <algorithm>

#include "model/conv/loop_nest.h"
#include "model/core/error.h"
#include "model/stream/ports.h"

namespace weft::fpgpt {

void derive(ConvolutionResult& result, const Plan& plan) {
  result.limiter = limiter(plan.beta.kind, result.activities);
  const Activities& array = result.activities[static_cast<std::size_t>(Block::Array)];
  result.pe_cycles = pe_cycles(plan, array, result.array_starved);
}

ConvolutionResult collect(Kernel& kernel, const BlockActivities& activities, Cycles cycles, memory::Memory& memory) {
  auto result = stream::counted<ConvolutionResult>(kernel, activities, cycles, memory);
  result.array_starved = kernel.array.starved();
  result.overflows = kernel.array.overflows() + kernel.out.constructor_gw.overflows();
  derive(result, *kernel.plan);
  // The memory counts beats when it delivers them, including those after the end, which are discarded and must not
  // count (GEN-6).
  for (const Port id : {Port::Inp, Port::Kern}) {
    memory::PortStats& stats = result.ports[static_cast<std::size_t>(id)];
    stats.read_beats = stats.busy_cycles;
  }
  return result;
}

using conv::stored_pairs;

namespace {

std::int64_t& of(PeCycles& cycles, PeClass pe_class) {
  return cycles[static_cast<std::size_t>(pe_class)];
}

// Product slots of a row: cycles of its X PEs in some sets.
struct Slots {
  std::int64_t without_output = 0;  // in columns beyond the last output of the map
  std::int64_t with_output = 0;
  std::int64_t stored = 0;  // of these: both words are stored
};

// Counts the products of the array's rows by set; sets are numbered over the whole convolution (ARR-1). All rows with a
// kernel do the same in a set, and the sets of all maps are the same.
class Products {
 public:
  Products(int x, int y, const conv::Convolution& beta)
      : x_(x),
        y_(y),
        beta_(beta),
        m_(beta.m()),
        sets_(ceil_div(beta.out_map(), x)),
        groups_(ceil_div(beta.n_kern, y)),
        pairs_of_columns_(stored_pairs(beta.w, beta.w.out)),
        map_(first(sets_)) {}

  std::int64_t sets_of_convolution() const { return sets_ * groups_ * beta_.a * beta_.n_inp; }

  // Adds the first `sets` sets of row `row`, and the first `products` products of the next set.
  void add(int row, std::int64_t sets, std::int64_t products, PeCycles& to) const {
    const std::int64_t maps = sets / sets_, begun = sets % sets_;
    const std::int64_t used = last_group_has(row) ? maps : maps - maps / groups_;
    add(map_, used, true, to);
    add(map_, maps - used, false, to);
    const bool uses_map = last_group_has(row) || maps % groups_ + 1 < groups_;
    add(first(begun), 1, uses_map, to);
    add(part(begun, products), 1, uses_map, to);
  }

 private:
  bool last_group_has(int row) const { return row < beta_.n_kern - (groups_ - 1) * y_; }

  static void add(const Slots& slots, std::int64_t times, bool row_has_kernel, PeCycles& to) {
    of(to, PeClass::UnusedColumns) += times * slots.without_output;
    if (row_has_kernel) {
      of(to, PeClass::Useful) += times * slots.stored;
      of(to, PeClass::Zeros) += times * (slots.with_output - slots.stored);
    } else {
      of(to, PeClass::UnusedRows) += times * slots.with_output;
    }
  }

  // Slots of all products of the first `sets` sets of a map.
  Slots first(std::int64_t sets) const {
    const std::int64_t outputs = std::min(sets * x_, beta_.out_map());
    const std::int64_t row = outputs / beta_.w.out, column = outputs % beta_.w.out;
    const std::int64_t pairs_of_rows = stored_pairs(beta_.h, row);
    std::int64_t stored = pairs_of_rows * pairs_of_columns_;
    if (column > 0) stored += (stored_pairs(beta_.h, row + 1) - pairs_of_rows) * stored_pairs(beta_.w, column);
    return {m_ * (sets * x_ - outputs), m_ * outputs, beta_.c * stored};
  }
  // Slots of the first products of one set of a map.
  Slots part(std::int64_t set, std::int64_t products) const {
    const std::int64_t begin = set * x_, end = std::min(begin + x_, beta_.out_map());
    Slots slots{products * (x_ - (end - begin)), products * (end - begin), 0};
    const std::int64_t columns = beta_.w.kern_dilated(), positions = columns * beta_.h.kern_dilated();
    for (std::int64_t product = 0; product < products; ++product) {
      const auto i = static_cast<int>(product % positions / columns), j = static_cast<int>(product % columns);
      if (i % beta_.h.kern_dilation != 0 || j % beta_.w.kern_dilation != 0) continue;
      for (std::int64_t output = begin; output < end; ++output) {
        const auto row = static_cast<int>(output / beta_.w.out), column = static_cast<int>(output % beta_.w.out);
        if (beta_.h.sample(row, i) >= 0 && beta_.w.sample(column, j) >= 0) ++slots.stored;
      }
    }
    return slots;
  }

  int x_, y_;
  const conv::Convolution& beta_;
  std::int64_t m_, sets_, groups_;
  std::int64_t pairs_of_columns_;  // stored pairs of a row of outputs
  Slots map_;                      // all sets of a map
};

}  // namespace

PeCycles pe_cycles(const Plan& plan, const Activities& array, const ArrayStarved& starved) {
  const int x = plan.alpha.x, y = plan.alpha.y;
  const std::int64_t pes = std::int64_t{x} * y;
  checked::product(kPeCyclesName, {pes, array.total()});  // the sum of all classes
  PeCycles cycles{};
  of(cycles, PeClass::StarvedInpColumn) = pes * starved[0];
  of(cycles, PeClass::StarvedKernRow) = pes * starved[1];
  of(cycles, PeClass::BlockedOutRow) = pes * array.of(Activity::Blocked);
  of(cycles, PeClass::Idle) = pes * array.of(Activity::Idle);

  const Products products(x, y, plan.beta);
  const ArrayRounds rounds = array_rounds(plan);
  const std::int64_t beyond = y + plan.alpha.format.final_add_cycles(), within = rounds.cycles - beyond;
  const std::int64_t whole = array.of(Activity::Active) / rounds.cycles;
  const std::int64_t begun = array.of(Activity::Active) % rounds.cycles;  // array cycles of a round
  for (int row = 0; row < y; ++row) {
    const std::int64_t filling = std::min<std::int64_t>(begun, row);
    const std::int64_t working = std::min(begun - filling, within);
    std::int64_t sets = working / plan.spacing, of_set = std::min(working % plan.spacing, plan.m);
    std::int64_t slots = whole * rounds.sets * plan.m + sets * plan.m + of_set;
    if (of_set == plan.m) {
      ++sets;
      of_set = 0;
    }
    products.add(row, whole * rounds.sets + sets, of_set, cycles);
    of(cycles, PeClass::Gaps) += x * (whole * within + working - slots);
    of(cycles, PeClass::FillDrain) += x * (whole * beyond + begun - working);
  }
  return cycles;
}

PeCycles pe_cycles_of_products(int x, int y, const conv::Convolution& beta) {
  checked::product(kPeCyclesName,
                   {x, y, beta.m(), ceil_div(beta.out_map(), x), ceil_div(beta.n_kern, y), beta.a, beta.n_inp});
  const Products products(x, y, beta);
  PeCycles cycles{};
  for (int row = 0; row < y; ++row) products.add(row, products.sets_of_convolution(), 0, cycles);
  return cycles;
}

}  // namespace weft::fpgpt
