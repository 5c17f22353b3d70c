#include "model/nada/planner.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "model/core/error.h"
#include "model/nada/solver.h"

namespace weft::nada {

namespace {

__extension__ using Wide = __int128;  // for products with a rate

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max() / 4;

// Sum of the resources of the entities placed on a board so far, and the choice that led to it.
struct Point {
  Use use;
  std::uint32_t before = 0;  // index in the previous front
  std::uint32_t choice = 0;
};
using Front = std::vector<Point>;

// Keeps the Pareto-optimal points. DSPs and registers rise together.
void keep_best(Front& points) {
  std::sort(points.begin(), points.end(), [](const Point& x, const Point& y) {
    if (x.use.dsp != y.use.dsp) return x.use.dsp < y.use.dsp;
    if (x.use.m20k != y.use.m20k) return x.use.m20k < y.use.m20k;
    return x.use.mlab < y.use.mlab;
  });
  std::map<std::int64_t, std::int64_t> stairs;  // MLABs over M20Ks of the kept points, descending
  Front best;
  for (const Point& point : points) {
    const auto above = stairs.upper_bound(point.use.m20k);
    if (above != stairs.begin() && std::prev(above)->second <= point.use.mlab) continue;
    best.push_back(point);
    auto next = stairs.lower_bound(point.use.m20k);
    while (next != stairs.end() && next->second >= point.use.mlab) next = stairs.erase(next);
    stairs.emplace(point.use.m20k, point.use.mlab);
  }
  points = std::move(best);
}

// Placement decision for one period: the choices of each entity, and the reach of each board.
class Decision {
 public:
  Decision(const Problem& problem, Cycles period) : problem_(problem), period_(period) {
    for (const Entity& entity : problem.entities) choices_.push_back(choices(entity, problem.costs, period));
  }

  bool possible() const {
    return std::none_of(choices_.begin(), choices_.end(), [](const auto& each) { return each.empty(); });
  }

