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

// Exclusive write lock of PATH across machines; released when the process ends, however it ends. PATH.lock, next to the
// real file of PATH, names the holder and is removed with the lock.
class FileLock {
 public:
  // Throws Error that names the holder.
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

// Connection to an SQLite file. Errors name the file and a remedy.
class Connection {
 public:
  enum class Access { Read, Write, Create };

  Connection(std::string path, Access access);

  const std::string& path() const { return path_; }
  void execute(const std::string& sql) const;
  Statement prepare(const std::string& sql) const;
  Value first(const std::string& sql) const;  // first cell of the first row; nothing if there is none

 private:
  friend class Statement;
  friend class Transaction;
  // Runs `work`; converts SQLite exceptions.
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
  mutable std::optional<SQLite::Database> database_;  // mutable: SQLiteCpp's statements change it
};

class Statement {
 public:
  Statement& bind(const std::vector<Value>& values);  // binds the first parameters; the others are null
  bool step();                                        // false after the last row
  void run();                                         // executes fully, then resets
  Value column(int index) const;                      // counts from 0
  std::int64_t integer(int index) const;              // 0 if null
  std::string text(int index) const;                  // "" if null
  int columns() const;

 private:
  friend class Connection;
  Statement(const Connection& connection, SQLite::Statement statement)
      : connection_(&connection), statement_(std::move(statement)) {}

  const Connection* connection_;
  SQLite::Statement statement_;
};

// Transaction, rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(const Connection& connection);
  void commit();

 private:
  const Connection& connection_;
  std::optional<SQLite::Transaction> transaction_;
};

// Quoted SQL "name" and 'text'.
std::string quoted_name(const std::string& name);
std::string quoted_text(const std::string& text);

}  // namespace weft::sweep
