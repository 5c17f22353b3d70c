#include "model/fpgpt/dse/sharing.h"

#include <fmt/core.h>
#include <z3++.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "model/core/error.h"
#include "model/fpgpt/analytical/equations.h"

namespace weft::fpgpt::dse {

namespace {

constexpr const char* kCycles = "the cycles of the convolutions of a kernel";

Cycles all_launches(Cycles each, const Item& item) {
  return checked::product(kCycles, {each, item.launches});
}

// Takes the larger of each parameter, as Algorithm 2 does.
void grow(Alpha& alpha, const Alpha& other) {
  alpha.x = std::max(alpha.x, other.x);
  alpha.y = std::max(alpha.y, other.y);
  grow_sizes(alpha, other);
}

bool holds(const Alpha& alpha, const Sizes& sizes) {
  return sizes.z <= alpha.z && sizes.z_channel <= alpha.z_channel && sizes.k_range <= alpha.k_range &&
         sizes.kern_words <= alpha.kern_words && sizes.out_words <= alpha.out_words;
}

class Merger {
 public:
  Merger(const SharingInput& input, MergeReading reading) : in_(input), reading_(reading) {}

  std::optional<Alpha> alpha_of(const std::vector<std::size_t>& items) const {
    Alpha alpha = design(items.front()).alpha;
    for (const std::size_t item : items) {
      if (variant_of(beta(item).kind) != alpha.variant) return std::nullopt;
      grow(alpha, design(item).alpha);
    }
    if (reading_ == MergeReading::Printed) {
      for (const std::size_t item : items) {
        const conv::Convolution launch = launched(in_.problem, alpha, beta(item));
        if (!holds(alpha, sizes_of(alpha, launch, window(item, alpha.x)))) return std::nullopt;
      }
      return alpha;
    }
    // An optimum's Z beyond its needs is at most BAND; needs at the new X replace the needs at the old.
    const int widened = std::min(alpha.z, alpha.band(Port::Inp));
    Alpha refitted = fitted_to(alpha, items.front());
    for (const std::size_t item : items) grow(refitted, fitted_to(alpha, item));
    if (in_.problem.space.z == ZChoice::Searched) refitted.z = std::max(refitted.z, widened);
    return refitted;
  }

  // Returns the kernel with the storages that fit the board, if any do.
  std::optional<Alpha> on_board(const Alpha& alpha, const std::vector<std::size_t>& items) const {
    std::vector<conv::Convolution> betas;
    betas.reserve(items.size());
    for (const std::size_t item : items) betas.push_back(launched(in_.problem, alpha, beta(item)));
    const Stored kernel = stored(in_.problem, alpha, betas);
    return kernel.fits ? std::optional<Alpha>(kernel.alpha) : std::nullopt;
  }

  // Returns Algorithm 2's kernel for the items if it fits and keeps the limit.
  std::optional<Alpha> sound(const std::vector<std::size_t>& items, PenaltyLimit limit) const {
    const std::optional<Alpha> alpha = alpha_of(items);
    return alpha && keeps(*alpha, items, limit) ? on_board(*alpha, items) : std::nullopt;
  }

  bool keeps(const Alpha& alpha, const std::vector<std::size_t>& items, PenaltyLimit limit) const {
    return std::all_of(items.begin(), items.end(),
                       [&](std::size_t item) { return cycles(alpha, item) <= limit.most_cycles(design(item).cycles); });
  }

 private:
  const conv::Convolution& beta(std::size_t item) const { return in_.problem.shapes[in_.items[item].shape]; }
  const Design& design(std::size_t item) const { return in_.optimal[in_.items[item].shape]; }
  const conv::WindowGeometry& window(std::size_t item, int x) const { return in_.windows[in_.items[item].shape].of(x); }
  Cycles cycles(const Alpha& alpha, std::size_t item) const { return cycles_on(in_, alpha, in_.items[item].shape); }
  Alpha fitted_to(const Alpha& alpha, std::size_t item) const {
    const conv::WindowGeometry& of_x = window(item, alpha.x);
    if (!in_.problem.split) return fitted(alpha, beta(item), of_x);
    return fitted(alpha, fitted_launches(in_.problem, alpha, beta(item), of_x).launch, of_x);
  }

