#include "platform/studies/explain/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/iteration/timeline/run_iteration.h"
#include "platform/run/simulate.h"
#include "platform/studies/explain/changes.h"
#include "platform/studies/explain/ladder.h"
#include "platform/studies/explain/trial.h"

namespace weft::explain {

using config::RunConfig;
using design::Counterfactual;
using Use = Counterfactual::Use;

namespace {

// Reduces the run to timing mode without outputs: explain() needs counts only.
RunConfig explained_run(RunConfig run) {
  run.mode = config::Mode::Timing;
  run.verify = 0;
  run.strict_fit = false;
  run.workers.reset();
  run.output.clear();
  return run;
}

RunConfig by_equations(RunConfig run) {
  run.rung = config::Rung::Analytical;
  return run;
}

// Reason why the run has no training iteration; empty if it has one.
std::string no_iteration(const RunConfig& run) {
  if (!run.only.everything()) return "the run leaves convolutions out (only)";
  if (run.kinds.size() != config::all_kinds().size()) return "the run leaves convolutions out (kinds)";
  if (!timeline::has_iteration(run)) return "layers given in a file have no graph; name a network or an ONNX file";
  const design::Design& design = design::design_of(run);
  if (!design.card_kernels({})) return fmt::format("design {} has no kernel on a card", design.name());
  if (!run.host) return fmt::format("the run has no host, and board '{}' no default_host", run.board.name);
  if (!run.board.pcie) return fmt::format("board '{}' has no link to a host (pcie)", run.board.name);
  if (run.schedule.im2col != config::Im2colPlace::Card) return "the host makes other convolutions (schedule.im2col)";
  return "";
}

double saved(const Time& before, const Time& after) {
  return before.periods == 0 ? 0 : 1 - after.seconds() / before.seconds();
}

class Explainer {
 public:
  Explainer(const Request& request, const Listener& listener)
      : request_(request),
        listener_(listener),
        run_(explained_run(request.run)),
        simulations_(request.workers, request.cache),
        iterations_(request.library) {}

  Explained explain() {
    std::string reason = no_iteration(run_);
    if (reason.empty()) reason = tried_iteration();
    if (!reason.empty()) e_.no_iteration = reason;
    changes_ = changes_of(run_, reason.empty(), request_.held, request_.library);
    equations_.emplace(simulations_, iterations_, reason.empty(), listener_.progress);
    simulated_.emplace(simulations_, iterations_, reason.empty(), listener_.progress);
    Sets sets(by_equations(run_), changes_, std::ref(*equations_));
    Sets of_rung(run_, changes_, std::ref(*simulated_));
    const bool equations = run_.rung == config::Rung::Analytical;
    stage("search by the equations");
    std::vector<std::size_t> known, unknown;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (changes_[i].use != Use::Step) continue;
      (is_unknown(i, sets) ? unknown : known).push_back(i);
    }
    const Set best = best_set(sets, known, [&](std::size_t tried) {
      stage(fmt::format("search by the equations, {} sets of changes", tried));
    });
    std::vector<Step> steps = order_of(sets, best);
    describe(by_equations(run_));
    if (equations) {
      lines(sets, *equations_, steps);
    } else {
      steps = kept(sets, of_rung, steps);
      climb(of_rung, unknown, steps);
      lines(of_rung, *simulated_, steps);
    }
    left_lines(sets, best, steps);
    bounds(equations ? sets : of_rung, equations ? *equations_ : *simulated_, steps.empty() ? Set() : steps.back().all);
    question(sets, of_rung, steps.empty() ? Set() : steps.back().all);
    for (Line& line : e_.lines) gains_by_equations(line, sets, best);
    e_.verdict = verdict(e_);
    configs_["advised.yaml"] = advised();
    e_.sets = static_cast<std::int64_t>(sets.tried());
    e_.asked = simulations_.convolutions();
    e_.simulated = simulations_.different();
    e_.words = explanation_words();
    return {std::move(e_), std::move(configs_)};
  }

 private:
  void stage(const std::string& text) const {
    if (listener_.stage) listener_.stage(fmt::format("{}: {}", run_.name, text));
  }

  // True if the equations cannot rate a change.
  bool is_unknown(std::size_t change, Sets& equations) const {
    if (!is_unknown_to_equations(changes_[change], run_)) return false;
    const Tried &alone = equations.of({change}), &start = equations.of({});
    return !alone.time || !start.time || *alone.time == *start.time;
  }

