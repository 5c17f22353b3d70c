#include "model/nada/solver.h"

#include <z3++.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

namespace weft::nada {

namespace {

constexpr auto kAsked = std::chrono::milliseconds(50);  // polling interval of `goes_on`

// Sum of numbers, each counted if its condition holds.
class Sum {
 public:
  explicit Sum(z3::context& context) : context_(context), conditions_(context) {}

  void add(const z3::expr& condition, std::int64_t count) {
    if (count == 0) return;
    conditions_.push_back(condition);
    counts_.push_back(count);
  }
  // Adds the exact constraint sum <= most: pseudo-Boolean if the numbers fit into int, which Z3 requires, else integer.
  void at_most(z3::solver& solver, std::int64_t most) const {
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    std::int64_t all = 0;
    bool small = true;
    for (const std::int64_t count : counts_) {
      small = small && count <= kMost && all <= kMost;
      all = std::min(all + count, std::numeric_limits<std::int64_t>::max() / 2);
    }
    if (all <= most) return;
    if (small && most <= kMost) {
      const std::vector<int> counts(counts_.begin(), counts_.end());
      solver.add(z3::pble(conditions_, counts.data(), static_cast<int>(most)));
      return;
    }
    z3::expr sum = context_.int_val(0);
    for (unsigned i = 0; i < conditions_.size(); ++i) {
      sum = sum + z3::ite(conditions_[i], context_.int_val(counts_[i]), context_.int_val(0));
    }
    solver.add(sum <= context_.int_val(most));
  }

 private:
  z3::context& context_;
  z3::expr_vector conditions_;
  std::vector<std::int64_t> counts_;
};

class Model {
 public:
  Model(const Problem& problem, Cycles period, Placement placement, std::uint32_t steps)
      : problem_(problem), period_(period), solver_(context_, "QF_FD") {
    z3::params params(context_);
    params.set("rlimit", steps);
    params.set("ctrl_c", false);  // interrupts go to the caller, not to Z3
    solver_.set(params);
    for (const Entity& entity : problem.entities) {
      choices_.push_back(choices(entity, problem.costs, period));
      possible_ = possible_ && !choices_.back().empty();
    }
    if (!possible_) return;
    place();
    if (placement == Placement::Contiguous) keep_order();
    bound_boards();
    bound_links();
  }

  Solution solve(const std::function<bool()>& goes_on) {
    Solution solution;
    if (!possible_) {
      solution.answer = Answer::No;
      return solution;
    }
    const z3::check_result result = check(goes_on);
    solution.answer = result == z3::sat ? Answer::Yes : result == z3::unsat ? Answer::No : Answer::Unknown;
    if (result != z3::sat) return solution;
    const z3::model model = solver_.get_model();
    for (std::size_t entity = 0; entity < choices_.size(); ++entity) {
      for (std::size_t board = 0; board < boards(); ++board) {
        for (std::size_t i = 0; i < choices_[entity].size(); ++i) {
          if (!model.eval(taken_[entity][board][i], true).is_true()) continue;
          solution.chosen.push_back(choices_[entity][i]);
          solution.boards.push_back(board);
        }
      }
    }
    return solution;
  }

 private:
  std::size_t boards() const { return problem_.boards.size(); }

  z3::expr variable(const char* what, std::size_t i, std::size_t j, std::size_t k = 0) {
    const std::string name = what + std::to_string(i) + '_' + std::to_string(j) + '_' + std::to_string(k);
    return context_.bool_const(name.c_str());
  }

  // Each entity takes one of its choices on one board. `until_[e][b]`: entity e is on board b or an earlier one.
  void place() {
    for (std::size_t entity = 0; entity < choices_.size(); ++entity) {
      z3::expr_vector any(context_);
      auto& taken = taken_.emplace_back();
      auto& until = until_.emplace_back();
      for (std::size_t board = 0; board < boards(); ++board) {
        z3::expr_vector here(context_);
        auto& on_board = taken.emplace_back();
        for (std::size_t i = 0; i < choices_[entity].size(); ++i) {
          on_board.push_back(variable("x", entity, board, i));
          here.push_back(on_board.back());
          any.push_back(on_board.back());
        }
        on_.push_back(variable("on", entity, board));
        solver_.add(on_.back() == z3::mk_or(here));
        if (board + 1 == boards()) break;
        until.push_back(variable("u", entity, board));
        solver_.add(until.back() == (board == 0 ? on_.back() : until[board - 1] || on_.back()));
      }
      solver_.add(z3::mk_or(any));
      solver_.add(z3::atmost(any, 1));
    }
  }
  void keep_order() {
    for (std::size_t entity = 0; entity + 1 < choices_.size(); ++entity) {
      for (std::size_t board = 0; board + 1 < boards(); ++board) {
        solver_.add(z3::implies(until_[entity + 1][board], until_[entity][board]));
      }
    }
  }

