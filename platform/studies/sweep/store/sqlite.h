#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/core/text.h"

namespace weft::sweep {

// The right to write PATH, held by one process on whatever machine; it ends with the process, however that ends.
// PATH.lock, beside the file that PATH leads to, says who holds it, and goes with the lock.
class FileLock {
 public:
  // Throws Error that says who holds it.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

class Statement;
class Transaction;

// A connection to an SQLite file. Every failure is an Error that names the file and says what to do about it.
class Connection {
 public:
  enum class Access { Read, Write, Create };

  Connection(std::string path, Access access);

  const std::string& path() const { return path_; }
  void execute(const std::string& sql) const;
  Statement prepare(const std::string& sql) const;
  Value first(const std::string& sql) const;  // the first cell of the first row; nothing if there is none

 private:
  friend class Statement;
  friend class Transaction;
  // Does what may fail.
  template <class Work>
  auto guarded(Work work) const {
    try {
      return work();
    } catch (const SQLite::Exception& error) {
      fail(error);
    }
  }
  [[noreturn]] void fail(const SQLite::Exception& error) const;

  std::string path_;
  bool write_;
  mutable std::optional<SQLite::Database> database_;  // SQLiteCpp's statements change it
};

class Statement {
 public:
  Statement& bind(const std::vector<Value>& values);  // to the first parameters; nothing to the others
  bool step();                                        // whether there is a row
  void run();                                         // to the end, and ready to be bound again
  Value column(int index) const;                      // from 0
  std::int64_t integer(int index) const;              // 0 for nothing
  std::string text(int index) const;                  // "" for nothing
  int columns() const;

 private:
  friend class Connection;
  Statement(const Connection& connection, SQLite::Statement statement)
      : connection_(&connection), statement_(std::move(statement)) {}

  const Connection* connection_;
  SQLite::Statement statement_;
};

// A transaction that is rolled back unless it is committed.
class Transaction {
 public:
  explicit Transaction(const Connection& connection);
  void commit();

 private:
  const Connection& connection_;
  std::optional<SQLite::Transaction> transaction_;
};

// "name" and 'text' as SQL writes them.
std::string quoted_name(const std::string& name);
std::string quoted_text(const std::string& text);

}  // namespace weft::sweep
