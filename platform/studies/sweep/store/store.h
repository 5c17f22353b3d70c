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
inline constexpr std::int64_t kSchema = 8;                  // PRAGMA user_version; docs/how-to/sweep.md describes it

// Outcome of a point, as a worker sends it and as it is recorded.
struct Outcome {
  std::int64_t point = 0;                // or a task, as numbered by Definition
  std::string error;                     // empty if done
  std::string config;                    // resolved YAML; "" if the values are invalid
  std::vector<Value> fields;             // by point_columns()
  std::vector<std::vector<Value>> rows;  // by convolution, then by convolution_columns()
  double seconds = 0;                    // duration of the attempt
};
void fields(record::Visitor& io, Outcome& outcome);

// Description of a sweep in the database, apart from its rows.
struct Wanted {
  std::vector<std::string> axes;
  std::vector<NamedObjective> objectives;
  std::vector<std::string> constraints;
};
void fields(record::Visitor& io, Wanted& wanted);

// Values of a point's axes; axes that the point lacks are left out.
struct Parameters {
  record::Named<Value> values;
};
void fields(record::Visitor& io, Parameters& parameters);
inline constexpr const char* kAxisMeaning = "value of the axis of this name";

struct Attempt {
  std::int64_t point = 0;
  std::string worker;
  double seconds = 0;
  std::string outcome;  // "done", "failed" or the reason why the worker died
};

// Identity of a sweep; rows of sweeps with equal identities are comparable.
struct Identity {
  std::string digest;        // Definition::digest
  std::string code_version;  // record::weft_version()
};

// Database of a sweep's results, open for its only writer. What record() has written survives the death of this
// process; concurrent readers are allowed. On Error existing content is unchanged.
class Store {
 public:
  explicit Store(const std::filesystem::path& path);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Resumes the sweep of this identity, or begins it. If the file holds another sweep: Error with the differences, or
  // with `beside` a new sweep in the same file.
  void begin(const Definition& definition, const Identity& identity, bool beside);

  const std::set<std::int64_t>& recorded() const { return recorded_; }  // points, done or failed
  std::int64_t failed() const { return failed_; }
  // True if a point or task is done or failed.
  bool has(const Definition& definition, std::int64_t task) const;
  std::int64_t without_iteration() const;  // done points whose training iteration failed with an error
  std::int64_t sweep() const { return sweep_; }

  void record(const Definition& definition, const Outcome& outcome, const Attempt& attempt);
  void record_attempt(const Definition& definition, const Attempt& attempt);
  void forget_failed();  // they run again

  // Copies the points missing here from another database's sweep of the same identity. Returns their number.
  std::int64_t merge(const std::filesystem::path& other, const Identity& identity);

  // Persistent note, e.g. the batch job of this sweep.
  void set_note(const std::string& key, const std::string& value);
  std::string note(const std::string& key) const;

  void close();  // merges the journal into one file; reports errors

  const std::filesystem::path& path() const { return path_; }

 private:
  void create_schema();
  void add_columns();
  void load_recorded();
  void prepare_inserts();
  void renew_view();
  void insert_attempt(const Definition& definition, const Attempt& attempt);

  std::filesystem::path path_;
  FileLock lock_;
  std::optional<Connection> connection_;
  struct Inserts {
    Statement point, again, convolution, attempt;
  };
  std::optional<Inserts> inserts_;
  std::int64_t sweep_ = 0, failed_ = 0;
  std::vector<std::string> axes_;
  std::set<std::int64_t> recorded_;
  std::set<std::pair<std::string, std::int64_t>> reranked_;  // rung and point
};

// Columns of newer designs that the table of the open database lacks.
std::vector<record::Column> missing_columns(const Connection& connection, const char* table,
                                            const std::vector<record::Column>& columns);

// Throws Error unless the open database is a sweep's of a supported schema. `empty`: set if it has no content.
void check_schema(const Connection& connection, bool* empty = nullptr);

// True if the first bytes are those of an SQLite file.
bool is_sqlite(const std::filesystem::path& path);

std::string now_utc();  // ISO 8601

}  // namespace weft::sweep
