#include "platform/studies/sweep/store.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "model/core/error.h"
#include "platform/design/value_json.h"
#include "platform/studies/sweep/fields.h"

namespace weft::sweep {

namespace fs = std::filesystem;

namespace {

std::string columns(const std::vector<Field>& fields, bool with_types) {
  std::string text;
  for (const Field& field : fields) {
    text += ", " + quoted_name(field.name);
    if (with_types) text += std::string(" ") + field.type;
  }
  return text;
}

std::string placeholders(std::size_t count) {
  std::string text = "?";
  for (std::size_t i = 1; i < count; ++i) text += ",?";
  return text;
}

std::string parameters_json(const Definition& definition, std::int64_t point) {
  const std::vector<Value> values = definition.parameters(point);
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::holds_alternative<std::monostate>(values[i]))
      json[definition.axes()[i].key] = json_of<nlohmann::ordered_json>(values[i]);
  }
  return json.dump();
}

std::string axes_json(const Definition& definition) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Axis& axis : definition.axes()) json.push_back(axis.key);
  return json.dump();
}

std::string objectives_json(const Definition& definition) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Objective& each : definition.objectives()) {
    json.push_back({{each.maximize ? "maximize" : "minimize", each.expression}});
  }
  return json.dump();
}

// A view with a column for each axis: what a user's own SQL wants.
std::string view_sql(std::int64_t sweep, const Definition& definition) {
  std::string sql = fmt::format("CREATE VIEW results_{} AS SELECT point, status, error", sweep);
  for (const Axis& axis : definition.axes()) {
    const std::string path = fmt::format("$.\"{}\"", axis.key);
    sql += fmt::format(", json_extract(parameters, {}) AS {}", quoted_text(path), quoted_name(axis.key));
  }
  return sql + columns(point_fields(), false) + fmt::format(" FROM points WHERE sweep = {} ORDER BY point", sweep);
}

// Points that were run again on another rung.
std::string reranked_sql() {
  return "CREATE TABLE IF NOT EXISTS reranked (sweep INTEGER NOT NULL REFERENCES sweeps, rung TEXT NOT NULL,"
         " point INTEGER NOT NULL, status TEXT NOT NULL CHECK (status IN ('done', 'failed')), error TEXT" +
         columns(point_fields(), true) + ", PRIMARY KEY (sweep, rung, point))";
}

// The place, before anything is opened: a message of SQLite's would be about its own means.
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
    throw Error(fmt::format("cannot create '{}': '{}' is not a directory", path.string(), folder.string()));
  }
  if (fs::exists(path, code) && !fs::is_regular_file(path, code)) {
    throw Error(fmt::format("will not write to '{}': it is no ordinary file", path.string()));
  }
  if (fs::exists(path, code) && ::access(path.c_str(), W_OK) != 0) {
    throw Error(fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)));
  }
  if (fs::is_regular_file(path, code) && fs::file_size(path, code) > 0) {
    if (!is_sqlite(path)) {
      throw Error(
          fmt::format("'{}' is no database of weft (it is not an SQLite file); it is left as it is", path.string()));
    }
  }
  return path;
}

}  // namespace

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
  if (!fs::is_regular_file(path, code)) return false;  // a FIFO would wait for its writer
  std::ifstream file(path, std::ios::binary);
  return file.read(head.data(), kMagic) && std::memcmp(head.data(), "SQLite format 3", kMagic) == 0;
}

std::vector<Field> missing_fields(const Connection& connection, const char* table, const std::vector<Field>& fields) {
  std::set<std::string> present;
  Statement names = connection.prepare("SELECT name FROM pragma_table_info(?)");
  names.bind(1, std::string(table));
  while (names.step()) present.insert(names.text(0));
  std::vector<Field> missing;
  std::copy_if(fields.begin(), fields.end(), std::back_inserter(missing),
               [&](const Field& field) { return present.count(field.name) == 0; });
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
}

