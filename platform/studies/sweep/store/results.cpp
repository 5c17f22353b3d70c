#include "platform/studies/sweep/store/results.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "platform/config/node.h"
#include "platform/config/reader.h"
#include "platform/record/json.h"
#include "platform/studies/sweep/store/store.h"

namespace weft::sweep {

void fields(record::Visitor& io, ListedRow& x) {
  io("point", "1", "number of the point in its space, from 0", x.point);
  x.cells.resize(x.columns->size());
  for (std::size_t i = 0; i < x.cells.size(); ++i) io.cell((*x.columns)[i], x.cells[i]);
  io.others("", kAxisMeaning, x.axes);
  io("error", "reason why the point failed", x.error);
}

void fields(record::Visitor& io, Listing& x) {
  io("name", "name of the sweep", x.sweep);
  io("weft_version", "the version of weft that ran it", x.weft_version);
  io("points", "points", "points of the whole space, recorded or not", x.points);
  io.list("rows", "requested points, or their convolutions", "", "a row; null where a value is not known", x.rows);
}

Listing whole_listing(bool of_convolutions) {
  static const auto with_status = [](std::vector<record::Column> columns) {
    columns.insert(columns.begin(), {"status", "TEXT", "", "done or failed"});
    return columns;
  };
  static const std::vector<record::Column> of_points = with_status(point_columns());
  static const std::vector<record::Column> of_rows = with_status(convolution_columns());
  return {"", "", 0, {{0, of_convolutions ? &of_rows : &of_points, {}, {}, {}}}};
}

Results::Results(const std::filesystem::path& path, std::int64_t sweep)
    : connection_(path.string(), Connection::Access::Read) {
  check_schema(connection_);
  if (connection_.first("SELECT 1 FROM sqlite_master WHERE name = 'sweeps'").index() == 0 ||
      connection_.first("SELECT 1 FROM sweeps").index() == 0) {
    throw Error(fmt::format("'{}' holds no results yet", path.string()));
  }
  sweeps_ = std::get<std::int64_t>(connection_.first("SELECT count(*) FROM sweeps"));
  Statement statement = connection_.prepare(
      "SELECT sweep, name, title, weft_version, points, json_object('axes', json(axes), 'objectives', "
      "json(objectives), 'constraints', json(constraints)) FROM sweeps WHERE ? IN (0, sweep) ORDER BY sweep DESC");
  statement.bind({sweep});
  if (!statement.step()) {
    throw Error(fmt::format("'{}' holds no sweep {}; there are {}", path.string(), sweep, sweeps_));
  }
  sweep_ = statement.integer(0);
  name_ = statement.text(1);
  title_ = statement.text(2);
  weft_version_ = statement.text(3);
  points_ = statement.integer(4);
  auto wanted = record::from_json<Wanted>(path.string(), statement.text(5));
  axes_ = std::move(wanted.axes);
  constraints_ = std::move(wanted.constraints);
  for (const NamedObjective& each : wanted.objectives) {
    for (const auto& [direction, expression] : each) objectives_.push_back({expression, direction == "maximize"});
  }
}

std::vector<ResultRow> Results::read(const char* table, const std::vector<record::Column>& columns, const char* outcome,
                                     const std::string& rest) const {
  const std::vector<record::Column> missing = missing_columns(connection_, table, columns);
  std::string sql = fmt::format("SELECT t.point, {0}.status, {0}.error, p.parameters, p.config", outcome);
  for (const record::Column& each : columns) {  // NULL for columns of designs that are newer than the database
    sql += record::find_column(missing, each.name) < 0 ? ", t." + quoted_name(each.name) : ", NULL";
  }
  std::vector<ResultRow> rows;
  Statement statement = connection_.prepare(
      fmt::format("{} FROM {} t JOIN points p USING (sweep, point) WHERE sweep = ? {}", sql, table, rest));
  statement.bind({sweep_});
  while (statement.step()) {
    ResultRow row;
    row.point = statement.integer(0);
    row.done = statement.text(1) == "done";
    row.error = statement.text(2);
    row.config = statement.text(4);
    const auto parameters = record::from_json<Parameters>(connection_.path(), statement.text(3));
    for (const std::string& axis : axes_) {
      const auto found = std::find_if(parameters.values.begin(), parameters.values.end(),
                                      [&](const auto& each) { return each.first == axis; });
      row.parameters.push_back(found == parameters.values.end() ? Value() : found->second);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) row.fields.push_back(statement.column(static_cast<int>(5 + i)));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ResultRow> Results::read_points() const {
  return read("points", point_columns(), "t", "ORDER BY point");
}

std::vector<ResultRow> Results::read_convolutions() const {
  return read("convolutions", convolution_columns(), "p", "ORDER BY point, convolution");
}

std::map<std::string, std::vector<ResultRow>> Results::read_reranked() const {
  std::map<std::string, std::vector<ResultRow>> all;
  Statement rungs = connection_.prepare("SELECT DISTINCT rung FROM reranked WHERE sweep = ?");
  rungs.bind({sweep_});
  while (rungs.step()) {
    const std::string rung = rungs.text(0);
    all[rung] = read("reranked", point_columns(), "t", "AND rung = " + quoted_text(rung) + " ORDER BY point");
  }
  return all;
}

std::string Results::config(std::int64_t point) const {
  Statement statement = connection_.prepare(
      "SELECT config, error, digest FROM points JOIN sweeps USING (sweep) WHERE sweep = ? AND point = ?");
  statement.bind({sweep_, point});
  if (!statement.step()) throw Error(fmt::format("point {} is not recorded; the sweep has {}", point, points_));
  if (statement.text(0).empty()) {
    throw Error(fmt::format("the values of point {} make no run: {}", point, statement.text(1)));
  }
  return fmt::format("# weft {}, sweep {} with digest {}, point {}\n{}", weft_version_, name_, statement.text(2), point,
                     statement.text(0));
}

std::string Results::title_of(const std::string& axis) const {
  const std::string name = short_name(axis);
  const auto same = [&](const std::string& each) { return short_name(each) == name; };
  return std::count_if(axes_.begin(), axes_.end(), same) > 1 ? axis : name;
}

std::vector<std::pair<std::string, std::string>> Results::about() const {
  std::vector<std::pair<std::string, std::string>> facts;
  const std::vector<ResultRow> rows = read_points();
  const auto made = std::find_if(rows.begin(), rows.end(), [](const ResultRow& row) { return row.done; });
  if (made == rows.end()) return facts;
  const config::Node run =
      config::parse_yaml(config(made->point), std::make_shared<config::Source>(config::Source{"config", {}, false}));
  const auto text = [&](const std::string& path) {
    const config::Node* const node = config::find_path(run, path);
    return node && node->kind == config::Node::Kind::Scalar ? node->text : std::string();
  };
  const auto is_axis = [&](const std::string& key) {
    return std::any_of(axes_.begin(), axes_.end(),
                       [&](const std::string& axis) { return axis == key || axis.rfind(key + ".", 0) == 0; });
  };
  const auto add = [&](const char* name, const std::string& key, const std::string& value) {
    if (is_axis(key)) {
      facts.emplace_back(name, "swept");
    } else if (!value.empty()) {
      facts.emplace_back(name, value);
    }
  };
  add("run", "name", text("name"));
  std::string network = text("network");
  if (const config::Node* const layers = config::find_path(run, "network.layers")) {
    network = fmt::format("{} layers of the run", layers->children.size());
  }
  if (const std::string layer = text("convolution.name"); !layer.empty()) network = "convolution " + layer;
  if (const std::string only = text("only"); !only.empty()) network += ", only " + only;
  add("network", "network", network);
  add("board", "board", text("board.name"));
  add("batch", "batch", text("batch"));
  add("rung", "rung", text("rung"));
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    constexpr std::size_t kShown = 6;
    std::vector<std::string> values;
    for (const ResultRow& row : rows) {
      std::string value = to_text(row.parameters[i]);
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
    }
    const std::size_t count = values.size();
    if (count > kShown) values = {values[0], values[1], values[2], "...", values.back()};
    const std::string unit = config::unit_of_key(axes_[i]);
    facts.emplace_back(i == 0 ? "swept" : "",
                       fmt::format("{}: {}{}{}", axes_[i], config::join(values), unit.empty() ? "" : " " + unit,
                                   count > kShown ? fmt::format(" ({} values)", count) : ""));
  }
  return facts;
}

Value RowNames::value(const ResultRow& row, const std::string& name) const {
  const int field = record::find_named_column(fields_, name);
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
  for (const record::Column& each : fields_) known.push_back(each.name);
  throw Error(fmt::format("there is no field, axis or key '{}'{}", name, config::suggestion(name, known)));
}

}  // namespace weft::sweep
