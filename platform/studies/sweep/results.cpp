#include "platform/studies/sweep/results.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "model/core/error.h"
#include "platform/config/reader.h"
#include "platform/design/value_json.h"
#include "platform/studies/sweep/fields.h"
#include "platform/studies/sweep/store.h"

namespace weft::sweep {

namespace {

using nlohmann::ordered_json;

// With nothing in the place of what an older schema does not have.
std::string columns(const Connection& connection, const char* table, const char* alias,
                    const std::vector<Field>& fields) {
  const std::vector<Field> missing = missing_fields(connection, table, fields);
  std::string text;
  for (const Field& field : fields) {
    text += find_field(missing, field.name) < 0 ? fmt::format(", {}.{}", alias, quoted_name(field.name)) : ", NULL";
  }
  return text;
}

// What `take` makes of the JSON of a column. weft wrote it, so that anything else means a damaged file.
template <class Take>
auto from_json(const std::string& text, const char* column, const Take& take) {
  try {
    return take(ordered_json::parse(text));
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("the database is damaged: its column {} holds no JSON that weft writes", column));
  }
}

}  // namespace

Results::Results(const std::filesystem::path& path, std::int64_t sweep)
    : connection_(path.string(), Connection::Access::Read) {
  check_schema(connection_);
  if (connection_.first("SELECT 1 FROM sqlite_master WHERE name = 'sweeps'").index() == 0 ||
      connection_.first("SELECT 1 FROM sweeps").index() == 0) {
    throw Error(fmt::format("'{}' holds no results yet", path.string()));
  }
  sweeps_ = std::get<std::int64_t>(connection_.first("SELECT count(*) FROM sweeps"));
  Statement statement = connection_.prepare(
      "SELECT sweep, name, title, code_version, points, axes, objectives, constraints FROM sweeps WHERE ? IN (0, "
      "sweep) "
      "ORDER BY sweep DESC");
  statement.bind(1, sweep);
  if (!statement.step()) {
    throw Error(fmt::format("'{}' holds no sweep {}; there are {}", path.string(), sweep, sweeps_));
  }
  sweep_ = statement.integer(0);
  name_ = statement.text(1);
  title_ = statement.text(2);
  code_version_ = statement.text(3);
  points_ = statement.integer(4);
  const auto texts = [](const ordered_json& json) { return json.get<std::vector<std::string>>(); };
  axes_ = from_json(statement.text(5), "axes", texts);
  from_json(statement.text(6), "objectives", [&](const ordered_json& json) {
    for (const auto& each : json.get<std::vector<std::map<std::string, std::string>>>()) {
      for (const auto& [direction, text] : each) objectives_.push_back({text, direction == "maximize"});
    }
  });
  constraints_ = from_json(statement.text(7), "constraints", texts);
}

std::vector<ResultRow> Results::read(const std::string& sql, std::size_t fields) const {
  std::vector<ResultRow> rows;
  Statement statement = connection_.prepare(sql);
  statement.bind(1, sweep_);
  while (statement.step()) {
    ResultRow row;
    row.point = statement.integer(0);
    row.done = statement.text(1) == "done";
    row.error = statement.text(2);
    row.config = statement.text(4);
    from_json(statement.text(3), "parameters", [&](const ordered_json& parameters) {
      for (const std::string& axis : axes_) row.parameters.push_back(value_of(parameters.value(axis, ordered_json())));
    });
    for (std::size_t i = 0; i < fields; ++i) row.fields.push_back(statement.column(static_cast<int>(5 + i)));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ResultRow> Results::read_points() const {
  return read("SELECT p.point, p.status, p.error, p.parameters, p.config" +
                  columns(connection_, "points", "p", point_fields()) +
                  " FROM points p WHERE p.sweep = ? ORDER BY p.point",
              point_fields().size());
}

std::vector<ResultRow> Results::read_convolutions() const {
  return read("SELECT c.point, p.status, p.error, p.parameters, p.config" +
                  columns(connection_, "convolutions", "c", convolution_fields()) +
                  " FROM convolutions c JOIN points p USING (sweep, point) WHERE c.sweep = ? "
                  "ORDER BY c.point, c.convolution",
              convolution_fields().size());
}

std::map<std::string, std::vector<ResultRow>> Results::read_reranked() const {
  std::map<std::string, std::vector<ResultRow>> all;
  if (connection_.first("SELECT 1 FROM sqlite_master WHERE name = 'reranked'").index() == 0) return all;
  Statement rungs = connection_.prepare("SELECT DISTINCT rung FROM reranked WHERE sweep = ?");
  rungs.bind(1, sweep_);
  while (rungs.step()) {
    const std::string rung = rungs.text(0);
    all[rung] = read("SELECT r.point, r.status, r.error, p.parameters, p.config" +
                         columns(connection_, "reranked", "r", point_fields()) +
                         " FROM reranked r JOIN points p USING (sweep, point) WHERE r.sweep = ? AND r.rung = " +
                         quoted_text(rung) + " ORDER BY r.point",
                     point_fields().size());
  }
  return all;
}

std::string Results::config(std::int64_t point) const {
  Statement statement = connection_.prepare("SELECT config, error FROM points WHERE sweep = ? AND point = ?");
  statement.bind(1, sweep_).bind(2, point);
  if (!statement.step()) throw Error(fmt::format("point {} is not recorded; the sweep has {}", point, points_));
  if (statement.text(0).empty()) {
    throw Error(fmt::format("the values of point {} make no run: {}", point, statement.text(1)));
  }
  return statement.text(0);
}

Value RowNames::value(const ResultRow& row, const std::string& name) const {
  const int field = find_field(fields_, name);
  if (field >= 0) return row.fields[static_cast<std::size_t>(field)];
  if (name == "point") return row.point;
  if (name == "status") return std::string(row.done ? "done" : "failed");
  const Value* found = nullptr;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (axes_[axis] == name) return row.parameters[axis];
    if (short_name(axes_[axis]) != name) continue;
    if (found) throw Error(fmt::format("'{}' can mean several axes; write it in full, as {}", name, axes_[axis]));
    found = &row.parameters[axis];
  }
  if (found) return *found;
  if (!row.done && row.config.empty()) return {};
  if (parsed_point_ != row.point) {
    parsed_ = config::parse_yaml(row.config, std::make_shared<config::Source>());
    parsed_point_ = row.point;
  }
  const config::Node* const node = config::find_path(*parsed_, name);
  if (node && node->kind == config::Node::Kind::Scalar) return parse_value(node->text, node->quoted);
  std::vector<std::string> known = axes_;
  for (const Field& each : fields_) known.push_back(each.name);
  throw Error(fmt::format("there is no field, axis or key '{}'{}", name, config::suggestion(name, known)));
}

std::vector<bool> pareto_front(const std::vector<std::vector<double>>& rows) {
  std::vector<bool> on_front(rows.size(), false);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::none_of(rows[i].begin(), rows[i].end(), [](double value) { return std::isnan(value); }))
      order.push_back(i);
  }
  // In lexicographic order nothing that comes later beats what came before.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
  std::vector<std::size_t> front;
  for (const std::size_t candidate : order) {
    const auto beats = [&](std::size_t other) {
      return rows[other] != rows[candidate] &&
             std::equal(rows[other].begin(), rows[other].end(), rows[candidate].begin(),
                        [](double a, double b) { return a <= b; });
    };
    if (std::any_of(front.begin(), front.end(), beats)) continue;
    front.push_back(candidate);
    on_front[candidate] = true;
  }
  return on_front;
}

}  // namespace weft::sweep
