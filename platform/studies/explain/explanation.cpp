#include "platform/studies/explain/explanation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "model/core/text.h"
#include "platform/record/csv.h"
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

static void fields(record::Visitor& io, Resource& resource) {
  io("name", "name of the resource", resource.name);
  io("used", "resources", "largest use by a kernel of the run", resource.used);
  io("available", "resources", "what the board leaves to kernels", resource.available);
}

static void fields(record::Visitor& io, Figures& figures) {
  io("seconds", "s", "of a training iteration; of the convolutions if there is none (no_iteration)", figures.seconds);
  io("epoch_hours", "h", "of an epoch at this time", figures.epoch_hours);
  io.list("shares", "of the seconds: parts of the iteration, or convolutions by the block that limits them", "",
          "a part of the time", figures.shares);
  io("convolutions_seconds", "s", "of the convolutions of an iteration", figures.convolutions_seconds);
  io.list("limiters", "convolutions by the block that limits them, of their time", "", "a part of the time",
          figures.limiters);
  io("kernels", "kernels", "different kernels of the run", figures.kernels);
  io("loads", "loads", "loads of bitstreams in an iteration", figures.loads);
  io("misfits", "convolutions", "convolutions whose kernel does not fit the board", figures.misfits);
  io.list("resources", "resources of the board", "", "a resource", figures.resources);
  io("cycles", "cycles", "kernel cycles of all convolutions, at the clock of this line's kernel", figures.cycles);
  io("kinds", "the same of F, GI and GW", figures.kinds);
  io("array_utilisation", "1", "multiply-accumulates of the layers over what the kernel could have done",
     figures.utilisation);
  io("stall_share", "1", "cycles in which the compute block did not advance", figures.stall_share);
  io("ddr_efficiency", "1", "bytes moved over what the channels in use could move", figures.ddr_efficiency);
  io("kernel", "what the kernel is on this line", figures.kernel);
  io("memory", "what the memory is on this line", figures.memory);
}

void fields(record::Visitor& io, Line& line) {
  io.choice("ending", "as_is, kept, no_gain, slower or impossible (why_not says why)", line.ending, 5);
  io("step", "1", "place on the ladder, 0 as the run is", line.step);
  io("change", "names of the changes, + between them; the run as it is has none", line.change);
  io("why_not", "reason why the change is impossible", line.why_not);
  fields(io, line.figures);
  io("gain", "1", "share of the time before it that the change saves", line.gain);
  io("alone", "1", "share of the time of the run as it is that the change saves by itself, by the equations",
     line.alone);
  io("last", "1",
     "share of the time that it saves as the last of all kept changes, by the equations; of one that is not kept, "
     "made after all of them",
     line.last);
  io("command", "command that simulates the run of this line", line.command);
  io("config", "the file in this folder that is the run of this line; its cycles are those of weft run", line.config);
}

void fields(record::Visitor& io, Bound& bound) {
  io("name", "name of the bound", bound.name);
  io("meaning", "what it assumes", bound.meaning);
  io("of", "line of the bound: as is, or at the end", bound.of);
  io("seconds", "s", "lower bound of the time", bound.seconds);
  io("epoch_hours", "h", "of an epoch at this time", bound.epoch_hours);
  io("cycles", "cycles", "lower bound of the cycles of the convolutions, for array and memory", bound.cycles);
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
  io.head("explain", 4, e.weft_version);
  io("name", "name of the run", e.run);
  io("network", "name of the network", e.network);
  io("board", "name of the board", e.board);
  io("kernel", "kernel of the run", e.kernel);
  io("batch", "images", "of an iteration of the run", e.batch);
  io("dataset_images", "images", "of an epoch", e.dataset_images);
  io("rung", "what counted the cycles: analytical, systemc or exact", e.rung);
  io("convolutions", "convolutions", "convolutions of the run", e.convolutions);
  io.list("verdict", "what the run takes; what limits it; what to change first", "", "a sentence", e.verdict);
  io("no_iteration", "why the times are of the convolutions alone; null: they are of the iteration", e.no_iteration);
  io.list("held", "keys that no change may alter", "", "a key of the run", e.held);
  io.list("changes", "what was tried: name, meaning, and the caveat of what is no step", "", "a change", e.changes);
  io.list("lines", "the ladder", "", "the run as it is, a step, or a change that is not kept", e.lines);
  io.list("bounds", "what no change reaches", "", "a bound", e.bounds);
  io.list("question", "changes to the question, made at the end of the ladder, by the equations", "",
          "a change of the batch, the clock, the number format or the board", e.question);
  io.group("work", "effort of the explanation", [&](record::Visitor& work) {
    work("sets", "sets", "sets of changes that were tried by the equations", e.sets);
    work("convolutions", "convolutions", "convolutions of all simulated runs", e.asked);
    work("simulated", "convolutions", "distinct convolutions that were simulated", e.simulated);
  });
  io.named("fields", "fields of the lines, in words", "", "a field", e.words);
  config::inputs_field(io, e.inputs);
}