  const SharingInput& in_;
  MergeReading reading_;
};

std::vector<SharedKernel> one_each(const SharingInput& input) {
  std::vector<SharedKernel> groups;
  for (std::size_t item = 0; item < input.items.size(); ++item) {
    const Design& design = input.optimal[input.items[item].shape];
    groups.push_back({design.alpha, {item}, all_launches(design.cycles, input.items[item]), 0});
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const SharedKernel& a, const SharedKernel& b) { return a.cycles > b.cycles; });
  return groups;
}

// Returns the kernel of the items that `giver` keeps: Algorithm 2's or, if that breaks the limits, the kernel of
// `giver`. Fewer members can need more cycles: a smaller X has more sets, and Z_channel need not shrink with it.
SharedKernel rest_of(const SharingInput& input, const SharedKernel& giver, std::vector<std::size_t> items,
                     PenaltyLimit limit, MergeReading reading) {
  const std::optional<Alpha> alpha = Merger(input, reading).sound(items, limit);
  return shared_kernel(input, alpha ? *alpha : giver.alpha, std::move(items));
}

// Best merge of a group `giver`: the group that takes its items, grown, and the items that are left.
struct Merge {
  std::size_t taker = 0;
  SharedKernel grown;
  std::vector<std::size_t> left;
};

// Merges that were tried, by the items of giver and taker.
using Merges = std::map<std::pair<std::vector<std::size_t>, std::vector<std::size_t>>, std::optional<Merge>>;

std::optional<Merge> best_merge(const SharingInput& input, const std::vector<SharedKernel>& groups, std::size_t giver,
                                PenaltyLimit limit, MergeReading reading, Merges& merges) {
  std::optional<Merge> best;
  const auto rank = [](const SharedKernel& kernel) { return std::tuple(kernel.worst_penalty, kernel.cycles); };
  for (std::size_t taker = 0; taker < groups.size(); ++taker) {
    if (taker == giver || groups[taker].items.size() < groups[giver].items.size()) continue;
    const auto [known, is_new] = merges.try_emplace({groups[giver].items, groups[taker].items});
    std::optional<Merge>& merged = known->second;
    if (is_new) merged = Merge{taker, groups[taker], groups[giver].items};
    if (is_new && !merge(input, merged->grown, merged->left, limit, reading)) merged.reset();
    if (!merged || (best && !(rank(merged->grown) < rank(best->grown)))) continue;
    best = merged;
    best->taker = taker;
  }
  return best;
}

}  // namespace

Cycles PenaltyLimit::most_cycles(Cycles optimal) const {
  constexpr std::int64_t kWhole = 100'000;
  // optimal * milli_percent / 100000 within 64 bits: cycles are below 2^60, the limit is at most 100 %.
  return optimal + optimal / kWhole * milli_percent + optimal % kWhole * milli_percent / kWhole;
}

Cycles cycles_on(const SharingInput& input, const Alpha& alpha, std::size_t shape) {
  return cycles_of(input.problem, alpha, input.problem.shapes[shape], input.windows[shape].of(alpha.x));
}

SharedKernel shared_kernel(const SharingInput& input, const Alpha& alpha, std::vector<std::size_t> items) {
  SharedKernel kernel;
  kernel.alpha = alpha;
  for (const std::size_t item : items) {
    const std::size_t shape = input.items[item].shape;
    const Cycles shared = cycles_on(input, alpha, shape), optimal = input.optimal[shape].cycles;
    const double worse = static_cast<double>(shared - optimal) / static_cast<double>(optimal);
    kernel.worst_penalty = item == items.front() ? worse : std::max(kernel.worst_penalty, worse);
    checked::add(kernel.cycles, all_launches(shared, input.items[item]), kCycles);
  }
  kernel.items = std::move(items);
  return kernel;
}

std::optional<SharedKernel> merged_kernel(const SharingInput& input, const std::vector<std::size_t>& items,
                                          MergeReading reading) {
  const std::optional<Alpha> alpha = Merger(input, reading).alpha_of(items);
  if (!alpha) return std::nullopt;
  return shared_kernel(input, *alpha, items);
}

bool merge(const SharingInput& input, SharedKernel& group, std::vector<std::size_t>& from, PenaltyLimit limit,
           MergeReading reading) {
  const Merger merger(input, reading);
  std::vector<std::size_t> members = group.items, left;
  std::optional<Alpha> alpha;
  for (const std::size_t item : from) {
    members.push_back(item);
    const std::optional<Alpha> tried = merger.sound(members, limit);
    if (tried) {
      alpha = tried;
    } else {
      members.pop_back();
      left.push_back(item);
    }
  }
  if (!alpha) return false;
  group = shared_kernel(input, *alpha, std::move(members));
  from = std::move(left);
  return true;
}

