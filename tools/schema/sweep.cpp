#include "platform/studies/sweep/fields.h"
#include "tools/schema/schema.h"

namespace weft::tools::schema {

namespace {

// `fields`: of a row, beside those that every row has.
Json sweep_of(const std::string& meaning, const std::string& row, const std::vector<sweep::Field>& fields) {
  std::vector<Key> keys{{"point", integer("1", "number of the point in its space, from 0")},
                        {"status", text("done or failed")},
                        {"error", text("of a point that failed: why"), false}};
  for (const sweep::Field& field : fields) {
    keys.push_back({field.name, or_nothing(of_type(field.type, field.unit, field.meaning))});
  }
  const Json axis{{"type", {"string", "number", "null"}}, {"description", "value of the axis of this name"}};
  return object(meaning, {{"sweep", text("name of the sweep")},
                          {"code_version", text("the version of weft that ran it")},
                          {"points", integer("points", "points of the whole space, recorded or not")},
                          {"rows", list(row, names("a row; null where it is not known", axis, keys))}});
}

}  // namespace

Json sweep() {
  return sweep_of("a sweep (weft show FILE.db)", "each point that was asked for", sweep::point_fields());
}
Json sweep_rerank() {
  const Json axis{{"type", {"string", "number", "null"}}, {"description", "value of the axis of this name"}};
  const auto on_a_rung = [](const char* meaning) {
    return object(meaning, {{"objective", or_nothing(number("that of the objective", "value of the objective"))},
                            {"cycles", integer("cycles", "kernel cycles of an iteration")}});
  };
  const Json row = names("a point that was run again, beside its axes", axis,
                         {{"point", integer("1", "number of the point in its space, from 0")},
                          {"rank", integer("1", "among all points within the constraints, the best 1")},
                          {"reranked", or_nothing(integer("1",
                                                          "among those that were run again; null: it failed, or "
                                                          "leaves the constraints"))},
                          {"first", on_a_rung("on the rung of the sweep")},
                          {"again", on_a_rung("on the other rung"), false},
                          {"error", number("1", "(first - again) / again, of the cycles"), false},
                          {"failed", text("why it could not be run again"), false}});
  const Json winner =
      object("the best", {{"from", integer("1", "number of the point on the rung of the sweep")},
                          {"reranked", integer("1", "number of the point on the other rung")},
                          {"changed", flag("they are not the same")},
                          {"first_costs", or_nothing(number("1",
                                                            "by how much the objective of the first choice is above "
                                                            "that of the other, on the other rung"))}});
  const Json by = names("what the ranks go by: minimize or maximize", text("expression"));
  return object(
      "the best points of a sweep on another rung (weft show FILE.db --rerank)",
      {{"sweep", text("name of the sweep")},
       {"code_version", text("the version of weft that ran it")},
       {"rerankings", list("by rung", object("a rung", {{"from", text("rung of the sweep")},
                                                        {"rung", text("the other rung")},
                                                        {"objective", by},
                                                        {"ranked", integer("points", "points that have a first rank")},
                                                        {"rows", list("by first rank", row)},
                                                        {"winner", winner, false}}))}});
}
Json sweep_rows_of_convolutions() {
  return sweep_of("a sweep (weft show FILE.db --convolutions)", "each convolution of each point",
                  sweep::convolution_fields());
}

}  // namespace weft::tools::schema
