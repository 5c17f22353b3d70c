#include "platform/studies/sweep/store/store.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <system_error>

#include "model/core/error.h"
#include "platform/record/json.h"

namespace weft::sweep {

namespace fs = std::filesystem;

namespace {

std::string sql_of(const std::vector<record::Column>& columns, bool with_types) {
  std::string text;
  for (const record::Column& each : columns) {
    text += ", " + quoted_name(each.name) + (with_types ? " " + each.type : "");
  }
  return text;
}

// `first`: names of the first columns, separated by commas; `columns` follow.
std::string insert_sql(const char* table, const std::string& first, const std::vector<record::Column>& columns) {
  std::string places = "?";
  const auto more = static_cast<std::size_t>(std::count(first.begin(), first.end(), ',')) + columns.size();
  for (std::size_t i = 0; i < more; ++i) places += ",?";
  return fmt::format("INSERT INTO {} ({}{}) VALUES ({})", table, first, sql_of(columns, false), places);
}

std::string parameters_json(const Definition& definition, std::int64_t point) {
  const std::vector<Value> values = definition.parameters(point);
  Parameters parameters;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].index() > 0) parameters.values.emplace_back(definition.axes()[i].key, values[i]);
  }
  return record::json_line(parameters);
}

std::string wanted_json(const Definition& definition) {
  Wanted wanted{{}, {}, definition.constraints()};
  for (const Axis& axis : definition.axes()) wanted.axes.push_back(axis.key);
  for (const Objective& each : definition.objectives()) wanted.objectives.push_back(named(each));
  return record::json_line(wanted);
}

// View for the user's own SQL, with a column per axis by its key and, where no other column has it, its short name.
std::string view_sql(std::int64_t sweep, const std::vector<std::string>& axes,
                     const std::vector<record::Column>& columns) {
  std::vector<std::string> names{"point", "status", "error"};
  for (const record::Column& each : columns) names.push_back(each.name);
  for (const std::string& axis : axes) names.push_back(short_name(axis));
  std::string sql = fmt::format("CREATE VIEW results_{} AS SELECT point, status, error", sweep);
  for (const std::string& axis : axes) {
    const std::string value = fmt::format("json_extract(parameters, {})", quoted_text(fmt::format("$.\"{}\"", axis)));
    const std::string name = short_name(axis);
    const bool unique = name != axis && std::count(names.begin(), names.end(), name) == 1;
    sql += fmt::format(", {} AS {}", value, quoted_name(axis));
    if (unique) sql += fmt::format(", {} AS {}", value, quoted_name(name));
  }
  return sql + sql_of(columns, false) + fmt::format(" FROM points WHERE sweep = {} ORDER BY point", sweep);
}

// Table of points that were run again on another rung.
std::string reranked_sql() {
  return "CREATE TABLE reranked (sweep INTEGER NOT NULL REFERENCES sweeps, rung TEXT NOT NULL,"
         " point INTEGER NOT NULL, status TEXT NOT NULL CHECK (status IN ('done', 'failed')), error TEXT" +
         sql_of(point_columns(), true) + ", PRIMARY KEY (sweep, rung, point))";
}

// Checks the path before opening, since SQLite's messages would not help the user.
fs::path checked_place(const fs::path& path) {
  std::error_code code;
  if (!path.has_filename() || fs::is_directory(path, code)) {
    throw Error(fmt::format("'{}' is a directory; the results of a sweep are one file", path.string()));
  }
  if (fs::is_symlink(path, code) && !fs::exists(path, code)) {
    throw Error(
        fmt::format("'{}' is a symbolic link to '{}', which does not exist: remove the link or give another "
                    "file with --out",
                    path.string(), fs::read_symlink(path, code).string()));
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, code)) {
    throw Error(fmt::format("cannot create '{}': '{}' is not a directory; create it", path.string(), folder.string()));
  }
  if (fs::exists(path, code) && !fs::is_regular_file(path, code)) {
    throw Error(fmt::format("will not write to '{}': it is no ordinary file", path.string()));
  }
  if (fs::exists(path, code) && ::access(path.c_str(), W_OK) != 0) {
    throw Error(fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)));
  }
  if (fs::is_regular_file(path, code) && fs::file_size(path, code) > 0) {
    if (!is_sqlite(path)) {
      throw Error(fmt::format(
          "'{}' is no database of weft (not an SQLite file) and is left as it is: give another file", path.string()));
    }
  }
  return path;
}

}  // namespace

