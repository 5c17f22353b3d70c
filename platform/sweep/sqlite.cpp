#include "platform/sweep/sqlite.h"

#include <fmt/core.h>

#include "model/core/error.h"

namespace weft::sweep {

namespace {

constexpr int kBusyMs = 10'000;

std::string doubled(const std::string& text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out + quote;
}

}  // namespace

std::string quoted_name(const std::string& name) {
  return doubled(name, '"');
}
std::string quoted_text(const std::string& text) {
  return doubled(text, '\'');
}

Connection::Connection(std::string path, Access access) : path_(std::move(path)), write_(access != Access::Read) {
  const int flags = access == Access::Read    ? SQLITE_OPEN_READONLY
                    : access == Access::Write ? SQLITE_OPEN_READWRITE
                                              : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(path_.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    const std::string why = sqlite3_errmsg(handle_);
    sqlite3_close(handle_);
    throw Error(fmt::format("cannot open '{}': {}", path_, why));
  }
  sqlite3_busy_timeout(handle_, kBusyMs);
  sqlite3_extended_result_codes(handle_, 1);
}

Connection::~Connection() {
  sqlite3_close_v2(handle_);
}

void Connection::close() {
  const int code = sqlite3_close(handle_);
  if (code != SQLITE_OK) fail(code);
  handle_ = nullptr;
}

void Connection::fail(int code) const {
  const std::string why = sqlite3_errmsg(handle_);
  const int primary = code & 0xff;
  const char* const verb = write_ ? "write" : "read";
  if (primary == SQLITE_NOTADB) {
    throw Error(fmt::format("'{}' is no database of weft (it is not an SQLite file); it is left as it is", path_));
  }
  if (primary == SQLITE_FULL || primary == SQLITE_IOERR) {
    throw Error(
        fmt::format("cannot {} '{}': {}; is the disk full? What was recorded before is safe: make room and "
                    "start the same command again, it goes on from there",
                    verb, path_, why));
  }
  if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED) {
    throw Error(
        fmt::format("cannot {} '{}': another program holds it locked; close that and start again", verb, path_));
  }
  if (primary == SQLITE_CORRUPT) {
    throw Error(
        fmt::format("'{}' is damaged: {}; keep a copy, and see what 'sqlite3 FILE .recover' still finds", path_, why));
  }
  throw Error(fmt::format("cannot {} '{}': {}", verb, path_, why));
}

void Connection::execute(const std::string& sql) const {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

Statement Connection::prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle_, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) fail(code);
  return {*this, statement};
}

Value Connection::first(const std::string& sql) const {
  Statement statement = prepare(sql);
  return statement.step() ? statement.column(0) : Value();
}

Statement& Statement::bind(int index, const Value& value) {
  sqlite3_stmt* const s = statement_.get();
  int code = SQLITE_OK;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    code = sqlite3_bind_int64(s, index, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    code = sqlite3_bind_double(s, index, *real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    code = sqlite3_bind_text(s, index, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
  } else {
    code = sqlite3_bind_null(s, index);
  }
  if (code != SQLITE_OK) connection_->fail(code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) connection_->fail(code);
  return false;
}

void Statement::run() {
  try {
    while (step()) {
    }
  } catch (const Error&) {
    sqlite3_reset(statement_.get());
    throw;
  }
  sqlite3_reset(statement_.get());
}

Value Statement::column(int index) const {
  switch (sqlite3_column_type(statement_.get(), index)) {
    case SQLITE_INTEGER:
      return static_cast<std::int64_t>(sqlite3_column_int64(statement_.get(), index));
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement_.get(), index);
    case SQLITE_NULL:
      return {};
    default:
      return text(index);
  }
}

std::int64_t Statement::integer(int index) const {
  return sqlite3_column_int64(statement_.get(), index);
}

std::string Statement::text(int index) const {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), index));
  return text ? std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), index))) : "";
}

int Statement::columns() const {
  return sqlite3_column_count(statement_.get());
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    connection_.execute("ROLLBACK");
  } catch (const Error&) {
    // A full disk has rolled it back already.
  }
}

void Transaction::commit() {
  connection_.execute("COMMIT");
  open_ = false;
}

}  // namespace weft::sweep
