#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>

#include "model/core/value.h"

namespace weft::sweep {

class Statement;

// A connection to an SQLite file. Every failure is an Error that names the file and says what to do about it.
class Connection {
 public:
  enum class Access { Read, Write, Create };

  Connection(std::string path, Access access);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const std::string& path() const { return path_; }
  void execute(const std::string& sql) const;
  Statement prepare(const std::string& sql) const;
  Value first(const std::string& sql) const;  // the first cell of the first row; nothing if there is none
  void close();                               // checks that everything went to the file

 private:
  friend class Statement;
  [[noreturn]] void fail(int code) const;

  std::string path_;
  bool write_;
  sqlite3* handle_ = nullptr;
};

class Statement {
 public:
  Statement& bind(int index, const Value& value);  // from 1
  bool step();                                     // whether there is a row
  void run();                                      // to the end, and ready to be bound again
  Value column(int index) const;                   // from 0
  std::int64_t integer(int index) const;           // 0 for nothing
  std::string text(int index) const;               // "" for nothing
  int columns() const;

 private:
  friend class Connection;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Statement(const Connection& connection, sqlite3_stmt* statement) : connection_(&connection), statement_(statement) {}

  const Connection* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// A transaction that is rolled back unless it is committed.
class Transaction {
 public:
  explicit Transaction(const Connection& connection) : connection_(connection) {
    connection.execute("BEGIN IMMEDIATE");
  }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Connection& connection_;
  bool open_ = true;
};

// "name" and 'text' as SQL writes them.
std::string quoted_name(const std::string& name);
std::string quoted_text(const std::string& text);

}  // namespace weft::sweep