void fields(record::Visitor& io, Outcome& x) {
  io("point", "1", "number of the point, or of the task", x.point);
  io("error", "why it failed", x.error);
  io("config", "run or cluster of the point, as YAML", x.config);
  io("fields", "figures of the point", x.fields);
  io("rows", "figures of the convolutions", x.rows);
  io("seconds", "s", "time of the attempt", x.seconds);
}

void fields(record::Visitor& io, Wanted& x) {
  io("axes", "keys that are varied", x.axes);
  io("objectives", "expressions, by minimize or maximize", x.objectives);
  io("constraints", "expressions", x.constraints);
}

void fields(record::Visitor& io, Parameters& x) {
  io.others("", kAxisMeaning, x.values);
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

bool is_sqlite(const fs::path& path) {
  constexpr std::size_t kMagic = 16;
  std::array<char, kMagic> head{};
  std::error_code code;
  if (!fs::is_regular_file(path, code)) return false;  // opening a FIFO would block
  std::ifstream file(path, std::ios::binary);
  return file.read(head.data(), kMagic) && std::memcmp(head.data(), "SQLite format 3", kMagic) == 0;
}

std::vector<record::Column> missing_columns(const Connection& connection, const char* table,
                                            const std::vector<record::Column>& columns) {
  std::set<std::string> present;
  Statement names = connection.prepare("SELECT name FROM pragma_table_info(?)");
  names.bind({std::string(table)});
  while (names.step()) present.insert(names.text(0));
  std::vector<record::Column> missing;
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(missing),
               [&](const record::Column& each) { return present.count(each.name) == 0; });
  return missing;
}

void check_schema(const Connection& connection, bool* empty) {
  const auto number = [&](const char* sql) {
    const Value value = connection.first(sql);
    const auto* integer = std::get_if<std::int64_t>(&value);
    return integer ? *integer : 0;
  };
  const bool nothing = number("SELECT count(*) FROM sqlite_master") == 0;
  if (empty) *empty = nothing;
  const std::int64_t application = number("PRAGMA application_id");
  if (nothing && application == 0) return;
  if (application != kApplicationId) {
    throw Error(
        fmt::format("'{}' is a database of another program; it is left as it is. Give the sweep another file "
                    "with --out",
                    connection.path()));
  }
  const std::int64_t schema = number("PRAGMA user_version");
  if (schema > kSchema) {
    throw Error(
        fmt::format("'{}' was written by a newer weft (schema {}; this one knows up to {}): update weft, or give "
                    "the sweep another file with --out. Nothing in it was changed",
                    connection.path(), schema, kSchema));
  }
  if (schema < kSchema) {
    throw Error(fmt::format(
        "'{}' was written by an earlier weft, whose columns have other names (schema {}; this one reads {}): "
        "run the sweep again, into another file with --out. Nothing in it was changed",
        connection.path(), schema, kSchema));
  }
}

Store::Store(const fs::path& path) : path_(checked_place(path)), lock_(path_) {
  std::error_code code;
  const bool fresh = !fs::exists(path_, code);
  try {
    connection_.emplace(path_.string(), Connection::Access::Create);
    bool empty = false;
    check_schema(*connection_, &empty);
    // WAL: a commit survives the death of this process and does not wait for the disk. Readers see the last commit.
    connection_->execute("PRAGMA journal_mode = WAL");
    connection_->execute("PRAGMA synchronous = NORMAL");
    if (empty) create_schema();
  } catch (const Error&) {
    connection_.reset();
    if (fresh) {
      for (const char* companion : {"", "-wal", "-shm", "-journal"}) fs::remove(path_.string() + companion, code);
    }
    throw;
  }
}