std::string Explanation::added(const Line& line) const {
  std::string text;
  if (!line.command) return text;
  const std::string separator = " --set ", last = end().command.value_or("") + separator;
  std::size_t at = line.command->find(separator);
  while (at != std::string::npos) {
    const std::size_t next = line.command->find(separator, at + separator.size());
    const std::string set = line.command->substr(at, next == std::string::npos ? next : next - at);
    if (last.find(set + separator) == std::string::npos) text += (text.empty() ? "" : " ") + set.substr(1);
    at = next;
  }
  return text;
}

bool is_of(const std::vector<Line>& lines, const Change& change, bool kept) {
  return std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
    const std::string names = " + " + line.change.value_or("") + " + ";
    return (!kept || line.step) && names.find(" + " + change.name + " + ") != std::string::npos;
  });
}

const Line& Explanation::end() const {
  const Line* last = &lines.front();
  for (const Line& line : lines) {
    if (line.ending == Ending::Kept) last = &line;
  }
  return *last;
}

record::Named<KeyWords> explanation_words() {
  const std::string schema = record::schema_text(Explanation());
  const std::string all = "/properties/", line = all + "lines/items/properties/";
  record::Named<KeyWords> words;
  const auto add = [&](const std::string& of, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const std::string unit = of + name + "/unit", meaning = of + name + "/description";
      const auto values = record::json_values(schema, {unit, meaning}).value();
      words.push_back({name, {values.count(unit) > 0 ? to_text(values.at(unit)) : "", to_text(values.at(meaning))}});
    }
  };
  add(all, {"batch", "verdict", "changes", "lines", "bounds", "question"});
  add(line, {"ending",      "step",
             "seconds",     "epoch_hours",
             "shares",      "convolutions_seconds",
             "limiters",    "kernels",
             "loads",       "misfits",
             "resources",   "cycles",
             "kinds",       "array_utilisation",
             "stall_share", "ddr_efficiency",
             "kernel",      "memory",
             "gain",        "alone",
             "last",        "command",
             "config"});
  for (auto& [name, of] : words) {
    if (name == "shares" || name == "limiters") of.unit = "1";
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

std::string largest(const std::vector<Share>& shares) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostShares, shares.size()); ++i) {
    if (i > 0 && shares[i].of_time < kLeastShare) break;
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", shares[i].name, percent(shares[i].of_time));
  }
  return text;
}

std::string what_it_takes(const Explanation& e) {
  const Figures& f = e.lines.front().figures;
  if (e.no_iteration) {
    return fmt::format("The convolutions of {} take {}, and {} an epoch of {}.", images_text(e.batch),
                       duration_text(*f.seconds), hours_text(*f.epoch_hours), images_text(e.dataset_images));
  }
  return fmt::format("An iteration of {} takes {}, of which convolutions are {}; an epoch of {} takes {}.",
                     images_text(e.batch), duration_text(*f.seconds), duration_text(*f.convolutions_seconds),
                     images_text(e.dataset_images), hours_text(*f.epoch_hours));
}

std::string misfits(const Figures& f, std::int64_t convolutions) {
  return fmt::format("the kernels of {} of {} convolutions do not fit the board", *f.misfits, convolutions);
}

std::string what_limits(const Explanation& e) {
  const Figures& f = e.lines.front().figures;
  std::string text = fmt::format("It is limited by {}", largest(*f.shares));
  if (f.loads.value_or(0) > 0) text += fmt::format(" ({} kernels, {} loads)", *f.kernels, *f.loads);
  if (!e.no_iteration) text += fmt::format("; its convolutions by {}", largest(*f.limiters));
  text += fmt::format("; the array computes {} of what it could", percent(*f.utilisation));
  if (*f.misfits > 0) text += "; " + misfits(f, e.convolutions);
  return text + ".";
}

