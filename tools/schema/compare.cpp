#include "tools/schema/schema.h"

namespace weft::tools::schema {

Json compare() {
  const Json run_properties = run().at("properties");
  const Json of_run = run_properties.at("totals").at("properties").at("network").at("properties");
  const Json of_row = run_properties.at("convolutions").at("items").at("properties");
  const auto key = [&](const char* name) { return Key{name, of_run.at(name)}; };
  const std::vector<Key> side{{"convolutions", integer("convolutions", "convolutions of it")},
                              key("cycles"),
                              key("time_s"),
                              key("gops"),
                              key("array_utilisation"),
                              key("stall_share"),
                              key("ddr_efficiency"),
                              {"pe_cycles", of_run.at("pe_cycles"), false}};
  const Json total = object("a kind, or all", {{"a", object("of A", side)},
                                               {"b", object("of B", side)},
                                               {"cycles_change", or_nothing(number("1", "cycles: B / A - 1"))},
                                               {"time_change", or_nothing(number("1", "time: B / A - 1"))}});
  const Json value = or_nothing(text("its value; null where it has none"));
  const Json name = text("a convolution, as LAYER:KIND");
  const auto limiter = [&] { return text("what limits the convolution"); };
  return object(
      "two results (weft compare)",
      {{"schema", integer("version", "version of this form; it grows when a key changes its meaning or goes")},
       {"a", text("the first, as it was named")},
       {"b", text("the second")},
       {"keys",
        list("keys of the run that differ", object("a key", {{"key", text("dotted")}, {"a", value}, {"b", value}}))},
       {"totals",
        object("by kind",
               {{"all F", total, false}, {"all GI", total, false}, {"all GW", total, false}, {"network", total}})},
       {"convolutions", list("those of both, what moved most first",
                             object("a convolution", {{"layer", of_row.at("layer")},
                                                      {"kind", of_row.at("kind")},
                                                      {"cycles_a", integer("cycles", "kernel cycles of A")},
                                                      {"cycles_b", integer("cycles", "kernel cycles of B")},
                                                      {"cycles_change", or_nothing(number("1", "B / A - 1"))},
                                                      {"limiter_a", limiter()},
                                                      {"limiter_b", limiter()},
                                                      {"pe_cycles_a", of_row.at("pe_cycles"), false},
                                                      {"pe_cycles_b", of_row.at("pe_cycles"), false}}))},
       {"changed_limiters", integer("convolutions", "convolutions with another limiter")},
       {"only_a", list("convolutions that B does not have", name)},
       {"only_b", list("convolutions that A does not have", name)}});
}

Json results() {
  return list("what lies in a folder, newest first (weft show FOLDER)",
              object("a result; what it has none of is empty",
                     {{"name", text("its directory, or its file")},
                      {"of", text("what made it: run, timeline, train, explain, sweep, dse, validate")},
                      {"network", text("name of the network")},
                      {"board", text("name of the board")},
                      {"array", text("array of the kernel, as 16x16")},
                      {"kernel", text("what kernel it is of, or how many points")},
                      {"batch", text("images of an iteration")},
                      {"rung", text("what counted the cycles")},
                      {"cycles", text("kernel cycles of an iteration, with commas")},
                      {"made_utc", text("when it was written")}}));
}

}  // namespace weft::tools::schema