  // Reason why the iteration of the run cannot be built; empty if it can.
  std::string tried_iteration() {
    Runs trial(simulations_, iterations_, true, {});
    const Tried tried = trial({by_equations(run_)}).front();
    if (tried.time) return "";
    // A run that is impossible without an iteration, too, is reported by the search.
    return Runs(simulations_, iterations_, false, {})({by_equations(run_)}).front().time ? tried.why_not : "";
  }

  void describe(const RunConfig& run) {
    const run::Result& first = equations_->result(run);
    e_.run = run_.name;
    e_.network = first.network.name;
    e_.board = run_.board.name;
    e_.rung = config::to_string(run_.rung);
    e_.kernel = run_.kernel->text().headline;
    e_.batch = run_.batch;
    e_.dataset_images = run_.dataset_images;
    e_.convolutions = static_cast<std::int64_t>(first.rows.size());
    e_.held = request_.held;
    for (const Counterfactual& each : changes_) {
      if (each.use != Use::Bound) e_.changes.push_back({each.name, each.meaning, each.caveat});
    }
  }

  // Returns the steps whose simulated gain confirms that of the equations, or is large enough, and that add no misfit;
  // each is applied after those before it.
  std::vector<Step> kept(Sets& equations, Sets& sets, const std::vector<Step>& steps) {
    std::vector<Step> kept;
    Set done, before;
    if (!sets.of(done).time) throw Error(sets.of(done).why_not);
    for (const Step& step : steps) {
      stage(fmt::format("step {} of {}, {} rung", &step - steps.data() + 1, steps.size(), e_.rung));
      Set all = done;
      for (const std::size_t change : step.changes) all = with(all, change);
      const Tried now = sets.of(done), &tried = sets.of(all);
      const bool gains = saved(*equations.of(before).time, *equations.of(step.all).time) >= kLeastGain;
      before = step.all;
      if (!tried.time || tried.misfits > now.misfits) continue;
      if (saved(*now.time, *tried.time) < (gains ? kLeastGain : -kLeastGain)) continue;
      kept.push_back({step.changes, all});
      done = std::move(all);
    }
    return kept;
  }

  // Adds the changes that only a simulation knows, the one with the least time first.
  void climb(Sets& sets, std::vector<std::size_t> left, std::vector<Step>& steps) {
    while (!left.empty()) {
      stage(fmt::format("{} changes that the equations do not know, {} rung", left.size(), e_.rung));
      const Set done = steps.empty() ? Set() : steps.back().all;
      std::vector<Set> all;
      all.reserve(left.size());
      for (const std::size_t change : left) all.push_back(with(done, change));
      sets.try_all(all);
      std::size_t best = left.size();
      for (std::size_t i = 0; i < left.size(); ++i) {
        const Tried& tried = sets.of(all[i]);
        if (!tried.time || tried.misfits > sets.of(done).misfits) continue;
        if (best == left.size() || *tried.time < *sets.of(all[best]).time) best = i;
      }
      if (best == left.size() || saved(*sets.of(done).time, *sets.of(all[best]).time) < kLeastGain) return;
      steps.push_back({{left[best]}, all[best]});
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    }
  }

  std::string name_of(const Set& set) const {
    std::string name;
    for (const std::size_t change : set) name += (name.empty() ? "" : " + ") + changes_[change].name;
    return name;
  }

  // Adds a file for the run under a name of its own, so that its result replaces no other.
  std::string file(const std::string& stem, RunConfig run) {
    run.name += "-" + stem;
    std::string name = stem + ".yaml";
    configs_[name] = config::resolved_yaml(run);
    return name;
  }

  // --set options that give a run.
  struct Given {
    RunConfig run;
    std::vector<std::string> options;
  };

  // Adds as few options as give `run` to those of another run.
  Given given(const Given& from, const RunConfig& run) const {
    const auto text = [&](const RunConfig& of) {
      RunConfig same = explained_run(of);
      same.rung = run.rung;
      return config::resolved_yaml(same);
    };
    const std::string wanted = text(run);
    std::vector<std::string> base, more = sets_between(from.run, run);
    const auto key = [](const std::string& option) { return option.substr(0, option.find('=') + 1); };
    for (const std::string& option : from.options) {
      if (std::none_of(more.begin(), more.end(), [&](const auto& each) { return key(each) == key(option); })) {
        base.push_back(option);
      }
    }
    const auto joined = [&](const std::vector<std::string>& extra) {
      std::vector<std::string> all = base;
      all.insert(all.end(), extra.begin(), extra.end());
      return all;
    };
    const auto gives = [&](const std::vector<std::string>& extra) {
      try {
        return text(request_.load(joined(extra))) == wanted;
      } catch (const Error&) {
        return false;
      }
    };
    if (std::vector<std::string> values = leaves(more); gives(values)) more = std::move(values);
    for (std::size_t i = more.size(); i-- > 0 && more.size() > 1;) {
      std::vector<std::string> less = more;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
      if (gives(less)) more = std::move(less);
    }
    return {run, joined(more)};
  }