Store::Store(const fs::path& path) : path_(checked_place(path)), lock_(path_) {
  std::error_code code;
  const bool fresh = !fs::exists(path_, code);
  try {
    connection_.emplace(path_.string(), Connection::Access::Create);
    bool empty = false;
    check_schema(*connection_, &empty);
    // Committed is what the operating system has: the death of this process cannot undo it, and no commit waits for a
    // disk. Readers see the state of the last commit.
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

Store::~Store() {
  insert_point_.reset();
  insert_row_.reset();
  insert_attempt_.reset();
}

void Store::create_schema() {
  Transaction transaction(*connection_);
  connection_->execute(
      "CREATE TABLE sweeps (sweep INTEGER PRIMARY KEY, name TEXT NOT NULL, title TEXT NOT NULL, digest TEXT NOT NULL,"
      " code_version TEXT NOT NULL, points INTEGER NOT NULL, axes TEXT NOT NULL, objectives TEXT NOT NULL,"
      " constraints TEXT NOT NULL, created TEXT NOT NULL, UNIQUE (digest, code_version))");
  connection_->execute(
      "CREATE TABLE points (sweep INTEGER NOT NULL REFERENCES sweeps, point INTEGER NOT NULL,"
      " status TEXT NOT NULL CHECK (status IN ('done', 'failed')), error TEXT, parameters TEXT NOT NULL, config TEXT" +
      columns(point_fields(), true) + ", PRIMARY KEY (sweep, point))");
  connection_->execute(
      "CREATE TABLE convolutions (sweep INTEGER NOT NULL, point INTEGER NOT NULL, convolution INTEGER NOT NULL" +
      columns(convolution_fields(), true) + ", PRIMARY KEY (sweep, point, convolution)) WITHOUT ROWID");
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

// What a later schema, or a design that was added since, has beside are columns; older rows leave them empty.
void Store::upgrade_schema() {
  connection_->execute(reranked_sql());
  for (const auto& [table, fields] : {std::pair("points", &point_fields()), std::pair("reranked", &point_fields()),
                                      std::pair("convolutions", &convolution_fields())}) {
    for (const Field& field : missing_fields(*connection_, table, *fields)) {
      connection_->execute(fmt::format("ALTER TABLE {} ADD COLUMN {} {}", table, quoted_name(field.name), field.type));
    }
  }
  if (std::get<std::int64_t>(connection_->first("PRAGMA user_version")) == kSchema) return;
  connection_->execute(fmt::format("PRAGMA user_version = {}", kSchema));
}

void Store::begin(const Definition& definition, const Identity& identity, bool beside) {
  Transaction transaction(*connection_);
  upgrade_schema();
  Statement same = connection_->prepare("SELECT sweep FROM sweeps WHERE digest = ? AND code_version = ?");
  same.bind(1, identity.digest).bind(2, identity.code_version);
  if (same.step()) {
    sweep_ = same.integer(0);
    // What is looked for may change at any time: it decides nothing about the rows.
    connection_->prepare("UPDATE sweeps SET objectives = ?, constraints = ?, title = ? WHERE sweep = ?")
        .bind(1, objectives_json(definition))
        .bind(2, nlohmann::json(definition.constraints()).dump())
        .bind(3, definition.title())
        .bind(4, sweep_)
        .run();
  } else {
    Statement newest = connection_->prepare("SELECT sweep, name, digest, code_version FROM sweeps ORDER BY sweep DESC");
    if (newest.step() && !beside) {
      const bool code = newest.text(3) != identity.code_version;
      throw Error(fmt::format(
          "'{}' holds the results of {}; rows of the two must not be mixed. Give this one a file of its own with "
          "--out, "
          "or let it begin beside the old one in the same file with --new",
          path_.string(),
          code ? fmt::format("weft {}, and this is weft {}", newest.text(3), identity.code_version)
               : fmt::format("another sweep, or of '{}' before its configuration or a file it names changed",
                             newest.text(1))));
    }
    connection_
        ->prepare(
            "INSERT INTO sweeps (name, title, digest, code_version, points, axes, objectives, constraints, "
            "created) VALUES (" +
            placeholders(9) + ")")
        .bind(1, definition.name())
        .bind(2, definition.title())
        .bind(3, identity.digest)
        .bind(4, identity.code_version)
        .bind(5, definition.points())
        .bind(6, axes_json(definition))
        .bind(7, objectives_json(definition))
        .bind(8, nlohmann::json(definition.constraints()).dump())
        .bind(9, now_utc())
        .run();
    sweep_ = std::get<std::int64_t>(connection_->first("SELECT last_insert_rowid()"));
    connection_->execute(view_sql(sweep_, definition));
  }
  transaction.commit();
  load_recorded();
  prepare_inserts();
}

void Store::load_recorded() {
  recorded_.clear();
  failed_ = 0;
  Statement points = connection_->prepare("SELECT point, status FROM points WHERE sweep = ?");
  points.bind(1, sweep_);
  while (points.step()) {
    recorded_.insert(points.integer(0));
    failed_ += points.text(1) == "failed";
  }
  reranked_.clear();
  Statement reranked = connection_->prepare("SELECT rung, point FROM reranked WHERE sweep = ?");
  reranked.bind(1, sweep_);
  while (reranked.step()) reranked_.emplace(reranked.text(0), reranked.integer(1));
}

bool Store::has(const Definition& definition, std::int64_t task) const {
  if (!definition.is_reranked(task)) return recorded_.count(task) != 0;
  return reranked_.count({config::to_string(definition.rerank().value().rung), definition.point_of(task)}) != 0;
}

void Store::prepare_inserts() {
  insert_point_.emplace(connection_->prepare("INSERT INTO points (sweep, point, status, error, parameters, config" +
                                             columns(point_fields(), false) + ") VALUES (" +
                                             placeholders(6 + point_fields().size()) + ")"));
  insert_row_.emplace(connection_->prepare("INSERT INTO convolutions (sweep, point, convolution" +
                                           columns(convolution_fields(), false) + ") VALUES (" +
                                           placeholders(3 + convolution_fields().size()) + ")"));
  insert_attempt_.emplace(connection_->prepare("INSERT INTO attempts VALUES (?,?,?,?,?,?)"));
}

void Store::insert_attempt(const Definition& definition, const Attempt& attempt) {
  std::string outcome = attempt.outcome;
  if (definition.is_reranked(attempt.point)) {
    outcome += fmt::format(" on {}", config::to_string(definition.rerank().value().rung));
  }
  insert_attempt_->bind(1, sweep_)
      .bind(2, definition.point_of(attempt.point))
      .bind(3, now_utc())
      .bind(4, attempt.worker)
      .bind(5, attempt.seconds)
      .bind(6, outcome)
      .run();
}

void Store::record_reranked(const Definition& definition, const Outcome& outcome, const Attempt& attempt) {
  const std::string rung = config::to_string(definition.rerank().value().rung);
  const std::int64_t number = definition.point_of(outcome.point);
  const bool failed = !outcome.error.empty();
  Transaction transaction(*connection_);
  Statement point =
      connection_->prepare("INSERT INTO reranked (sweep, rung, point, status, error" + columns(point_fields(), false) +
                           ") VALUES (" + placeholders(5 + point_fields().size()) + ")");
  point.bind(1, sweep_).bind(2, rung).bind(3, number).bind(4, std::string(failed ? "failed" : "done"));
  point.bind(5, failed ? Value(outcome.error) : Value());
  for (std::size_t i = 0; i < point_fields().size(); ++i) {
    point.bind(static_cast<int>(6 + i), i < outcome.fields.size() ? outcome.fields[i] : Value());
  }
  point.run();
  insert_attempt(definition, attempt);
  transaction.commit();
  reranked_.emplace(rung, number);
}

void Store::record(const Definition& definition, const Outcome& outcome, const Attempt& attempt) {
  if (definition.is_reranked(outcome.point)) {
    record_reranked(definition, outcome, attempt);
    return;
  }
  Transaction transaction(*connection_);
  const bool failed = !outcome.error.empty();
  Statement& point = *insert_point_;
  point.bind(1, sweep_).bind(2, outcome.point).bind(3, std::string(failed ? "failed" : "done"));
  point.bind(4, failed ? Value(outcome.error) : Value());
  point.bind(5, parameters_json(definition, outcome.point));
  point.bind(6, outcome.config.empty() ? Value() : Value(outcome.config));
  for (std::size_t i = 0; i < point_fields().size(); ++i) {
    point.bind(static_cast<int>(7 + i), i < outcome.fields.size() ? outcome.fields[i] : Value());
  }
  point.run();
  for (std::size_t row = 0; row < outcome.rows.size(); ++row) {
    insert_row_->bind(1, sweep_).bind(2, outcome.point).bind(3, static_cast<std::int64_t>(row));
    for (std::size_t i = 0; i < outcome.rows[row].size(); ++i) {
      insert_row_->bind(static_cast<int>(4 + i), outcome.rows[row][i]);
    }
    insert_row_->run();
  }
  insert_attempt(definition, attempt);
  transaction.commit();
  recorded_.insert(outcome.point);
  failed_ += failed;
}

void Store::record_attempt(const Definition& definition, const Attempt& attempt) {
  Transaction transaction(*connection_);
  insert_attempt(definition, attempt);
  transaction.commit();
}

std::int64_t Store::without_iteration() const {
  Statement count = connection_->prepare(
      fmt::format("SELECT COUNT(*) FROM points WHERE sweep = ? AND {} IS NOT NULL", kIterationError));
  count.bind(1, sweep_);
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
    const Connection check(other.string(), Connection::Access::Write);  // a killed writer's journal is played back
    check_schema(check, &empty);
  }
  if (empty) return 0;
  connection_->execute("ATTACH " + quoted_text(other.string()) + " AS other");
  const auto before = static_cast<std::int64_t>(recorded_.size());
  try {
    Statement same = connection_->prepare("SELECT sweep FROM other.sweeps WHERE digest = ? AND code_version = ?");
    same.bind(1, identity.digest).bind(2, identity.code_version);
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
    copy("convolutions", "point, convolution" + columns(convolution_fields(), false));
    copy("attempts", "point, ended, worker, seconds, outcome");
    copy("points", "point, status, error, parameters, config" + columns(point_fields(), false));
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
  connection_->prepare("INSERT OR REPLACE INTO notes VALUES (?,?,?)").bind(1, sweep_).bind(2, key).bind(3, value).run();
  transaction.commit();
}

std::string Store::note(const std::string& key) const {
  Statement statement = connection_->prepare("SELECT value FROM notes WHERE sweep = ? AND key = ?");
  statement.bind(1, sweep_).bind(2, key);
  return statement.step() ? statement.text(0) : "";
}

void Store::close() {
  insert_point_.reset();
  insert_row_.reset();
  insert_attempt_.reset();
  try {
    connection_->execute("PRAGMA wal_checkpoint(TRUNCATE)");
    connection_->execute("PRAGMA busy_timeout = 0");
    connection_->execute("PRAGMA journal_mode = DELETE");
  } catch (const Error&) {
    // A reader is looking on, or the disk is full: the journal stays beside the file, and is as good.
  }
  connection_.reset();
}

}  // namespace weft::sweep
