#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "model/nada/planner.h"

namespace weft::nada::test {

using Random = std::mt19937_64;

inline std::int64_t draw(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

inline Entity entity(std::int64_t channels, std::int64_t filters, std::int64_t pixels) {
  Entity made;
  made.name = "e";
  made.channels = channels;
  made.filters = filters;
  made.pixels = made.outputs = pixels;
  return made;
}

// Returns the possible periods of the entities.
inline std::vector<Cycles> periods(const Problem& problem) {
  std::vector<Cycles> all;
  for (const Entity& each : problem.entities) {
    for (const Cycles period : attainable(each)) all.push_back(period);
  }
  return all;
}

// Brute force over every board of every entity and every parallelism, from the definitions alone.
class BruteForce {
 public:
  BruteForce(const Problem& problem, Cycles period, Placement placement)
      : problem_(problem), period_(period), in_order_(placement == Placement::Contiguous) {}

  bool feasible(std::size_t at = 0) {
    if (at == problem_.entities.size()) return linked() && all_fit();
    bool found = false;
    boards_.push_back(0);
    for (std::size_t board = in_order_ && at > 0 ? boards_[at - 1] : 0; !found && board < problem_.boards.size();
         ++board) {
      boards_[at] = board;
      found = feasible(at + 1);
    }
    boards_.pop_back();
    return found;
  }

 private:
  double images_per_second() const { return static_cast<double>(problem_.clock_hz) / static_cast<double>(period_); }

  // True if the links suffice. A tensor passes once over each link to its readers' boards; its gradient returns.
  bool linked() const {
    for (std::size_t link = 0; link + 1 < problem_.boards.size(); ++link) {
      double words = 0;  // per direction: a gradient has the words of its tensor
      for (const Tensor& tensor : problem_.tensors) {
        bool forwards = false, backwards = false;
        for (const std::size_t reader : readers(tensor)) {
          forwards = forwards || (boards_[tensor.from] <= link && boards_[reader] > link);
          backwards = backwards || (boards_[tensor.from] > link && boards_[reader] <= link);
        }
        words += (forwards + backwards) * static_cast<double>(tensor.words);
      }
      const auto most = static_cast<double>(problem_.link_bits_per_s[link]) * (1 + 1e-12);
      if (words * 32 * images_per_second() > most) return false;
    }
    return true;
  }
  bool all_fit() const {
    for (std::size_t board = 0; board < problem_.boards.size(); ++board) {
      if (!fits(board, 0, {}, 0)) return false;
    }
    return true;
  }
  // `so_far`: use of the board's entities before `at`; `stored`: words of them that are written to DRAM and read back.
  bool fits(std::size_t board, std::size_t at, const Use& so_far, double stored) const {
    const Board& on = problem_.boards[board];
    if (!so_far.within(on.limit)) return false;
    if (2 * stored * 4 * images_per_second() > static_cast<double>(on.dram_bytes_per_s) * (1 + 1e-12)) return false;
    while (at < boards_.size() && boards_[at] != board) ++at;
    if (at == boards_.size()) return true;
    const Entity& of = problem_.entities[at];
    Use kept = so_far;
    if (problem_.activations == Activations::M20k) {
      kept.m20k += (of.stored * problem_.stored_images + problem_.costs.m20k_words - 1) / problem_.costs.m20k_words;
    } else {
      stored += static_cast<double>(of.stored);
    }
    if (of.passes == 0)
      return of.pixels <= period_ && fits(board, at + 1, kept + use(of, {1, 1, 1}, problem_.costs), stored);
    for (std::int64_t a = 1; a <= of.channels; ++a) {
      for (std::int64_t b = 1; b <= of.filters; ++b) {
        for (const std::int64_t taps : {std::int64_t{1}, of.window}) {
          const Parallelism p{a, b, taps};
          if (cycles(of, p) <= period_ && fits(board, at + 1, kept + use(of, p, problem_.costs), stored)) return true;
        }
      }
    }
    return false;
  }

  const Problem& problem_;
  Cycles period_;
  bool in_order_;
  std::vector<std::size_t> boards_;  // boards of the entities
};

inline bool brute_force(const Problem& problem, Cycles period, Placement placement) {
  return BruteForce(problem, period, placement).feasible();
}

// Returns the shortest period of any placement that the problem allows.
inline std::optional<Cycles> shortest(const Problem& problem) {
  std::vector<Cycles> all = periods(problem);
  std::sort(all.begin(), all.end());
  const auto best = std::find_if(all.begin(), all.end(),
                                 [&](Cycles period) { return brute_force(problem, period, problem.placement); });
  return best == all.end() ? std::nullopt : std::optional(*best);
}

// Returns up to `most` entities on up to three boards; some problems have a plan and some do not.
inline Problem random_problem(Random& random, std::int64_t most = 5) {
  Problem problem;
  const auto entities = static_cast<std::size_t>(draw(random, 1, most));
  for (std::size_t i = 0; i < entities; ++i) {
    Entity each = entity(draw(random, 1, 3), draw(random, 1, 3), draw(random, 1, 8));
    each.window = draw(random, 0, 1) == 0 ? 1 : 4;
    each.outputs = draw(random, 1, each.pixels);
    each.passes = draw(random, 0, 5) == 0 ? 0 : draw(random, 0, 3) == 0 ? 2 : 3;
    each.lines = draw(random, 0, 6);
    each.stored = draw(random, 0, 20);
    problem.entities.push_back(each);
    if (i > 0) problem.tensors.push_back({i - 1, i, draw(random, 0, 20), {}});
  }
  if (entities > 2) problem.tensors.push_back({0, entities - 1, draw(random, 0, 10), {}});
  const auto boards = static_cast<std::size_t>(draw(random, 1, 3));
  const bool alike = draw(random, 0, 1) == 0;
  for (std::size_t i = 0; i < boards; ++i) {
    problem.boards.push_back({"b",
                              {draw(random, 3, 60), draw(random, 600, 12000), draw(random, 2, 40), draw(random, 0, 60)},
                              draw(random, 50, 2000)});
    if (alike) problem.boards.back() = problem.boards.front();
    if (i > 0) problem.link_bits_per_s.push_back(alike && i > 1 ? problem.link_bits_per_s[0] : draw(random, 50, 2000));
  }
  problem.clock_hz = 10;
  problem.costs.m20k_words = 4;
  problem.costs.mlab_words = 2;
  problem.costs.copies = draw(random, 1, 3);
  problem.activations = draw(random, 0, 1) == 0 ? Activations::Dram : Activations::M20k;
  problem.stored_images = 1;
  return problem;
}

}  // namespace weft::nada::test