  // The end of the ladder as a run that extends the request's.
  std::string advised() const {
    config::Node file = config::map_node();
    file.set("extends", config::scalar_node(request_.config));
    file.set("name", config::scalar_node(run_.name + "-advised"));
    file.set("title", config::scalar_node(
                          fmt::format("{}, changed as weft explain advises", run_.title.empty() ? run_.name : run_.title)));
    std::vector<std::string> all = request_.sets;
    all.insert(all.end(), end_.options.begin(), end_.options.end());
    for (const std::string& option : all) {
      const config::Override one = config::parse_override(option);
      if (one.key == "rung") continue;  // of the search, no advice
      const auto source = std::make_shared<config::Source>(config::Source{"--set", {}, true});
      put(file, one.key, config::parse_yaml(one.value, source));
    }
    return config::to_yaml(file);
  }
  static void put(config::Node& node, const std::string& path, config::Node value) {
    const std::size_t dot = path.find('.');
    const std::string key = path.substr(0, dot);
    if (dot == std::string::npos) return node.set(key, std::move(value));
    const config::Node* const there = node.find(key);
    config::Node sub = there && there->kind == config::Node::Kind::Map ? *there : config::map_node();
    put(sub, path.substr(dot + 1), std::move(value));
    node.set(key, std::move(sub));
  }

  void lines(Sets& sets, Runs& runs, const std::vector<Step>& steps) {
    Set done;
    end_ = {*sets.run({}).run, {}};
    for (std::size_t i = 0; i <= steps.size(); ++i) {
      Line line;
      line.step = static_cast<int>(i);
      const Set all = i == 0 ? Set() : steps[i - 1].all;
      const RunConfig run = *sets.run(all).run;
      std::string stem = fmt::format("step-{:02}-as_is", i);
      if (i > 0) {
        line.ending = Ending::Kept;
        line.change = name_of(steps[i - 1].changes);
        line.gain = saved(*sets.of(done).time, *sets.of(all).time);
        stem = fmt::format("step-{:02}", i);
        for (const std::size_t change : steps[i - 1].changes) stem += "-" + changes_[change].name;
      }
      line.figures = runs.figures(run);
      if (i > 0) end_ = given(end_, run);
      line.command = with_sets(request_.command, end_.options);
      line.config = file(stem, run);
      e_.lines.push_back(std::move(line));
      done = all;
    }
  }

  // Adds a line for each change that is not kept, made after all others by the equations.
  void left_lines(Sets& sets, const Set& best, const std::vector<Step>& steps) {
    const Set kept = steps.empty() ? Set() : steps.back().all;
    std::vector<Set> all;
    for (std::size_t change = 0; change < changes_.size(); ++change) {
      if (changes_[change].use == Use::Step && std::find(kept.begin(), kept.end(), change) == kept.end()) {
        all.push_back({change});
      }
    }
    stage("changes that are not kept");
    for (const Set& change : all) {
      Line line;
      line.change = name_of(change);
      const bool in_search = std::find(best.begin(), best.end(), change.front()) != best.end();
      const Tried tried = in_search ? Tried() : sets.of(with(best, change.front()));
      const Tried& end = sets.of(best);
      line.ending = Ending::Slower;
      if (in_search) {
        e_.lines.push_back(std::move(line));  // gains by the equations, and loses when simulated
        continue;
      }
      if (!tried.time || tried.misfits > end.misfits) {
        line.ending = Ending::Impossible;
        line.why_not = tried.time ? fmt::format("the kernels of {} more convolutions would not fit the board",
                                                tried.misfits - end.misfits)
                                  : tried.why_not;
      } else {
        line.ending = *end.time < *tried.time ? Ending::Slower : Ending::NoGain;
        line.last = saved(*end.time, *tried.time);
      }
      e_.lines.push_back(std::move(line));
    }
  }

  std::optional<std::size_t> change_named(const std::optional<std::string>& name) const {
    for (std::size_t i = 0; name && i < changes_.size(); ++i) {
      if (changes_[i].name == *name) return i;
    }
    return std::nullopt;
  }