void Store::create_schema() {
  Transaction transaction(*connection_);
  connection_->execute(
      "CREATE TABLE sweeps (sweep INTEGER PRIMARY KEY, name TEXT NOT NULL, title TEXT NOT NULL, digest TEXT NOT NULL,"
      " weft_version TEXT NOT NULL, points INTEGER NOT NULL, axes TEXT NOT NULL, objectives TEXT NOT NULL,"
      " constraints TEXT NOT NULL, created TEXT NOT NULL, UNIQUE (digest, weft_version))");
  connection_->execute(
      "CREATE TABLE points (sweep INTEGER NOT NULL REFERENCES sweeps, point INTEGER NOT NULL,"
      " status TEXT NOT NULL CHECK (status IN ('done', 'failed')), error TEXT, parameters TEXT NOT NULL, config TEXT" +
      sql_of(point_columns(), true) + ", PRIMARY KEY (sweep, point))");
  connection_->execute(
      "CREATE TABLE convolutions (sweep INTEGER NOT NULL, point INTEGER NOT NULL, convolution INTEGER NOT NULL" +
      sql_of(convolution_columns(), true) + ", PRIMARY KEY (sweep, point, convolution)) WITHOUT ROWID");
  connection_->execute(
      "CREATE TABLE attempts (sweep INTEGER NOT NULL, point INTEGER NOT NULL, ended TEXT NOT NULL,"
      " worker TEXT NOT NULL, seconds REAL NOT NULL, outcome TEXT NOT NULL)");
  connection_->execute(
      "CREATE TABLE notes (sweep INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,"
      " PRIMARY KEY (sweep, key))");
  connection_->execute(reranked_sql());
  connection_->execute(fmt::format("PRAGMA application_id = {}", kApplicationId));
  connection_->execute(fmt::format("PRAGMA user_version = {}", kSchema));
  transaction.commit();
}

// Adds the columns of designs newer than the file; older rows leave them empty.
void Store::add_columns() {
  for (const auto& [table, columns] : {std::pair("points", &point_columns()), std::pair("reranked", &point_columns()),
                                       std::pair("convolutions", &convolution_columns())}) {
    for (const record::Column& each : missing_columns(*connection_, table, *columns)) {
      connection_->execute(fmt::format("ALTER TABLE {} ADD COLUMN {} {}", table, quoted_name(each.name), each.type));
    }
  }
}

void Store::begin(const Definition& definition, const Identity& identity, bool beside) {
  Transaction transaction(*connection_);
  add_columns();
  axes_.clear();
  for (const Axis& axis : definition.axes()) axes_.push_back(axis.key);
  Statement same = connection_->prepare("SELECT sweep FROM sweeps WHERE digest = ? AND weft_version = ?");
  same.bind({identity.digest, identity.code_version});
  if (same.step()) {
    sweep_ = same.integer(0);
    // Objectives and constraints may change at any time: rows do not depend on them.
    connection_
        ->prepare(
            "UPDATE sweeps SET objectives = json_extract(?1, '$.objectives'), constraints = json_extract(?1, "
            "'$.constraints'), title = ?2 WHERE sweep = ?3")
        .bind({wanted_json(definition), definition.title(), sweep_})
        .run();
  } else {
    Statement newest = connection_->prepare("SELECT sweep, name, digest, weft_version FROM sweeps ORDER BY sweep DESC");
    if (newest.step() && !beside) {
      const bool code = newest.text(3) != identity.code_version;
      throw Error(fmt::format(
          "'{}' holds the results of {}, which must not be mixed with those of this sweep: give another file "
          "with --out, or keep both in this file with --new",
          path_.string(),
          code ? fmt::format("weft {}, and this is weft {}", newest.text(3), identity.code_version)
               : fmt::format("another sweep, or of '{}' before its configuration or a file it names changed",
                             newest.text(1))));
    }
    connection_
        ->prepare(
            "INSERT INTO sweeps (name, title, digest, weft_version, points, axes, objectives, constraints, "
            "created) VALUES (?1, ?2, ?3, ?4, ?5, json_extract(?6, '$.axes'), json_extract(?6, '$.objectives'), "
            "json_extract(?6, '$.constraints'), ?7)")
        .bind({definition.name(), definition.title(), identity.digest, identity.code_version, definition.points(),
               wanted_json(definition), now_utc()})
        .run();
    sweep_ = std::get<std::int64_t>(connection_->first("SELECT last_insert_rowid()"));
    connection_->execute(view_sql(sweep_, axes_, point_columns()));
  }
  transaction.commit();
  load_recorded();
  prepare_inserts();
}