std::vector<SharedKernel> share(const SharingInput& input, PenaltyLimit limit, const SharingReadings& readings) {
  std::vector<SharedKernel> groups = one_each(input);
  Merges merges;
  for (std::size_t giver = 0; giver < groups.size();) {
    std::optional<Merge> merged = best_merge(input, groups, giver, limit, readings.merge, merges);
    if (!merged) {
      if (readings.stop == StopReading::Printed) break;
      ++giver;
      continue;
    }
    groups[merged->taker] = std::move(merged->grown);
    std::optional<SharedKernel> rest;
    if (!merged->left.empty()) rest = rest_of(input, groups[giver], std::move(merged->left), limit, readings.merge);
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(giver));
    if (rest) groups.push_back(std::move(*rest));
    std::stable_sort(groups.begin(), groups.end(),
                     [](const SharedKernel& a, const SharedKernel& b) { return a.items.size() < b.items.size(); });
    giver = 0;
  }
  return groups;
}

namespace {

using Ids = std::set<std::size_t>;

// Undecided rows and columns of a set cover: the columns of each row and the rows of each column.
class Instance {
 public:
  Instance(std::size_t rows, const std::vector<std::vector<std::size_t>>& columns) {
    for (std::size_t row = 0; row < rows; ++row) rows_[row] = {};
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (columns[column].empty()) continue;
      columns_[column] = Ids(columns[column].begin(), columns[column].end());
      for (const std::size_t row : columns[column]) rows_.at(row).insert(column);
    }
    for (const auto& [row, covers] : rows_) {
      if (covers.empty()) throw Error(fmt::format("row {} of the set cover is in no column", row));
    }
  }

  // Applies the reductions until none has an effect; columns that must be taken are added to `taken`.
  void reduce(std::vector<std::size_t>& taken) {
    while (take_forced(taken) || drop_rows() || drop_columns()) {
    }
  }

  // Returns sets of rows that share no column, directly or through others; each is a problem of its own.
  std::vector<Ids> components() const {
    std::vector<Ids> found;
    Ids seen;
    for (const auto& [first, covers] : rows_) {
      if (seen.count(first) != 0) continue;
      Ids component;
      std::vector<std::size_t> open{first};
      while (!open.empty()) {
        const std::size_t row = open.back();
        open.pop_back();
        if (!component.insert(row).second) continue;
        for (const std::size_t column : rows_.at(row)) {
          for (const std::size_t next : columns_.at(column)) open.push_back(next);
        }
      }
      seen.insert(component.begin(), component.end());
      found.push_back(std::move(component));
    }
    return found;
  }

  const Ids& columns_of(std::size_t row) const { return rows_.at(row); }
  const Ids& rows_of(std::size_t column) const { return columns_.at(column); }

 private:
  void remove_row(std::size_t row) {
    for (const std::size_t column : rows_.at(row)) {
      columns_.at(column).erase(row);
      if (columns_.at(column).empty()) columns_.erase(column);
    }
    rows_.erase(row);
  }
  void remove_column(std::size_t column) {
    for (const std::size_t row : columns_.at(column)) rows_.at(row).erase(column);
    columns_.erase(column);
  }

  bool take_forced(std::vector<std::size_t>& taken) {
    for (const auto& [row, covers] : rows_) {
      if (covers.size() != 1) continue;
      const std::size_t column = *covers.begin();
      taken.push_back(column);
      const Ids covered = columns_.at(column);
      for (const std::size_t each : covered) remove_row(each);
      return true;
    }
    return false;
  }

  // Every column that covers `row` covers `other` too.
  bool drop_rows() {
    for (const auto& [row, covers] : rows_) {
      for (const std::size_t other : columns_.at(*covers.begin())) {
        const Ids& theirs = rows_.at(other);
        if (other == row) continue;
        if (!std::includes(theirs.begin(), theirs.end(), covers.begin(), covers.end())) continue;
        remove_row(other);
        return true;
      }
    }
    return false;
  }

