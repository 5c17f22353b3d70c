#include "platform/studies/explain/explanation.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

#include "platform/record/json.h"

namespace weft::explain {

const char* to_string(Ending ending) {
  constexpr std::array<const char*, 5> kNames{"as_is", "kept", "no_gain", "slower", "impossible"};
  return kNames.at(static_cast<std::size_t>(ending));
}

static void fields(record::Visitor& io, Share& share) {
  io("name", "block, or activity of the iteration", share.name);
  io("of_time", "1", "share of `seconds`", share.of_time);
}

static void fields(record::Visitor& io, KindCycles& kinds) {
  io("F", "cycles", "kernel cycles of the convolutions F", kinds.of[0]);
  io("GI", "cycles", "kernel cycles of the convolutions GI", kinds.of[1]);
  io("GW", "cycles", "kernel cycles of the convolutions GW", kinds.of[2]);
}

static void fields(record::Visitor& io, Figures& figures) {
  io("seconds", "s", "of all convolutions, or of the iteration", figures.seconds);
  io("cycles", "cycles", "kernel cycles of all convolutions, at the clock of this line's kernel", figures.cycles);
  io("kinds", "the same of F, GI and GW", figures.kinds);
  io.list("shares", "of the seconds: convolutions by the block that limits them, or what the iteration is made of", "",
          "a part of the time", figures.shares);
  io("array_utilisation", "1", "useful multiply-accumulates over what the kernel could have done", figures.utilisation);
  io("stall_share", "1", "cycles in which the compute block did not advance", figures.stall_share);
  io("ddr_efficiency", "1", "bytes moved over what the channels in use could move", figures.ddr_efficiency);
  io("do_not_fit", "convolutions", "whose kernels do not fit the board", figures.do_not_fit);
  io("kernel", "what the kernel is on this line", figures.kernel);
  io("memory", "what the memory is on this line", figures.memory);
}

void fields(record::Visitor& io, Line& line) {
  io.choice("ending", "as_is, kept, no_gain, slower or impossible (why_not says why)", line.ending, 5);
  io("step", "1", "place on the ladder, 0 as the run is", line.step);
  io("change", "name of the change; the run as it is has none", line.change);
  io("why_not", "reason why the change is impossible", line.why_not);
  fields(io, line.figures);
  io("gain", "1", "share of the time before it that the change saves", line.gain);
  io("alone", "1", "share of the time of the run as it is that the change saves by itself", line.alone);
  io("last", "1",
     "share of the time that it saves as the last of all kept changes; of one that is not kept, behind all of them",
     line.last);
  io("config", "the file in this folder that is the run of this line; its cycles are those of weft run", line.config);
}

static void fields(record::Visitor& io, Bound& bound) {
  io("name", "array or memory", bound.name);
  io("of", "line of the bound: as is, or at the end", bound.of);
  io("cycles", "cycles", "lower bound of the cycles", bound.cycles);
  io("seconds", "s", "lower bound of the time", bound.seconds);
}

void fields(record::Visitor& io, LadderLines& ladder) {
  io.list("lines", "the lines of the ladder", "", "the run as it is, a step, or a change that is not kept",
          ladder.lines);
  io.list("bounds", "what no run takes less than: cycles, and seconds", "", "a bound", ladder.bounds);
  io.list("sentences", "what limits it; what to change first; what limits it then", "", "a sentence", ladder.sentences);
}

static void fields(record::Visitor& io, Change& change) {
  io("name", "name of the change", change.name);
  io("meaning", "difference from the run", change.meaning);
  io("caveat", "obstacle to the change; empty: none", change.caveat);
}

static void fields(record::Visitor& io, KeyWords& words) {
  io("unit", "unit of the field", words.unit);
  io("meaning", "description of the field", words.meaning);
}

void fields(record::Visitor& io, Explanation& e) {
  io.head("explain", 2, e.weft_version);
  io("name", "name of the run", e.run);
  io("network", "name of the network", e.network);
  io("board", "name of the board", e.board);
  io("kernel", "kernel of the run", e.kernel);
  io("batch", "images", "of an iteration of the run", e.batch);
  io("search_batch", "images", "at which the order of the changes was looked for, and alone and last were found",
     e.search_batch);
  io("rung", "what counted the cycles: analytical, systemc or exact", e.rung);
  io("convolutions", "convolutions", "convolutions of the run", e.convolutions);
  io.list("changes",
          "what was tried: name, meaning, and the caveat of what cannot be had for what it takes of the board", "",
          "a change", e.changes);
  io("kernels", "the ladder of the convolutions", e.kernels);
  io.group("iteration", "the ladder of the training iteration; where there is none, why_not says why",
           [&](record::Visitor& ladder) {
             fields(ladder, e.iteration);
             ladder("why_not", "why there is no ladder", e.no_iteration);
           });
  io.group("work", "effort of the explanation", [&](record::Visitor& work) {
    work("convolutions", "convolutions", "convolutions of all the runs", e.asked);
    work("simulated", "convolutions", "distinct convolutions that were simulated", e.simulated);
  });
  io.named("fields", "fields of the lines, in words", "", "a field", e.words);
  config::inputs_field(io, e.inputs);
}

record::Named<KeyWords> explanation_words() {
  const std::string schema = record::schema_text(Explanation());
  const std::string all = "/properties/", ladder = all + "kernels/properties/",
                    line = ladder + "lines/items/properties/";
  record::Named<KeyWords> words;
  const auto add = [&](const std::string& of, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const std::string unit = of + name + "/unit", meaning = of + name + "/description";
      const auto values = record::json_values(schema, {unit, meaning}).value();
      words.push_back({name, {values.count(unit) > 0 ? to_text(values.at(unit)) : "", to_text(values.at(meaning))}});
    }
  };
  add(all, {"batch", "search_batch", "changes", "kernels", "iteration"});
  add(line, {"ending", "step", "seconds", "shares", "cycles", "kinds", "array_utilisation", "stall_share",
             "ddr_efficiency", "do_not_fit", "kernel", "memory", "gain", "alone", "last", "config"});
  add(ladder, {"bounds", "sentences"});
  for (auto& [name, of] : words) {
    if (name == "shares") of.unit = "1";
    if (name == "kinds") of.unit = "cycles";
  }
  return words;
}