  // Returns the first entity of each board, and the end of the last entity that can be placed. If all links are equal,
  // the last reachable cut is the best: it leaves the least to place, and an empty board can forward what its
  // predecessor could send. Otherwise all reachable cuts are followed.
  std::vector<std::size_t> cuts() {
    const std::vector<std::int64_t>& links = problem_.link_bits_per_s;
    const bool alike = std::adjacent_find(links.begin(), links.end(), std::not_equal_to<>()) == links.end();
    const std::size_t all = choices_.size();
    std::vector<std::map<std::size_t, std::size_t>> reached{{{0, 0}}};  // per board: ends, each with its begin
    while (reached.size() <= problem_.boards.size() && reached.back().count(all) == 0) {
      std::map<std::size_t, std::size_t> next;
      for (const auto& [first, before] : reached.back()) {
        for (const std::size_t end : ends(reached.size() - 1, first)) next.emplace(end, first);
      }
      if (next.empty()) break;
      if (alike) next.erase(next.begin(), std::prev(next.end()));
      reached.push_back(std::move(next));
    }
    std::vector<std::size_t> cuts{reached.back().rbegin()->first};
    for (std::size_t board = reached.size() - 1; board > 0; --board) {
      cuts.push_back(reached[board].at(cuts.back()));
    }
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

  // Returns all ends that a board starting at entity `first` can reach and that the next link allows.
  std::vector<std::size_t> ends(std::size_t board, std::size_t first) {
    std::vector<std::size_t> all;
    if (linked(board, first)) all.push_back(first);
    fronts_.assign(1, Front{Point{}});
    for (std::size_t at = first; at < choices_.size() && grow(board, first, at); ++at) {
      if (linked(board, at + 1)) all.push_back(at + 1);
    }
    return all;
  }

  // Returns the first entity that does not fit on a board starting at `first`, and the resource sums with it; no sums
  // if the limit is not a resource of the board.
  std::pair<std::size_t, std::vector<Use>> stops(std::size_t board, std::size_t first) {
    fronts_.assign(1, Front{Point{}});
    std::size_t at = first;
    while (at < choices_.size() && grow(board, first, at)) ++at;
    std::vector<Use> needs;
    if (at == choices_.size() || !streams(board, first, at + 1)) return {at, needs};
    for (const Point& point : fronts_[at - first]) {
      for (const Choice& each : choices_[at]) {
        needs.push_back(point.use + each.use);
        needs.back().m20k += stored_m20k(at);
      }
    }
    return {at, needs};
  }

  // Sets the choices of entities first .. last - 1 on a board, with the fewest M20Ks.
  void choose(std::size_t board, std::size_t first, std::size_t last, std::vector<Choice>& chosen) {
    fronts_.assign(1, Front{Point{}});
    for (std::size_t at = first; at < last; ++at) grow(board, first, at);
    const Front& end = fronts_.back();
    auto best = static_cast<std::size_t>(
        std::min_element(end.begin(), end.end(),
                         [](const Point& x, const Point& y) { return x.use.m20k < y.use.m20k; }) -
        end.begin());
    for (std::size_t at = last; at-- > first;) {
      const Point& point = fronts_[at - first + 1][best];
      chosen[at] = choices_[at][point.choice];
      best = point.before;
    }
  }

  std::int64_t largest() const { return largest_; }

 private:
  // Adds entity `at` to the front of a board that begins at `first`. Returns true if there is room.
  bool grow(std::size_t board, std::size_t first, std::size_t at) {
    if (!streams(board, first, at + 1)) return false;
    const Front& before = fronts_.back();
    Front next;
    for (std::size_t i = 0; i < before.size(); ++i) {
      for (std::size_t j = 0; j < choices_[at].size(); ++j) {
        Point point{before[i].use + choices_[at][j].use, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)};
        point.use.m20k += stored_m20k(at);
        if (point.use.within(problem_.boards[board].limit)) next.push_back(point);
      }
    }
    keep_best(next);
    largest_ = std::max(largest_, static_cast<std::int64_t>(next.size()));
    fronts_.push_back(std::move(next));
    return !fronts_.back().empty();
  }

  std::int64_t stored_m20k(std::size_t at) const { return stored_blocks(problem_, problem_.entities[at]); }

  // True if the DRAM of a board sustains the traffic of entities first .. last - 1.
  bool streams(std::size_t board, std::size_t first, std::size_t last) const;
  // True if the link after a board sustains a cut before entity `at`.
  bool linked(std::size_t board, std::size_t at) const {
    if (at == problem_.entities.size()) return true;
    if (board + 1 >= problem_.boards.size()) return false;
    return cut_words(problem_, at) <= most_link_words(problem_, period_, problem_.link_bits_per_s[board]);
  }

