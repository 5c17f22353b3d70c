#include "platform/studies/explain/explanation.h"

#include <initializer_list>
#include <nlohmann/json.hpp>

#include "platform/record/json.h"

namespace weft::explain {

const char* to_string(Ending ending) {
  constexpr std::array<const char*, 5> kNames{"as_is", "kept", "no_gain", "slower", "impossible"};
  return kNames.at(static_cast<std::size_t>(ending));
}

static void fields(record::Visitor& io, Share& share) {
  io("name", "the block, or what the iteration does", share.name);
  io("of_time", "1", "its share of the seconds", share.of_time);
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
  io("why_not", "of what is not possible: why", line.why_not);
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
  io("of", "of which line", bound.of);
  io("cycles", "cycles", "no fewer than these", bound.cycles);
  io("seconds", "s", "the same in seconds", bound.seconds);
}

void fields(record::Visitor& io, LadderLines& ladder) {
  io.list("lines", "the lines of the ladder", "", "the run as it is, a step, or a change that is not kept",
          ladder.lines);
  io.list("bounds", "what no run takes less than: cycles, and seconds", "", "a bound", ladder.bounds);
  io.list("sentences", "what limits it; what to change first; what limits it then", "", "a sentence", ladder.sentences);
}

static void fields(record::Visitor& io, Change& change) {
  io("name", "its name", change.name);
  io("meaning", "what is changed", change.meaning);
  io("caveat", "what it asks for; empty for nothing", change.caveat);
}

static void fields(record::Visitor& io, KeyWords& words) {
  io("unit", "its unit", words.unit);
  io("meaning", "what it says", words.meaning);
}

void fields(record::Visitor& io, Explanation& e) {
  io.head("explain", 2, e.weft_version);
  io("name", "name of the run", e.run);
  io("network", "name of the network", e.network);
  io("board", "name of the board", e.board);
  io("kernel", "what the kernel is", e.kernel);
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
  io.group("work", "what it took to find out", [&](record::Visitor& work) {
    work("convolutions", "convolutions", "convolutions of all the runs", e.asked);
    work("simulated", "convolutions", "different ones, which were simulated", e.simulated);
  });
  io.named("fields", "fields of the lines, in words", "", "a field", e.words);
  config::inputs_field(io, e.inputs);
}

record::Named<KeyWords> explanation_words() {
  using Json = nlohmann::ordered_json;
  const Json schema = record::json_schema("", Explanation());
  const Json& all = schema.at("properties");
  const Json& ladder = all.at("kernels").at("properties");
  const Json& line = ladder.at("lines").at("items").at("properties");
  record::Named<KeyWords> words;
  const auto add = [&](const Json& of, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      words.push_back({name, {of.at(name).value("unit", ""), of.at(name).at("description").get<std::string>()}});
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

}  // namespace weft::explain