void Store::load_recorded() {
  recorded_.clear();
  failed_ = 0;
  Statement points = connection_->prepare("SELECT point, status FROM points WHERE sweep = ?");
  points.bind({sweep_});
  while (points.step()) {
    recorded_.insert(points.integer(0));
    failed_ += points.text(1) == "failed";
  }
  reranked_.clear();
  Statement reranked = connection_->prepare("SELECT rung, point FROM reranked WHERE sweep = ?");
  reranked.bind({sweep_});
  while (reranked.step()) reranked_.emplace(reranked.text(0), reranked.integer(1));
}

bool Store::has(const Definition& definition, std::int64_t task) const {
  if (!definition.is_reranked(task)) return recorded_.count(task) != 0;
  return reranked_.count({config::to_string(definition.rerank().value().rung), definition.point_of(task)}) != 0;
}

void Store::prepare_inserts() {
  inserts_.emplace(Inserts{
      connection_->prepare(insert_sql("points", "sweep, point, status, error, parameters, config", point_columns())),
      connection_->prepare(insert_sql("reranked", "sweep, point, status, error, rung", point_columns())),
      connection_->prepare(insert_sql("convolutions", "sweep, point, convolution", convolution_columns())),
      connection_->prepare(insert_sql("attempts", "sweep, point, ended, worker, seconds, outcome", {}))});
}

void Store::insert_attempt(const Definition& definition, const Attempt& attempt) {
  std::string outcome = attempt.outcome;
  if (definition.is_reranked(attempt.point)) {
    outcome += fmt::format(" on {}", config::to_string(definition.rerank().value().rung));
  }
  inserts_->attempt
      .bind({sweep_, definition.point_of(attempt.point), now_utc(), attempt.worker, attempt.seconds, outcome})
      .run();
}

void Store::record(const Definition& definition, const Outcome& outcome, const Attempt& attempt) {
  const bool again = definition.is_reranked(outcome.point), failed = !outcome.error.empty();
  const std::string rung = again ? config::to_string(definition.rerank().value().rung) : "";
  const std::int64_t number = definition.point_of(outcome.point);
  std::vector<Value> row{sweep_, number, failed ? "failed" : "done", failed ? Value(outcome.error) : Value()};
  if (again) {
    row.emplace_back(rung);
  } else {
    row.emplace_back(parameters_json(definition, number));
    row.push_back(outcome.config.empty() ? Value() : Value(outcome.config));
  }
  row.insert(row.end(), outcome.fields.begin(), outcome.fields.end());
  Transaction transaction(*connection_);
  (again ? inserts_->again : inserts_->point).bind(row).run();
  for (std::size_t i = 0; i < outcome.rows.size() && !again; ++i) {
    row = {sweep_, number, static_cast<std::int64_t>(i)};
    row.insert(row.end(), outcome.rows[i].begin(), outcome.rows[i].end());
    inserts_->convolution.bind(row).run();
  }
  insert_attempt(definition, attempt);
  transaction.commit();
  if (again) {
    reranked_.emplace(rung, number);
  } else {
    recorded_.insert(number);
    failed_ += failed;
  }
}

void Store::record_attempt(const Definition& definition, const Attempt& attempt) {
  Transaction transaction(*connection_);
  insert_attempt(definition, attempt);
  transaction.commit();
}

