#include "platform/studies/explain/sentences.h"

#include <fmt/core.h>

#include <algorithm>

namespace weft::explain {

namespace {

// Shares that are worth a word, and how many of them.
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

// The change without a caveat that gains most by itself; of equal ones the first; nullptr if none gains.
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
