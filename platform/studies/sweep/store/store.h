#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/studies/sweep/definition/definition.h"
#include "platform/studies/sweep/definition/figures.h"
#include "platform/studies/sweep/store/sqlite.h"

namespace weft::sweep {

inline constexpr std::int64_t kApplicationId = 0x57454654;  // "WEFT"
inline constexpr std::int64_t kSchema = 7;                  // PRAGMA user_version; docs/sweep.md describes it

// What came of a point, as a worker sends it and as it is recorded.
struct Outcome {
  std::int64_t point = 0;                // or a task, as Definition numbers them
  std::string error;                     // "": it is done
  std::string config;                    // resolved, as YAML; "" if its values make no run
  std::vector<Value> fields;             // of point_columns()
  std::vector<std::vector<Value>> rows;  // of convolution_columns(), of each convolution
  double seconds = 0;                    // that the attempt took
};
void fields(record::Visitor& io, Outcome& outcome);

// What the database says of a sweep beside its rows.
struct Wanted {
  std::vector<std::string> axes;
  std::vector<NamedObjective> objectives;
  std::vector<std::string> constraints;
};
void fields(record::Visitor& io, Wanted& wanted);

// Values of the axes of a point; an axis that the point does not have is left out.
struct Parameters {
  record::Named<Value> values;
};
void fields(record::Visitor& io, Parameters& parameters);
inline constexpr const char* kAxisMeaning = "value of the axis of this name";

struct Attempt {
  std::int64_t point = 0;
  std::string worker;
  double seconds = 0;
  std::string outcome;  // "done", "failed" or what ended the worker
};

// "0.1.0+3f2a9c1b7d5e": the version, and a digest of the sources that decide results.
std::string code_version();

// What makes the rows of two sweeps comparable.
struct Identity {
  std::string digest;  // Definition::digest
  std::string code_version;
};

// The database of a sweep's results, open for its only writer. What record() has returned from survives the death of
// this process; readers may look on. Throws Error, and then has changed nothing that was there.
class Store {
 public:
  explicit Store(const std::filesystem::path& path);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Goes on with the sweep of this identity, or begins it. If the file holds another one: an Error that says what
  // differs, unless `beside`, which begins a new sweep in the same file.
  void begin(const Definition& definition, const Identity& identity, bool beside);

  const std::set<std::int64_t>& recorded() const { return recorded_; }  // points, done or failed
  std::int64_t failed() const { return failed_; }
  // Whether a point, or a task of the definition, is done or failed.
  bool has(const Definition& definition, std::int64_t task) const;
  std::int64_t without_iteration() const;  // points that are done, but have no training iteration for some error
  std::int64_t sweep() const { return sweep_; }

  void record(const Definition& definition, const Outcome& outcome, const Attempt& attempt);
  void record_attempt(const Definition& definition, const Attempt& attempt);
  void forget_failed();  // so that they run again

  // Takes over the points of another database's sweep of the same identity that this one does not have. Returns their
  // number.
  std::int64_t merge(const std::filesystem::path& other, const Identity& identity);

  // A note that outlives this process: the batch job that works for this sweep.
  void set_note(const std::string& key, const std::string& value);
  std::string note(const std::string& key) const;

  void close();  // leaves one file without companions; what fails here is said, not lost

  const std::filesystem::path& path() const { return path_; }

 private:
  void create_schema();
  void add_columns();
  void load_recorded();
  void prepare_inserts();
  void insert_attempt(const Definition& definition, const Attempt& attempt);

  std::filesystem::path path_;
  FileLock lock_;
  std::optional<Connection> connection_;
  struct Inserts {
    Statement point, again, convolution, attempt;
  };
  std::optional<Inserts> inserts_;
  std::int64_t sweep_ = 0, failed_ = 0;
  std::set<std::int64_t> recorded_;
  std::set<std::pair<std::string, std::int64_t>> reranked_;  // rung and point
};

// Columns that this table of the open database does not have: a design has them that was added since.
std::vector<record::Column> missing_columns(const Connection& connection, const char* table,
                                            const std::vector<record::Column>& columns);

// Throws Error unless the open database is a sweep's, of a schema this version knows. `empty`: it holds nothing at all.
void check_schema(const Connection& connection, bool* empty = nullptr);

// Whether a file is an SQLite file, by its first bytes.
bool is_sqlite(const std::filesystem::path& path);

std::string now_utc();  // ISO 8601

}  // namespace weft::sweep