  const Problem& problem_;
  Cycles period_;
  std::vector<std::vector<Choice>> choices_;
  std::vector<Front> fronts_;
  std::int64_t largest_ = 1;
};

bool Decision::streams(std::size_t board, std::size_t first, std::size_t last) const {
  Words words = 0;
  for (std::size_t i = first; i < last; ++i) {
    words += problem_.entities[i].dram_words(problem_.activations == Activations::Dram);
  }
  return words <= most_dram_words(problem_, period_, problem_.boards[board]);
}

std::vector<Cycles> periods_of(const Problem& problem) {
  Cycles least = 1;
  std::vector<Cycles> all;
  for (const Entity& entity : problem.entities) {
    const std::vector<Cycles> own = attainable(entity);
    least = std::max(least, own.front());
    all.insert(all.end(), own.begin(), own.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  all.erase(all.begin(), std::lower_bound(all.begin(), all.end(), least));
  return all;
}

struct Resource {
  const char* name;
  std::int64_t Use::*of;
};
constexpr std::array<Resource, 4> kResources{
    {{"DSPs", &Use::dsp}, {"blocks of memory", &Use::m20k}, {"MLABs", &Use::mlab}, {"registers", &Use::registers}}};

// Throws the reason why even the slowest entities cannot be placed: the end of the last board, and its least exceeded
// resource.
[[noreturn]] void throw_infeasible(const Problem& problem, Cycles period) {
  Decision decision(problem, period);
  const std::vector<std::size_t> cuts = decision.cuts();
  const std::size_t board = std::min(cuts.size(), problem.boards.size()) - 1;
  const std::size_t first = cuts.size() > problem.boards.size() ? cuts[board] : cuts.back();
  const std::string place = fmt::format("board {} ({})", board + 1, problem.boards[board].name);
  const std::string whole = fmt::format("the network fits no plan, at one image in {} cycles either: ", period);
  const auto [at, needs] = decision.stops(board, first);
  if (at == problem.entities.size() || needs.empty()) {
    const std::size_t cut = std::min(at, problem.entities.size() - 1);
    throw Error(fmt::format("{}at layer '{}' the DRAM of {} or the link after it is too slow", whole,
                            problem.entities[cut].name, place));
  }
  const Use& limit = problem.boards[board].limit;
  double least = std::numeric_limits<double>::infinity();
  Resource binding{};
  std::int64_t need = 0;
  for (const Use& each : needs) {
    double most = 0;
    Resource worst{};
    for (const Resource& resource : kResources) {
      const double part =
          static_cast<double>(each.*resource.of) / static_cast<double>(std::max<std::int64_t>(1, limit.*resource.of));
      if (part > most) {
        most = part;
        worst = resource;
      }
    }
    if (most >= least) continue;
    least = most;
    binding = worst;
    need = each.*worst.of;
  }
  throw Error(fmt::format("{}with layer '{}' {} would need {} {}, {} more than the {} that may be used", whole,
                          problem.entities[at].name, place, need, binding.name, need - limit.*binding.of,
                          limit.*binding.of));
}

// Returns the problem once for each kind of bound, without that bound.
std::vector<std::pair<std::string, Problem>> relaxed(const Problem& problem) {
  std::vector<std::pair<std::string, Problem>> all;
  const auto add = [&](const char* name, auto change) {
    Problem other = problem;
    change(other);
    all.emplace_back(name, std::move(other));
  };
  const auto boards = [&](const char* name, std::int64_t Use::*resource) {
    add(name, [&](Problem& other) {
      for (Board& board : other.boards) board.limit.*resource = kNoLimit;
    });
  };
  boards("DSP", &Use::dsp);
  boards("registers", &Use::registers);
  boards("M20K", &Use::m20k);
  boards("MLAB", &Use::mlab);
  add("DRAM", [](Problem& other) {
    for (Board& board : other.boards) board.dram_bytes_per_s = kNoLimit;
  });
  add("links", [](Problem& other) {
    for (std::int64_t& link : other.link_bits_per_s) link = kNoLimit;
  });
  return all;
}

Problem pooled(const Problem& problem) {
  Problem one = problem;
  Board all = problem.boards.front();
  // A resource that is unlimited on one board is unlimited in total.
  const auto add = [](std::int64_t& sum, std::int64_t term) { sum = std::min(sum + term, kNoLimit); };
  for (std::size_t i = 1; i < problem.boards.size(); ++i) {
    for (const Resource& resource : kResources) add(all.limit.*resource.of, problem.boards[i].limit.*resource.of);
    add(all.dram_bytes_per_s, problem.boards[i].dram_bytes_per_s);
  }
  one.boards = {all};
  one.link_bits_per_s.clear();
  return one;
}

}  // namespace

std::int64_t stored_blocks(const Problem& problem, const Entity& entity) {
  if (problem.activations != Activations::M20k) return 0;
  constexpr const char* kWhat = "the words that wait from F to GW of a layer";
  return ceil_div(checked::product(kWhat, {entity.stored, problem.stored_images}), problem.costs.m20k_words);
}

std::vector<std::size_t> readers(const Tensor& tensor) {
  std::vector<std::size_t> all = tensor.between;
  all.push_back(tensor.last);
  return all;
}

// words * bits * clock / period <= rate
Words most_link_words(const Problem& problem, Cycles period, std::int64_t bits_per_s) {
  const Wide most = Wide{bits_per_s} * period / (Wide{problem.word_bits} * problem.clock_hz);
  return static_cast<Words>(std::min(most, Wide{kNoLimit}));
}

Words most_dram_words(const Problem& problem, Cycles period, const Board& board) {
  const Wide most = Wide{board.dram_bytes_per_s} * 8 * period / (Wide{problem.word_bits} * problem.clock_hz);
  return static_cast<Words>(std::min(most, Wide{kNoLimit}));
}

Words cut_words(const Problem& problem, std::size_t at) {
  Words words = 0;
  for (const Tensor& tensor : problem.tensors) {
    if (tensor.from < at && tensor.last >= at) words += tensor.words;
  }
  return words;
}

bool feasible(const Problem& problem, Cycles period) {
  Decision decision(problem, period);
  return decision.possible() && decision.cuts().back() == problem.entities.size();
}

namespace {

// Search for the shortest period that the entities can attain.
class Search {
 public:
  Search(const Problem& problem, const Progress& progress)
      : problem_(problem), progress_(progress), periods_(periods_of(problem)) {
    // Expected decisions: the search itself, its bound, any placement, and the six relaxed problems.
    for (std::size_t n = periods_.size(); n > 1; n = (n + 1) / 2) all_ += problem.placement == Placement::Any ? 3 : 2;
    all_ += 6;
  }

  Plan run() {
    const std::size_t slowest = periods_.size() - 1;
    std::size_t best = slowest;
    if (feasible(problem_, periods_[slowest])) {
      result_.period = periods_[slowest];
      best = shortest(problem_, 0, slowest, &result_.period);
      result_.contiguous_period = periods_[best];
      place_in_order(periods_[best]);
    } else if (problem_.placement == Placement::Contiguous || !ask(slowest)) {
      throw_infeasible(problem_, periods_[slowest]);
    }
    std::size_t bound = goes_on_ ? shortest(pooled(problem_), 0, best, nullptr) : 0;
    if (!goes_on_) bound = 0;
    result_.pooled_period = periods_[bound];
    if (problem_.placement == Placement::Contiguous) {
      if (goes_on_) bound = best;
    } else {
      best = search_any(bound, best);
    }
    result_.period = periods_[best];
    result_.proven_period = periods_[std::min(bound, best)];
    result_.next_period = best > 0 ? periods_[best - 1] : 0;
    return result_;
  }

  // Returns the bounds each of which alone prevents the plan's next shorter period.
  std::vector<std::string> bounds(const Plan& plan) {
    std::vector<std::string> names;
    result_.period = plan.period;
    const auto next = static_cast<std::size_t>(std::lower_bound(periods_.begin(), periods_.end(), plan.next_period) -
                                               periods_.begin());
    for (const auto& [name, other] : relaxed(problem_)) {
      if (!goes_on_) break;
      bool yes = feasible(other, periods_[next]);
      if (yes || problem_.placement == Placement::Contiguous) {
        decided();
      } else {
        yes = asked(other, next) == Answer::Yes;
      }
      if (yes) names.emplace_back(name);
    }
    return names;
  }

 private:
  void decided() {
    ++result_.decisions;
    if (progress_) goes_on_ = progress_(result_.decisions, all_, result_.period) && goes_on_;
  }

  std::size_t shortest(const Problem& of, std::size_t low, std::size_t high, Cycles* best) {
    while (low < high && goes_on_) {  // high is feasible
      const std::size_t middle = low + (high - low) / 2;
      const bool yes = feasible(of, periods_[middle]);
      decided();
      if (yes) {
        high = middle;
        if (best) *best = periods_[high];
      } else {
        low = middle + 1;
      }
    }
    return high;
  }

  // `bound`: index of the shortest period not proven infeasible; proofs raise it. An unknown answer of Z3 counts as
  // infeasible, so the best plan may be missed; the gap between `bound` and the result shows by how much.
  std::size_t search_any(std::size_t& bound, std::size_t high) {
    for (std::size_t low = bound; low < high && goes_on_;) {
      const std::size_t middle = low + (high - low) / 2;
      const Answer answer = asked(problem_, middle);
      if (answer == Answer::Yes) {
        high = middle;
        result_.period = periods_[high];
        continue;
      }
      low = middle + 1;
      if (answer == Answer::No) bound = std::max(bound, low);
    }
    return high;
  }
  bool ask(std::size_t i) { return asked(problem_, i) == Answer::Yes; }
  // Stores a plan found for the problem itself.
  Answer asked(const Problem& of, std::size_t i) {
    const auto go_on = [this] { return !progress_ || progress_(result_.decisions, all_, result_.period); };
    const Solution solution = solve(of, periods_[i], Placement::Any, problem_.solver_steps, go_on);
    decided();
    if (solution.answer == Answer::Unknown) ++result_.unknown;
    if (solution.answer == Answer::Yes && &of == &problem_) place(solution.chosen, solution.boards);
    return solution.answer;
  }

  void place_in_order(Cycles period) {
    Decision decision(problem_, period);
    const std::vector<std::size_t> cuts = decision.cuts();
    std::vector<Choice> chosen(problem_.entities.size());
    std::vector<std::size_t> boards(problem_.entities.size());
    for (std::size_t board = 0; board + 1 < cuts.size(); ++board) {
      decision.choose(board, cuts[board], cuts[board + 1], chosen);
      for (std::size_t i = cuts[board]; i < cuts[board + 1]; ++i) boards[i] = board;
    }
    place(chosen, boards);
    result_.boards.resize(cuts.size() - 1);
    result_.link_words.resize(cuts.size() - 2);
    for (std::size_t board = 0; board + 1 < cuts.size(); ++board) {
      result_.boards[board].first = cuts[board];
      result_.boards[board].last = cuts[board + 1];
    }
    result_.front = decision.largest();
  }
  void place(const std::vector<Choice>& chosen, const std::vector<std::size_t>& boards) {
    constexpr const char* kDram = "the bits of DRAM traffic of a board";
    result_.chosen = chosen;
    result_.board_of = boards;
    result_.boards.assign(problem_.boards.size(), {});
    for (std::size_t i = 0; i < boards.size(); ++i) {
      const Entity& entity = problem_.entities[i];
      Placed& on = result_.boards[boards[i]];
      if (on.entities++ == 0) on.first = i;
      on.last = i + 1;
      on.use = on.use + chosen[i].use;
      on.use.m20k += stored_blocks(problem_, entity);
      const Words words = entity.dram_words(problem_.activations == Activations::Dram);
      checked::add(on.dram_bytes, checked::product(kDram, {words, problem_.word_bits}) / 8, kDram);
    }
    result_.link_words = link_words(problem_, boards);
  }

  const Problem& problem_;
  const Progress& progress_;
  std::vector<Cycles> periods_;
  std::int64_t all_ = 1;
  bool goes_on_ = true;
  Plan result_;
};

}  // namespace

Plan plan_alone(const Problem& problem, const Progress& progress) {
  return Search(problem, progress).run();
}

std::vector<std::string> what_binds(const Problem& problem, const Plan& plan, const Progress& progress) {
  if (plan.next_period == 0) return {};
  return Search(problem, progress).bounds(plan);
}

Plan plan(const Problem& problem, const Progress& progress) {
  Plan found = plan_alone(problem, progress);
  found.binds = what_binds(problem, found, progress);
  return found;
}

}  // namespace weft::nada
