#include "platform/record/json.h"
#include "platform/studies/validate/link_validation.h"
#include "tools/schema/schema.h"

namespace weft::tools::schema {

namespace {

Json cycles(const std::string& meaning) {
  return integer("cycles", meaning);
}
Json share(const std::string& meaning) {
  return number("1", meaning);
}
Json version() {
  return integer("version", "version of this form; it grows when a key changes its meaning or goes");
}
Json kind() {
  return text("F, GI or GW");
}

Json statistics() {
  const Json published = object("what somebody else measured", {{"mean", number("%", "mean error")},
                                                                {"sd", number("%", "standard deviation")},
                                                                {"max", number("%", "largest error")},
                                                                {"min", number("%", "smallest error")}});
  const Json of_kind = object("of a kind", {{"convolutions", integer("convolutions", "convolutions of it")},
                                            {"mean", share("mean error")},
                                            {"sd", share("standard deviation of the sample; 0 of one")},
                                            {"max", share("largest error")},
                                            {"min", share("smallest error")},
                                            {"published_percent", published, false}});
  return object("errors by kind", {{"F", of_kind, false}, {"GI", of_kind, false}, {"GW", of_kind, false}});
}

// By the equations a block has one number, in a simulation four.
Json measurement(const std::string& meaning) {
  Json blocks = names("of each block: the cycles of its equation, or how many of the simulation's it was in each state",
                      cycles("in this state"));
  blocks["additionalProperties"] = {{"type", {"integer", "object"}},
                                    {"unit", "cycles"},
                                    {"description", "the block's equation, or its states"},
                                    {"properties", Json::object()},
                                    {"additionalProperties", cycles("in the state active, blocked, starved or idle")}};
  return object(meaning,
                {{"cycles", cycles("of the convolution")},
                 {"limiter", text("the block whose work is longest")},
                 {"blocks", blocks},
                 {"repeats", flag("equals a convolution before it, which was simulated in its place"), false}});
}

Json convolution() {
  const Json cause = object("where the difference comes from; its terms add up to against - model",
                            {{"block", text("at which block")},
                             {"work", cycles("that it works longer")},
                             {"blocked", cycles("that it is held up")},
                             {"starved", cycles("that it lacks input")},
                             {"idle", cycles("that it has nothing to do")}});
  return object("a convolution on a kernel", {{"kernel", text("name of the kernel")},
                                              {"layer", text("name of the layer")},
                                              {"kind", kind()},
                                              {"error", share("(model - against) / against, of the cycles")},
                                              {"model", measurement("on the rung whose error it is")},
                                              {"against", measurement("on the rung it is measured against")},
                                              {"cause", cause},
                                              {"reason", text("the cause in words")}});
}

Json baseline() {
  const auto error = [](const char* meaning) { return or_nothing(share(meaning)); };
  return object(
      "what a baseline said",
      {{"file", text("the baseline")},
       {"deviations",
        list("convolutions whose error is not where the baseline says",
             object("a convolution", {{"kernel", text("name of the kernel")},
                                      {"layer", text("name of the layer")},
                                      {"kind", kind()},
                                      {"old", error("error of the baseline")},
                                      {"new", error("error of this run")},
                                      {"tolerance_percent", number("percentage points", "what it may move")}}))}});
}

Json limits() {
  const Json total = object("a sum of cycles", {{"model", cycles("on the rung whose error it is")},
                                                {"against", cycles("on the rung it is measured against")},
                                                {"error", share("(model - against) / against")},
                                                {"holds", flag("within total_percent")}});
  return object("what the errors are held to",
                {{"total_percent", number("%", "most that a sum of cycles may be wrong, either way")},
                 {"convolution_percent", number("%", "most that one convolution may be wrong, either way")},
                 {"holds", flag("nothing is beyond its limit")},
                 {"totals", object("sums of cycles",
                                   {{"F", total, false}, {"GI", total, false}, {"GW", total, false}, {"all", total}})},
                 {"beyond", list("convolutions beyond their limit, the worst first",
                                 object("a convolution", {{"kernel", text("name of the kernel")},
                                                          {"layer", text("name of the layer")},
                                                          {"kind", kind()},
                                                          {"error", share("(model - against) / against")}}))}});
}

}  // namespace

Json validate() {
  const Json histogram =
      object("how many errors lie where",
             {{"width_percent", number("%", "width of a bin")},
              {"first", integer("bins", "the lower edge of the first bin, in widths from 0")},
              {"bins", list("from the lowest to the highest",
                            list("F, GI, GW", integer("convolutions", "convolutions of the kind in the bin")))}});
  return object("one rung against another (weft validate)",
                {{"schema", version()},
                 {"name", text("name of the validation, or of the run")},
                 {"rungs", object("what is compared", {{"model", text("the rung whose error is asked for")},
                                                       {"against", text("the rung it is measured against")}})},
                 {"statistics", statistics()},
                 {"histogram", histogram},
                 {"convolutions", list("every convolution of every kernel", convolution())},
                 {"baseline", baseline(), false},
                 {"limits", limits(), false}});
}

Json validate_link() {
  return record::json_schema("the model of a link beside what it is held to (weft validate pcie)",
                             validate::LinkResult());
}

}  // namespace weft::tools::schema
