#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/node.h"
#include "platform/studies/sweep/definition/definition.h"
#include "platform/studies/sweep/definition/expression.h"
#include "platform/studies/sweep/definition/figures.h"
#include "platform/studies/sweep/store/sqlite.h"

namespace weft::sweep {

// Row of a results table: a point, or one of its convolutions.
struct ResultRow {
  std::int64_t point = 0;
  bool done = true;
  std::string error;
  std::vector<Value> parameters;  // by axis
  std::vector<Value> fields;      // by field of the table
  std::string config;
};

// Row printed by `weft show FILE.db`.
struct ListedRow {
  std::int64_t point = 0;
  const std::vector<record::Column>* columns = nullptr;  // of the cells; a column without a type may hold any value
  std::vector<Value> cells;
  record::Named<Value> axes;  // in addition to the cells
  std::optional<std::string> error;
};
void fields(record::Visitor& io, ListedRow& row);

struct Listing {
  std::string sweep, weft_version;
  std::int64_t points = 0;
  std::vector<ListedRow> rows;
};
void fields(record::Visitor& io, Listing& listing);
// Listing with all columns of points or convolutions.
Listing whole_listing(bool of_convolutions);

// Read access to the recorded results of one sweep. Throws Error for a file not written by weft.
class Results {
 public:
  // `sweep`: number in the file; 0: the newest.
  explicit Results(const std::filesystem::path& path, std::int64_t sweep = 0);

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  const std::string& weft_version() const { return weft_version_; }
  std::int64_t sweep() const { return sweep_; }
  std::int64_t sweeps() const { return sweeps_; }  // in the file
  std::int64_t points() const { return points_; }  // whole space, recorded or not
  const std::vector<std::string>& axes() const { return axes_; }
  std::string title_of(const std::string& axis) const;  // its last word if no other axis has it, else the axis
  const std::vector<Objective>& objectives() const { return objectives_; }
  const std::vector<std::string>& constraints() const { return constraints_; }

  std::vector<ResultRow> read_points() const;        // in the order of the space
  std::vector<ResultRow> read_convolutions() const;  // also in that order
  // Points run again on another rung: by rung, in the order of the space. `config`: configuration of the point.
  std::map<std::string, std::vector<ResultRow>> read_reranked() const;
  std::string config(std::int64_t point) const;  // resolved YAML, with the version of weft in a comment
  // Returns the subject of the sweep: base run, network, board, batch and rung, as far as no axis changes them, then
  // each axis with its values. Empty without a recorded point.
  std::vector<std::pair<std::string, std::string>> about() const;

 private:
  // `outcome`: table with status and error, points (p) or the table that is read (t). `rest`: end of the SQL.
  std::vector<ResultRow> read(const char* table, const std::vector<record::Column>& columns, const char* outcome,
                              const std::string& rest) const;

  Connection connection_;
  std::int64_t sweep_ = 0, sweeps_ = 0, points_ = 0;
  std::string name_, title_, weft_version_;
  std::vector<std::string> axes_, constraints_;
  std::vector<Objective> objectives_;
};

// Values of a row by name: fields, axes (full key or last word), point, status, and keys of the point's run.
class RowNames {
 public:
  RowNames(const std::vector<std::string>& axes, const std::vector<record::Column>& fields)
      : axes_(axes), fields_(fields) {}
  Value value(const ResultRow& row, const std::string& name) const;
  bool swept(const std::string& key) const { return std::find(axes_.begin(), axes_.end(), key) != axes_.end(); }

 private:
  const std::vector<std::string>& axes_;
  const std::vector<record::Column>& fields_;
  mutable std::int64_t parsed_point_ = -1;
  mutable std::optional<config::Node> parsed_;  // run of `parsed_point_`
};

}  // namespace weft::sweep