// "BRAM18 1,090 of 4,000 (+16)"
std::string price(const Figures& from, const Figures& to) {
  std::string text;
  for (std::size_t i = 0; i < to.resources->size(); ++i) {
    const Resource& resource = to.resources->at(i);
    const std::int64_t more = resource.used - from.resources->at(i).used;
    if (more == 0) continue;
    text += fmt::format("{}{} {} of {} ({}{})", text.empty() ? "" : ", ", resource.name, thousands(resource.used),
                        thousands(resource.available), more > 0 ? "+" : "-", thousands(more > 0 ? more : -more));
  }
  return text.empty() ? "no more resources" : text;
}

std::string what_to_change(const Explanation& e) {
  const Line& as_is = e.lines.front();
  const auto first = std::find_if(e.lines.begin(), e.lines.end(), [](const Line& line) { return line.step == 1; });
  if (first == e.lines.end()) return "Change first: nothing of what was tried makes it faster.";
  std::string meaning;
  for (const Change& change : e.changes) {
    if (change.name == first->change) meaning = fmt::format(" ({})", change.meaning);
  }
  std::string text =
      fmt::format("Change first: {}{}, which takes the {} to {} an epoch, {} less, with {}", *first->change, meaning,
                  e.no_iteration ? "convolutions" : "iteration", hours_text(*first->figures.epoch_hours),
                  percent(*first->gain), price(as_is.figures, first->figures));
  const Line& end = e.end();
  if (*end.step > 1) {
    const double times = *as_is.figures.seconds / *end.figures.seconds;
    text += fmt::format(
        "; all {} steps to {}, {} times as fast, with {}", *end.step, hours_text(*end.figures.epoch_hours),
        times < 100 ? fmt::format("{:.1f}", times) : thousands(std::llround(times)), price(as_is.figures, end.figures));
  }
  if (*end.figures.misfits > 0) text += "; " + misfits(end.figures, e.convolutions);
  return text + ".";
}

// Line of the CSV: a line of the ladder, a change to the question, or a bound.
struct CsvLine {
  std::string list, ending;
  Line line;
  KindCycles kinds;
  std::optional<std::string> most;  // the largest share of the time
  std::optional<double> most_share;
};

void fields(record::Visitor& io, CsvLine& x) {
  Figures& f = x.line.figures;
  io("list", "", x.list);
  io("ending", "", x.ending);
  io("step", "", x.line.step);
  io("change", "", x.line.change);
  io("seconds", "", f.seconds);
  io("epoch_hours", "", f.epoch_hours);
  io("gain", "", x.line.gain);
  io("alone", "", x.line.alone);
  io("last", "", x.line.last);
  io("convolutions_seconds", "", f.convolutions_seconds);
  io("kernels", "", f.kernels);
  io("loads", "", f.loads);
  io("misfits", "", f.misfits);
  io("cycles", "", f.cycles);
  io("cycles_f", "", x.kinds.of[0]);
  io("cycles_gi", "", x.kinds.of[1]);
  io("cycles_gw", "", x.kinds.of[2]);
  io("array_utilisation", "", f.utilisation);
  io("stall_share", "", f.stall_share);
  io("ddr_efficiency", "", f.ddr_efficiency);
  io("most", "", x.most);
  io("most_share", "", x.most_share);
  io("kernel", "", f.kernel);
  io("memory", "", f.memory);
  io("command", "", x.line.command);
  io("config", "", x.line.config);
  io("why_not", "", x.line.why_not);
}

}  // namespace

std::vector<std::string> verdict(const Explanation& e) {
  return {what_it_takes(e), what_limits(e), what_to_change(e)};
}

std::string csv_head() {
  return record::csv_head(CsvLine());
}

std::string csv_text(const Explanation& e) {
  std::vector<CsvLine> lines;
  for (const auto& [name, list] :
       {std::pair<const char*, const std::vector<Line>&>{"ladder", e.lines}, {"question", e.question}}) {
    for (const Line& line : list) {
      CsvLine& of = lines.emplace_back(CsvLine{name, to_string(line.ending), line, {}, {}, {}});
      of.kinds = line.figures.kinds.value_or(of.kinds);
      if (!line.figures.shares || line.figures.shares->empty()) continue;
      of.most = line.figures.shares->front().name;
      of.most_share = line.figures.shares->front().of_time;
    }
  }
  for (const Bound& bound : e.bounds) {
    CsvLine& of = lines.emplace_back(CsvLine{"bounds", bound.of, {}, {}, {}, {}});
    of.line.change = bound.name;
    of.line.figures.seconds = bound.seconds;
    of.line.figures.epoch_hours = bound.epoch_hours;
    of.line.figures.cycles = bound.cycles;
  }
  return record::csv_text(lines);
}

}  // namespace weft::explain