  bool drop_columns() {
    for (const auto& [column, covered] : columns_) {
      // A larger column covers any row of this column: compare with the columns of the row that has the fewest.
      const std::size_t row = *std::min_element(covered.begin(), covered.end(), [&](std::size_t a, std::size_t b) {
        return rows_.at(a).size() < rows_.at(b).size();
      });
      for (const std::size_t other : rows_.at(row)) {
        const Ids& theirs = columns_.at(other);
        if (other == column) continue;
        if (!std::includes(theirs.begin(), theirs.end(), covered.begin(), covered.end())) continue;
        remove_column(column);
        return true;
      }
    }
    return false;
  }

  std::map<std::size_t, Ids> rows_, columns_;
};

// Takes, again and again, the column that covers most of the remaining rows.
std::vector<std::size_t> greedy(const Instance& instance, const Ids& rows) {
  Ids left = rows;
  Ids candidates;
  for (const std::size_t row : rows)
    candidates.insert(instance.columns_of(row).begin(), instance.columns_of(row).end());
  std::vector<std::size_t> taken;
  while (!left.empty()) {
    std::size_t best = 0;
    std::ptrdiff_t most = 0;
    for (const std::size_t column : candidates) {
      const Ids& covered = instance.rows_of(column);
      const auto count =
          std::count_if(covered.begin(), covered.end(), [&](std::size_t row) { return left.count(row); });
      if (count > most) {
        most = count;
        best = column;
      }
    }
    taken.push_back(best);
    for (const std::size_t row : instance.rows_of(best)) left.erase(row);
  }
  return taken;
}

// Lower bound of a cover: rows of which no two share a column need a column each.
std::int64_t independent_rows(const Instance& instance, const Ids& rows) {
  std::vector<std::size_t> order(rows.begin(), rows.end());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return instance.columns_of(a).size() < instance.columns_of(b).size();
  });
  Ids used;
  std::int64_t count = 0;
  for (const std::size_t row : order) {
    const Ids& columns = instance.columns_of(row);
    if (std::any_of(columns.begin(), columns.end(), [&](std::size_t column) { return used.count(column) != 0; })) {
      continue;
    }
    used.insert(columns.begin(), columns.end());
    ++count;
  }
  return count;
}

enum class Answer { Yes, No, Unknown };

// Finds by Z3 whether at most `most` columns cover the rows, and which.
class Solver {
 public:
  Solver(const Instance& instance, const Ids& rows, unsigned effort) : solver_(context_, "QF_FD") {
    for (const std::size_t row : rows) {
      for (const std::size_t column : instance.columns_of(row)) {
        if (variables_.count(column) == 0) {
          variables_.emplace(column, context_.bool_const(fmt::format("c{}", column).c_str()));
        }
      }
    }
    z3::params params(context_);
    params.set("rlimit", effort);
    solver_.set(params);
    for (const std::size_t row : rows) {
      z3::expr_vector any(context_);
      for (const std::size_t column : instance.columns_of(row)) any.push_back(variables_.at(column));
      solver_.add(z3::mk_or(any));
    }
  }

  Answer at_most(std::int64_t most, std::vector<std::size_t>& chosen) {
    z3::expr_vector all(context_);
    for (const auto& [column, variable] : variables_) all.push_back(variable);
    solver_.push();
    solver_.add(z3::atmost(all, static_cast<unsigned>(most)));
    const z3::check_result result = solver_.check();
    if (result == z3::sat) {
      chosen.clear();
      const z3::model model = solver_.get_model();
      for (const auto& [column, variable] : variables_) {
        if (model.eval(variable, true).is_true()) chosen.push_back(column);
      }
    }
    solver_.pop();
    return result == z3::sat ? Answer::Yes : result == z3::unsat ? Answer::No : Answer::Unknown;
  }

 private:
  z3::context context_;
  std::map<std::size_t, z3::expr> variables_;
  z3::solver solver_;
};

void solve(const Instance& instance, const Ids& rows, unsigned effort, SetCover& cover) {
  std::vector<std::size_t> best = greedy(instance, rows);
  std::int64_t at_least = independent_rows(instance, rows);
  if (static_cast<std::int64_t>(best.size()) > at_least) {
    Solver solver(instance, rows, effort);
    while (static_cast<std::int64_t>(best.size()) > at_least) {
      const Answer answer = solver.at_most(static_cast<std::int64_t>(best.size()) - 1, best);
      if (answer == Answer::No) at_least = static_cast<std::int64_t>(best.size());
      if (answer == Answer::Unknown) break;
    }
  }
  cover.columns.insert(cover.columns.end(), best.begin(), best.end());
  cover.at_least += at_least;
}

}  // namespace

