#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "model/core/error.h"
#include "platform/studies/explain/explanation.h"
#include "tools/schema/schema.h"

namespace weft::tools::schema {

namespace {

using Keys = std::vector<Key>;

const explain::FieldMeaning& meaning_of(std::string_view name) {
  const auto& all = explain::field_meanings();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  if (found == all.end()) throw Error(fmt::format("weft explain has no field '{}'", name));
  return *found;
}

// A value of weft explain's own table of fields. `type`: of SQLite.
Key field(const char* name, const char* type, bool always) {
  const explain::FieldMeaning& of = meaning_of(name);
  return {name, of_type(type, of.unit, of.meaning), always};
}
std::string words(const char* name) {
  return meaning_of(name).meaning;
}

Json line() {
  const explain::FieldMeaning& kinds = meaning_of("kinds");
  Keys by_kind;
  for (const char* kind : {"F", "GI", "GW"}) {
    by_kind.push_back({kind, integer(kinds.unit, fmt::format("kernel cycles of the convolutions {}", kind)), false});
  }
  const Json share = object("a part of the time", {{"name", text("the block, or what the iteration does")},
                                                   {"of_time", number("1", "its share of the seconds")}});
  return object("the run as it is, a step, or a change that is not kept",
                {field("ending", "TEXT", true),
                 field("step", "INTEGER", false),
                 {"change", text("name of the change; the run as it is has none"), false},
                 {"why_not", text("of what is not possible: why"), false},
                 field("seconds", "REAL", false),
                 field("cycles", "INTEGER", false),
                 {"kinds", object(kinds.meaning, by_kind), false},
                 {"shares", list(words("shares"), share), false},
                 field("array_utilisation", "REAL", false),
                 field("stall_share", "REAL", false),
                 field("ddr_efficiency", "REAL", false),
                 field("do_not_fit", "INTEGER", false),
                 field("kernel", "TEXT", false),
                 field("memory", "TEXT", false),
                 field("gain", "REAL", false),
                 field("alone", "REAL", false),
                 field("last", "REAL", false),
                 field("config", "TEXT", false)});
}

// `more`: beside what every ladder has.
Json ladder(const char* name, Keys more) {
  Keys keys{{"lines", list("the lines of the ladder", line())},
            {"bounds", list(words("bounds"), object("a bound", {{"name", text("array or memory")},
                                                                {"of", text("of which line")},
                                                                {"cycles", integer("cycles", "no fewer than these")},
                                                                {"seconds", number("s", "the same in seconds")}}))},
            {"sentences", list(words("sentences"), text("a sentence"))}};
  std::move(more.begin(), more.end(), std::back_inserter(keys));
  return object(words(name), keys);
}

}  // namespace

Json explain() {
  return object(
      "what limits a run (weft explain, result.json of its folder)",
      {{"schema", integer("version", "version of this form; it grows when a key changes its meaning or goes")},
       {"explained", text("name of the run")},
       {"network", text("name of the network")},
       {"board", text("name of the board")},
       {"kernel", text("what the kernel is")},
       field("batch", "INTEGER", true),
       field("search_batch", "INTEGER", true),
       {"rung", text("what counted the cycles: analytical, systemc or exact")},
       {"convolutions", integer("convolutions", "convolutions of the run")},
       {"changes",
        list(words("changes"), object("a change", {{"name", text("its name")},
                                                   {"meaning", text("what is changed")},
                                                   {"caveat", text("what it asks for; empty for nothing")}}))},
       {"kernels", ladder("kernels", {})},
       {"iteration", ladder("iteration", {{"why_not", text("why there is no ladder"), false}})},
       {"work", object("what it took to find out",
                       {{"convolutions", integer("convolutions", "convolutions of all the runs")},
                        {"simulated", integer("convolutions", "different ones, which were simulated")}})},
       {"fields", names("fields of the lines, in words",
                        object("a field", {{"unit", text("its unit")}, {"meaning", text("what it says")}}))}});
}

}  // namespace weft::tools::schema