namespace {

// Least share worth naming, and number of shares named.
constexpr double kLeastShare = 0.1;
constexpr std::size_t kMostShares = 3;

std::string percent(double share) {
  return fmt::format("{:.1f}%", 100 * share);
}

std::string limits(const Figures& figures) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostShares, figures.shares->size()); ++i) {
    const Share& share = figures.shares->at(i);
    if (i > 0 && share.of_time < kLeastShare) break;
    text += fmt::format("{}{} for {}{}", i == 0 ? "" : ", ", share.name, percent(share.of_time),
                        i == 0 ? " of the time" : "");
  }
  if (figures.utilisation) {
    text += fmt::format("; {} of what the array could compute is useful", percent(*figures.utilisation));
  }
  return text;
}

const Line* step(const std::vector<Line>& lines, int number) {
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [&](const Line& line) { return line.ending == Ending::Kept && line.step == number; });
  return found == lines.end() ? nullptr : &*found;
}

const Change& change_of(const Line& line, const std::vector<Change>& changes) {
  return *std::find_if(changes.begin(), changes.end(), [&](const Change& each) { return each.name == line.change; });
}

// Returns the change without a caveat that gains most when made alone, the first of equals; nullptr if none gains.
const Line* best_without_caveat(const std::vector<Line>& lines, const std::vector<Change>& changes) {
  const Line* best = nullptr;
  for (const Line& line : lines) {
    if (!line.change || !change_of(line, changes).caveat.empty() || line.alone.value_or(0) <= 0) continue;
    if (!best || *line.alone > *best->alone) best = &line;
  }
  return best;
}

std::string change_first(const Line& as_is, const Line& first, const std::vector<Line>& lines,
                         const std::vector<Change>& changes) {
  const Change& change = change_of(first, changes);
  std::string text =
      fmt::format("{} ({}{}), from {} to {}, which is {} less", change.name, change.meaning,
                  change.caveat.empty() ? "" : "; " + change.caveat, duration_text(*as_is.figures.seconds),
                  duration_text(*first.figures.seconds), percent(*first.gain));
  if (change.caveat.empty()) return text;
  const Line* const other = best_without_caveat(lines, changes);
  if (!other) return text + "; nothing else gains by itself";
  return text + fmt::format("; of what has no such caveat {} gains most by itself, {}", *other->change,
                            percent(*other->alone));
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.4g} ms", seconds * 1e3);
  if (seconds < 1000) return fmt::format("{:.4g} s", seconds);
  return fmt::format("{:.0f} s", seconds);
}

std::vector<std::string> sentences(const std::vector<Line>& lines, const std::vector<Change>& changes) {
  const Line& as_is = lines.front();
  const Line* const first = step(lines, 1);
  std::vector<std::string> text{fmt::format("What limits it: {}.", limits(as_is.figures))};
  if (!first) {
    text.emplace_back("What to change first: nothing of what was tried makes it faster.");
    text.emplace_back("What limits it then: the same.");
    return text;
  }
  text.push_back(fmt::format("What to change first: {}.", change_first(as_is, *first, lines, changes)));
  const Line* const second = step(lines, 2);
  const std::string next = second ? fmt::format("{} takes another {} off", *second->change, percent(*second->gain))
                                  : "nothing of what was tried makes it faster";
  text.push_back(fmt::format("What limits it then: {}; {}.", limits(first->figures), next));
  return text;
}

}  // namespace weft::explain