  // Gains alone, and as the last of all; on the first and on the last line of a repeated change.
  void gains_by_equations(Line& line, Sets& sets, const Set& best) {
    const std::optional<std::size_t> change = change_named(line.change);
    if (!change) return;
    const Line *first = nullptr, *last = nullptr;
    for (const Line& each : e_.lines) {
      if (each.change != line.change) continue;
      if (!first) first = &each;
      last = &each;
    }
    const Tried &start = sets.of({}), &alone = sets.of({*change});
    if (first == &line && alone.time) line.alone = saved(*start.time, *alone.time);
    if (last != &line || std::find(best.begin(), best.end(), *change) == best.end()) return;
    const Tried &without_it = sets.of(without(best, *change)), &end = sets.of(best);
    if (without_it.time) line.last = saved(*without_it.time, *end.time);
  }

  Bound bound(const Counterfactual& change, const char* of, const RunConfig& run, Runs& runs) {
    Bound bound{change.name, change.meaning, of};
    const Figures figures = runs.figures(run);
    bound.seconds = *figures.seconds;
    bound.epoch_hours = figures.epoch_hours;
    return bound;
  }

  void bounds(Sets& sets, Runs& runs, const Set& end) {
    stage("bounds");
    for (const auto& [of, at] : {std::pair<const char*, Set>{"as is", {}}, {"at the end", end}}) {
      const RunConfig on = *sets.run(at).run;
      for (Bound& each : convolution_bounds(runs.result(on), of)) {
        each.epoch_hours = each.seconds * static_cast<double>(on.iterations_per_epoch()) / 3600;
        e_.bounds.push_back(std::move(each));
      }
      for (const Counterfactual& change : changes_) {
        if (change.use != Use::Bound) continue;
        const design::Changed changed = change.make(on);
        if (!changed.run || (run_.rung == config::Rung::Analytical && is_unknown_to_equations(change, run_))) continue;
        const Tried tried = runs({*changed.run}).front();
        if (tried.time && !(*sets.of(at).time < *tried.time)) {
          e_.bounds.push_back(bound(change, of, *changed.run, runs));
        }
      }
      if (end.empty()) break;
    }
  }

  // Adds the changes to the question, each made at the end of the ladder: by the equations, or simulated if these do
  // not know it.
  void question(Sets& equations, Sets& of_rung, const Set& end) {
    stage("changes to the question");
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      const Counterfactual& change = changes_[i];
      if (change.use != Use::Question) continue;
      const bool unknown = is_unknown_to_equations(change, run_);
      Sets& sets = unknown ? of_rung : equations;
      Runs& runs = unknown ? *simulated_ : *equations_;
      Line line;
      line.change = change.name;
      const design::Changed on = sets.run(end);
      const design::Changed changed = change.make(*on.run);
      const Tried tried = changed.run ? runs({*changed.run}).front() : Tried{{}, 0, changed.why_not};
      if (tried.time) {
        const Figures before = figures_of(*on.run, runs);
        line.figures = runs.figures(*changed.run);
        line.gain = 1 - *line.figures.epoch_hours / *before.epoch_hours;
        line.ending = *line.gain > 0 ? Ending::Kept : *line.gain < 0 ? Ending::Slower : Ending::NoGain;
        Given all = end_;
        all.run.rung = changed.run->rung;
        if (change.set.empty()) {
          all = given(all, *changed.run);
        } else {
          all.options.push_back(change.set);
        }
        line.command = with_sets(request_.command, all.options);
      } else {
        line.ending = Ending::Impossible;
        line.why_not = tried.why_not;
      }
      e_.question.push_back(std::move(line));
    }
  }

  Figures figures_of(const RunConfig& run, Runs& runs) {
    runs({run});
    return runs.figures(run);
  }

  const Request& request_;
  const Listener& listener_;
  RunConfig run_;
  std::vector<Counterfactual> changes_;
  run::Simulations simulations_;
  timeline::Iterations iterations_;
  std::optional<Runs> equations_, simulated_;
  Given end_;  // of the ladder
  Explanation e_;
  std::map<std::string, std::string> configs_;
};

}  // namespace

Explained explain(const Request& request, const Listener& listener) {
  return Explainer(request, listener).explain();
}

std::string with_sets(std::string command, const std::vector<std::string>& sets) {
  for (const std::string& set : sets) {
    const bool plain = set.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.=-/:,") ==
                       std::string::npos;
    command += plain ? " --set " + set : fmt::format(" --set '{}'", set);
  }
  return command;
}

}  // namespace weft::explain
