#include "platform/studies/sweep/store/sqlite.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "model/core/error.h"
#include "platform/os/failure.h"
#include "platform/os/process.h"

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
  errno = 0;
  const int flags = access == Access::Read    ? SQLite::OPEN_READONLY
                    : access == Access::Write ? SQLite::OPEN_READWRITE
                                              : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  try {
    database_.emplace(path_, flags, kBusyMs);
  } catch (const SQLite::Exception& error) {
    if (errno == EMFILE || errno == ENFILE) os::fail(fmt::format("cannot open '{}'", path_), errno);
    throw Error(fmt::format("cannot open '{}': {}", path_, error.what()));
  }
}

void Connection::fail(const SQLite::Exception& error) const {
  const int primary = error.getErrorCode() & 0xff;
  const char* const verb = write_ ? "write" : "read";
  if (primary == SQLITE_NOTADB) {
    throw Error(fmt::format("'{}' is no database of weft (it is not an SQLite file): give another file", path_));
  }
  if (primary == SQLITE_CANTOPEN) {
    const int reason = sqlite3_system_errno(database_->getHandle());
    if (reason != 0) os::fail(fmt::format("cannot {} '{}'", verb, path_), reason);
  }
  if (primary == SQLITE_NOMEM) throw MachineError(fmt::format("cannot {} '{}': not enough memory", verb, path_));
  if (primary == SQLITE_READONLY && !write_) {
    throw Error(
        fmt::format("cannot read '{}': the sweep that wrote it was killed, and the file must be recovered: start the "
                    "sweep again",
                    path_));
  }
  if (primary == SQLITE_FULL || primary == SQLITE_IOERR) {
    throw MachineError(
        fmt::format("cannot {} '{}': {}; is the disk full? Or is ulimit -f too small? What "
                    "was recorded is safe: make room and start the same command again to go on",
                    verb, path_, error.what()));
  }
  if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED) {
    throw Error(
        fmt::format("cannot {} '{}': another program holds it locked; close that and start again", verb, path_));
  }
  if (primary == SQLITE_CONSTRAINT) {
    throw Error(
        fmt::format("cannot {} '{}': another process has written the same rows; is another weft sweep writing this "
                    "file under another name? Wait for it and start the same command again: nothing is lost",
                    verb, path_));
  }
  if (primary == SQLITE_CORRUPT) {
    throw Error(fmt::format("'{}' is damaged: {}; keep a copy, and see what 'sqlite3 FILE .recover' still finds", path_,
                            error.what()));
  }
  throw Error(fmt::format("cannot {} '{}': {}", verb, path_, error.what()));
}

void Connection::execute(const std::string& sql) const {
  guarded([&] { database_->exec(sql); });
}

Statement Connection::prepare(const std::string& sql) const {
  return guarded([&] { return Statement(*this, SQLite::Statement(*database_, sql)); });
}

Value Connection::first(const std::string& sql) const {
  Statement statement = prepare(sql);
  return statement.step() ? statement.column(0) : Value();
}

Statement& Statement::bind(const std::vector<Value>& values) {
  connection_->guarded([&] {
    statement_.clearBindings();
    int index = 0;
    for (const Value& value : values) {
      ++index;
      if (const auto* integer = std::get_if<std::int64_t>(&value)) statement_.bind(index, *integer);
      if (const auto* real = std::get_if<double>(&value)) statement_.bind(index, *real);
      if (const auto* text = std::get_if<std::string>(&value)) statement_.bind(index, *text);
    }
  });
  return *this;
}

bool Statement::step() {
  return connection_->guarded([&] { return statement_.executeStep(); });
}

void Statement::run() {
  try {
    while (step()) {
    }
  } catch (const Error&) {
    statement_.tryReset();
    throw;
  }
  statement_.tryReset();
}

Value Statement::column(int index) const {
  return connection_->guarded([&]() -> Value {
    const SQLite::Column column = statement_.getColumn(index);
    if (column.isNull()) return {};
    if (column.isInteger()) return static_cast<std::int64_t>(column.getInt64());
    if (column.isFloat()) return column.getDouble();
    return column.getString();
  });
}

std::int64_t Statement::integer(int index) const {
  return connection_->guarded([&] { return static_cast<std::int64_t>(statement_.getColumn(index).getInt64()); });
}

std::string Statement::text(int index) const {
  return connection_->guarded([&] { return statement_.getColumn(index).getString(); });
}

int Statement::columns() const {
  return statement_.getColumnCount();
}

Transaction::Transaction(const Connection& connection) : connection_(connection) {
  connection_.guarded([&] { transaction_.emplace(*connection_.database_, SQLite::TransactionBehavior::IMMEDIATE); });
}

void Transaction::commit() {
  connection_.guarded([&] { transaction_->commit(); });
}

namespace {

constexpr const char* kHolder = "process ";  // start of the lock file
constexpr int kTries = 20;
constexpr std::chrono::milliseconds kPause{50};

std::string content(int file) {
  std::array<char, 512> text{};
  const ssize_t count = ::pread(file, text.data(), text.size() - 1, 0);
  return count > 0 ? std::string(text.data(), static_cast<std::size_t>(count)) : "another process";
}

// True if the open file still has its name: the last holder may have removed it between open and lock.
bool still_there(int file, const std::filesystem::path& path) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

// Lock next to the real file, the same for all links to it.
std::filesystem::path lock_of(const std::filesystem::path& path) {
  std::error_code code;
  if (!std::filesystem::is_symlink(path, code)) return path.string() + ".lock";
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, code);
  return (code ? path : real).string() + ".lock";
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path) : path_(lock_of(path)) {
  for (;;) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) throw Error(fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
    // Child processes of a killed holder end shortly after it.
    int tries = 0;
    while (::flock(file_, LOCK_EX | LOCK_NB) != 0 && ++tries < kTries) std::this_thread::sleep_for(kPause);
    if (tries == kTries) {
      const std::string who = content(file_);
      ::close(file_);
      throw Error(
          fmt::format("'{}' is being written by another weft sweep ({}); wait for it, or stop it and start "
                      "again: nothing is lost",
                      path.string(), who));
    }
    if (still_there(file_, path_)) break;
    ::close(file_);
  }
  if (const std::string before = content(file_); ::lseek(file_, 0, SEEK_END) > 0 && before.rfind(kHolder, 0) != 0) {
    ::close(file_);
    throw Error(fmt::format("'{}' is not a lock of weft, but a sweep needs this name to lock '{}': move it away",
                            path_.string(), path.string()));
  }
  const std::string text = fmt::format("{}{} on {}", kHolder, ::getpid(), os::host_name());
  const bool written = ::ftruncate(file_, 0) == 0 && ::pwrite(file_, text.data(), text.size(), 0) >= 0;
  static_cast<void>(written);  // the lock holds even without the note
}

FileLock::~FileLock() {
  ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace weft::sweep