std::int64_t Store::without_iteration() const {
  Statement count = connection_->prepare(
      fmt::format("SELECT COUNT(*) FROM points WHERE sweep = ? AND {} IS NOT NULL", kIterationError));
  count.bind({sweep_});
  count.step();
  return count.integer(0);
}

void Store::forget_failed() {
  Transaction transaction(*connection_);
  for (const char* table : {"points", "reranked"}) {
    connection_->execute(fmt::format("DELETE FROM {} WHERE sweep = {} AND status = 'failed'", table, sweep_));
  }
  transaction.commit();
  load_recorded();
}

std::int64_t Store::merge(const fs::path& other, const Identity& identity) {
  bool empty = false;
  {
    const Connection check(other.string(), Connection::Access::Write);  // replays a killed writer's journal
    check_schema(check, &empty);
  }
  if (empty) return 0;
  connection_->execute("ATTACH " + quoted_text(other.string()) + " AS other");
  const auto before = static_cast<std::int64_t>(recorded_.size());
  try {
    Statement same = connection_->prepare("SELECT sweep FROM other.sweeps WHERE digest = ? AND weft_version = ?");
    same.bind({identity.digest, identity.code_version});
    if (!same.step()) {
      throw Error(fmt::format("'{}' holds no points of this sweep by this version of weft", other.string()));
    }
    const std::int64_t from = same.integer(0);
    while (same.step()) {
    }
    Transaction transaction(*connection_);
    const auto copy = [&](const char* table, const std::string& list) {
      connection_->execute(fmt::format(
          "INSERT INTO main.{0} (sweep, {1}) SELECT {2}, {1} FROM other.{0} WHERE sweep = {3} AND point NOT IN "
          "(SELECT point FROM main.points WHERE sweep = {2})",
          table, list, sweep_, from));
    };
    copy("convolutions", "point, convolution" + sql_of(convolution_columns(), false));
    copy("attempts", "point, ended, worker, seconds, outcome");
    copy("points", "point, status, error, parameters, config" + sql_of(point_columns(), false));
    transaction.commit();
  } catch (const Error&) {
    connection_->execute("DETACH other");
    throw;
  }
  connection_->execute("DETACH other");
  load_recorded();
  return static_cast<std::int64_t>(recorded_.size()) - before;
}

void Store::set_note(const std::string& key, const std::string& value) {
  Transaction transaction(*connection_);
  connection_->prepare("INSERT OR REPLACE INTO notes VALUES (?,?,?)").bind({sweep_, key, value}).run();
  transaction.commit();
}

std::string Store::note(const std::string& key) const {
  Statement statement = connection_->prepare("SELECT value FROM notes WHERE sweep = ? AND key = ?");
  statement.bind({sweep_, key});
  return statement.step() ? statement.text(0) : "";
}

// Makes the view again, with the columns that have a value in some point.
void Store::renew_view() {
  std::string sql = "SELECT count(*)";
  for (const record::Column& each : point_columns()) sql += fmt::format(", count({})", quoted_name(each.name));
  Statement counts = connection_->prepare(sql + " FROM points WHERE sweep = ?");
  counts.bind({sweep_});
  if (!counts.step() || counts.integer(0) == 0) return;
  std::vector<record::Column> filled;
  for (std::size_t i = 0; i < point_columns().size(); ++i) {
    if (counts.integer(static_cast<int>(i) + 1) > 0) filled.push_back(point_columns()[i]);
  }
  while (counts.step()) {
  }
  Transaction transaction(*connection_);
  connection_->execute(fmt::format("DROP VIEW IF EXISTS results_{}", sweep_));
  connection_->execute(view_sql(sweep_, axes_, filled));
  transaction.commit();
}

void Store::close() {
  inserts_.reset();
  try {
    renew_view();
    connection_->execute("PRAGMA wal_checkpoint(TRUNCATE)");
    connection_->execute("PRAGMA busy_timeout = 0");
    connection_->execute("PRAGMA journal_mode = DELETE");
  } catch (const Error&) {
    // Fails if a reader is active or the disk is full: the journal then stays next to the file and remains valid.
  }
  connection_.reset();
}

}  // namespace weft::sweep