SetCover minimum_set_cover(std::size_t rows, const std::vector<std::vector<std::size_t>>& columns, unsigned effort) {
  Instance instance(rows, columns);
  SetCover cover;
  instance.reduce(cover.columns);
  cover.at_least = static_cast<std::int64_t>(cover.columns.size());
  for (const Ids& component : instance.components()) solve(instance, component, effort, cover);
  std::sort(cover.columns.begin(), cover.columns.end());
  return cover;
}

namespace {

std::int64_t blocks(const Design& design) {
  return design.bram18 + design.uram;
}

// Returns the design with the best Z of one array; nothing if none fits. Designs that do not fit update `smallest`.
std::optional<Design> best_z(const Problem& problem, const std::vector<conv::Convolution>& betas,
                             const conv::WindowGeometry& window, Alpha& alpha, std::optional<Design>& smallest) {
  std::optional<Design> best;
  for (const int last = largest_z(problem, alpha.z); alpha.z <= last; ++alpha.z) {
    Gamma g;
    if (best && !problem.split) {
      g = gamma(alpha, betas.front(), problem.readings, window);
      if (g.total > best->cycles) continue;
    }
    Stored kernel = stored(problem, alpha, betas);
    Cycles cycles = g.total;
    std::int64_t parts = 1;
    if (problem.split && !kernel.fits) {
      Fitted in_parts = fitted_launches(problem, alpha, betas.front(), window);
      parts = ceil_div(betas.front().n_kern, in_parts.launch.n_kern);
      kernel = in_parts.kernel;
      if (kernel.fits) {
        g = gamma(kernel.alpha, in_parts.launch, problem.readings, window);
        cycles = cycles_of(problem, kernel.alpha, betas.front(), window);
      }
    } else if (kernel.fits && (!best || problem.split)) {
      g = gamma(alpha, betas.front(), problem.readings, window);
      cycles = g.total;
    }
    const Resources& use = kernel.resources;
    const Design design{kernel.alpha, cycles, g.limiter, use.dsp, use.bram18, use.uram, parts};
    std::optional<Design>& first = kernel.fits ? best : smallest;
    if (!first || (kernel.fits ? better(design, *first) : blocks(design) < blocks(*first))) first = design;
  }
  return best;
}

}  // namespace

bool better(const Design& a, const Design& b) {
  const auto rank = [](const Design& d) {
    return std::tuple(d.cycles, d.parts, d.dsp, blocks(d), d.alpha.x, d.alpha.z);
  };
  return rank(a) < rank(b);
}

Optimum optimum(const Problem& problem, std::size_t shape, const Windows& windows, std::size_t keep) {
  const std::vector<conv::Convolution> betas{problem.shapes[shape]};
  const conv::Convolution& beta = betas.front();
  const int dsp = dsp_per_pe(problem.base.format);
  Optimum found;
  for (const Array& array : arrays(problem.space, beta)) {
    ++found.arrays;
    if (std::int64_t{dsp} * array.x * array.y > problem.budget.dsp) continue;
    ++found.within_dsp;
    Alpha alpha = fitted_kernel(problem, beta, windows, array);
    const conv::WindowGeometry& window = windows.of(array.x);
    const equations::Terms terms{alpha, beta, window, problem.readings};
    const auto later = [&](Cycles cycles) { return found.best.size() >= keep && cycles > found.best.back().cycles; };
    if (later(equations::sa(terms)) || later(equations::inp_ddr(terms))) {  // with every Z
      const int last = largest_z(problem, alpha.z);
      const auto any = [&] {
        return stored(problem, alpha, betas).fits ||
               (problem.split && fitted_launches(problem, alpha, beta, window).kernel.fits);
      };
      while (alpha.z <= last && !any()) ++alpha.z;
      if (alpha.z <= last) ++found.fitting;
      continue;
    }
    const std::optional<Design> design = best_z(problem, betas, window, alpha, found.smallest);
    if (!design) continue;
    ++found.fitting;
    const auto at = std::upper_bound(found.best.begin(), found.best.end(), *design, better);
    if (at == found.best.end() && found.best.size() >= keep) continue;
    found.best.insert(at, *design);
    if (found.best.size() > keep) found.best.pop_back();
  }
  if (!found.best.empty()) found.smallest.reset();
  return found;
}

}  // namespace weft::fpgpt::dse
