#include "platform/sweep/fields.h"
#include "tools/schema.h"

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
Json sweep_rows_of_convolutions() {
  return sweep_of("a sweep (weft show FILE.db --convolutions)", "each convolution of each point",
                  sweep::convolution_fields());
}

}  // namespace weft::tools::schema