  void bound_boards() {
    for (std::size_t board = 0; board < boards(); ++board) {
      const Board& bounds = problem_.boards[board];
      Sum dsp(context_), registers(context_), m20k(context_), mlab(context_), dram(context_);
      for (std::size_t entity = 0; entity < choices_.size(); ++entity) {
        const Entity& of = problem_.entities[entity];
        for (std::size_t i = 0; i < choices_[entity].size(); ++i) {
          const z3::expr& taken = taken_[entity][board][i];
          const Use& use = choices_[entity][i].use;
          dsp.add(taken, use.dsp);
          registers.add(taken, use.registers);
          m20k.add(taken, use.m20k + stored_blocks(problem_, of));
          mlab.add(taken, use.mlab);
        }
        dram.add(on_[entity * boards() + board], of.dram_words(problem_.activations == Activations::Dram));
      }
      dsp.at_most(solver_, bounds.limit.dsp);
      registers.at_most(solver_, bounds.limit.registers);
      m20k.at_most(solver_, bounds.limit.m20k);
      mlab.at_most(solver_, bounds.limit.mlab);
      dram.at_most(solver_, most_dram_words(problem_, period_, bounds));
    }
  }

  void bound_links() {
    for (std::size_t link = 0; link + 1 < boards(); ++link) {
      Sum words(context_);
      for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
        const Tensor& tensor = problem_.tensors[i];
        const z3::expr crosses = variable("c", i, link);
        const z3::expr& from = until_[tensor.from][link];
        for (const std::size_t reader : readers(tensor)) {
          solver_.add(z3::implies(from != until_[reader][link], crosses));
        }
        words.add(crosses, tensor.words);
      }
      words.at_most(solver_, most_link_words(problem_, period_, problem_.link_bits_per_s[link]));
    }
  }

  z3::check_result check(const std::function<bool()>& goes_on) {
    if (!goes_on) return solver_.check();
    std::atomic<bool> done{false};
    std::thread watcher([&] {
      while (!done) {
        if (!goes_on()) context_.interrupt();
        std::this_thread::sleep_for(kAsked);
      }
    });
    z3::check_result result = z3::unknown;
    try {
      result = solver_.check();
    } catch (const z3::exception&) {  // interrupted
    } catch (...) {
      done = true;
      watcher.join();
      throw;
    }
    done = true;
    watcher.join();
    return result;
  }

  const Problem& problem_;
  Cycles period_;
  z3::context context_;
  z3::solver solver_;
  bool possible_ = true;
  std::vector<std::vector<Choice>> choices_;
  std::vector<std::vector<std::vector<z3::expr>>> taken_;  // by entity, board and choice
  std::vector<z3::expr> on_;                               // by entity and board
  std::vector<std::vector<z3::expr>> until_;               // by entity and board, without the last board
};

}  // namespace

Solution solve(const Problem& problem, Cycles period, Placement placement, std::uint32_t steps,
               const std::function<bool()>& goes_on) {
  Solution solution = Model(problem, period, placement, steps).solve(goes_on);
  if (solution.answer == Answer::Yes && !keeps_to(problem, period, solution.chosen, solution.boards)) {
    throw std::logic_error("Z3's plan exceeds a bound");
  }
  return solution;
}

std::vector<Words> link_words(const Problem& problem, const std::vector<std::size_t>& boards) {
  std::vector<Words> words(problem.boards.size() - 1, 0);
  for (std::size_t link = 0; link < words.size(); ++link) {
    for (const Tensor& tensor : problem.tensors) {
      const bool from = boards[tensor.from] <= link;
      const std::vector<std::size_t> all = readers(tensor);
      const bool crosses =
          std::any_of(all.begin(), all.end(), [&](std::size_t reader) { return (boards[reader] <= link) != from; });
      if (crosses) words[link] += tensor.words;
    }
  }
  return words;
}

bool keeps_to(const Problem& problem, Cycles period, const std::vector<Choice>& chosen,
              const std::vector<std::size_t>& boards) {
  if (chosen.size() != problem.entities.size() || boards.size() != chosen.size()) return false;
  std::vector<Use> used(problem.boards.size());
  std::vector<Words> dram(problem.boards.size(), 0);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Entity& entity = problem.entities[i];
    if (boards[i] >= used.size() || cycles(entity, chosen[i].parallelism) > period) return false;
    used[boards[i]] = used[boards[i]] + use(entity, chosen[i].parallelism, problem.costs);
    used[boards[i]].m20k += stored_blocks(problem, entity);
    dram[boards[i]] += entity.dram_words(problem.activations == Activations::Dram);
  }
  for (std::size_t board = 0; board < used.size(); ++board) {
    if (!used[board].within(problem.boards[board].limit)) return false;
    if (dram[board] > most_dram_words(problem, period, problem.boards[board])) return false;
  }
  const std::vector<Words> links = link_words(problem, boards);
  for (std::size_t link = 0; link < links.size(); ++link) {
    if (links[link] > most_link_words(problem, period, problem.link_bits_per_s[link])) return false;
  }
  return true;
}

}  // namespace weft::nada
