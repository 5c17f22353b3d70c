#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/core/fnv1a.h"
#include "platform/config/run_config.h"
#include "platform/record/record.h"
#include "platform/studies/cluster/cluster.h"
#include "platform/studies/sweep/definition/expression.h"
#include "platform/studies/sweep/definition/space.h"
#include "workloads/network.h"

namespace weft::sweep {

// A digest of texts and numbers in their order, each kept apart from the next.
class Digest {
 public:
  void add(const std::string& text) {
    state_.add_bytes(text);
    add(text.size());
  }
  void add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) state_.add(static_cast<unsigned char>(number >> (8 * i)));
  }
  std::string text() const { return fmt::format("{:016x}", state_.value()); }

 private:
  Fnv1a64 state_;
};

// The network of a run, its batch set. Throws Error.
using NetworkLoader = std::function<workloads::Network(const config::RunConfig&)>;

// What is looked for among the results: the smallest, or the largest, value of an expression of fields.
struct Objective {
  std::string expression;
  bool maximize = false;

  const char* direction() const { return maximize ? "maximize" : "minimize"; }
};
// As JSON: {"minimize": "seconds"}.
using NamedObjective = record::Named<std::string>;
inline NamedObjective named(const Objective& objective) {
  return {{objective.direction(), objective.expression}};
}

// The best points, run again on another rung.
struct Rerank {
  std::int64_t count = 0;
  config::Rung rung = config::Rung::Exact;
};

// Whether a key of a run is of the host, the link or the schedule of an iteration.
bool of_iteration(const std::string& key);

// A sweep file, read and checked: the run that it starts from, the points that pass its filters, and what is wanted of
// them. docs/sweep.md describes the file.
class Definition {
 public:
  // `overrides` are laid over the run, like the file's own `set`. Throws InputError.
  Definition(const std::string& name_or_path, const std::vector<config::Override>& overrides,
             const config::Library& library);

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  const std::string& output() const { return output_; }    // database of the results, or ""
  std::optional<int> workers() const { return workers_; }  // nothing: as many as there are processors
  const std::vector<Axis>& axes() const { return space_->axes(); }
  // Whether an axis is a key of the host, the link or the schedule of an iteration.
  bool varies_iteration() const;
  const std::string& run_name() const { return run_name_; }
  bool of_clusters() const { return kind_ == config::FileKind::Cluster; }  // points are plans, not runs
  std::vector<std::string> filters() const;
  const std::vector<Objective>& objectives() const { return objectives_; }
  const std::vector<std::string>& constraints() const { return constraints_; }
  const std::optional<Rerank>& rerank() const { return rerank_; }  // nothing: none
  // As many as this in place of what the file says.
  void rerank_best(std::int64_t count);
  // Throws Error if nothing says which points are best, or if they are on the rung of rerank() or on several.
  void check_rerank() const;

  // What workers are given is a number: a point, or that of its run on the rung of rerank().
  std::int64_t reranked(std::int64_t point) const { return points() + point; }
  bool is_reranked(std::int64_t task) const { return task >= points(); }
  std::int64_t point_of(std::int64_t task) const { return is_reranked(task) ? task - points() : task; }

  std::int64_t points() const { return static_cast<std::int64_t>(candidates_.size()); }
  std::int64_t candidates() const { return space_->size(); }
  std::vector<Value> parameters(std::int64_t point) const;  // of each axis; empty where it has none
  // The cluster of a point of a sweep over clusters. Throws Error if its values make none.
  std::unique_ptr<cluster::Cluster> cluster(std::int64_t point) const;
  const config::Library& library() const { return library_; }  // that the files were found in
  // The run of a point, or of one re-ranked. Throws Error if its values make no run.
  config::RunConfig run(std::int64_t task) const;

  // One point of each value of each axis: enough to find a value that no run can have.
  std::vector<std::int64_t> samples() const;

  // A digest of what decides the results apart from the code: the run, the points in their order, the files behind
  // them and the layers of their networks. Where a network cannot be loaded, its points fail, whatever it is.
  std::string digest(const NetworkLoader& load) const;

 private:
  struct Setting {  // a value laid over the run, or an expression that gives it
    std::string key;
    config::Node overlay;
    std::optional<Expression> expression;
    config::Place place;
  };
  struct Where {
    Expression expression;
    config::Place place;
    std::string key;
  };

  void read(const config::Node& node, const std::vector<config::Override>& overrides);
  void read_set(const config::Node& node);
  void read_where(const config::Node& node);
  void read_objectives(const config::Node& node);
  void read_constraints(const config::Node& node);
  void read_rerank(const config::Node& node);
  void refuse_conflicts(const std::vector<config::Override>& overrides) const;
  void compose_axes();
  void check_rules(const config::Node& node) const;
  void name_axes();
  void filter(const config::Node& node);
  [[noreturn]] void nothing_left(const config::Node& node) const;

  const Axis* axis_of(const std::string& name) const;  // by key or short name; throws for an ambiguous one
  bool varies(const std::string& path) const;
  Value value_of(const std::string& name, const Choice& choice, bool with_expressions,
                 std::optional<config::Node>& resolved) const;
  config::Node compose(const Choice& choice, bool with_expressions) const;
  Choice choice_of(std::int64_t point) const;
  std::string title_of(std::int64_t point) const;
  config::Node resolved(const config::Node& node) const;  // of runs; a cluster's keys are those of its file
  void add_networks(Digest& digest, const NetworkLoader& load) const;

  config::Library library_;
  std::string name_, title_, output_, run_name_;
  std::optional<int> workers_;
  config::FileKind kind_ = config::FileKind::Run;  // of what every point starts from
  config::Node base_;
  std::optional<config::Node> base_resolved_;  // of the base alone, if that is a run
  std::optional<Space> space_;
  std::vector<std::vector<config::Node>> overlays_;  // of each axis, of each value
  std::vector<std::size_t> order_;                   // of axes: outer keys first
  std::map<std::string, std::vector<std::size_t>> names_;
  std::vector<Setting> settings_;  // those that axes would undo, and expressions
  std::vector<Where> where_;
  std::vector<Objective> objectives_;
  std::vector<std::string> constraints_;
  std::optional<Rerank> rerank_;
  std::optional<config::Place> rerank_place_;  // nothing: an option
  std::vector<std::int64_t> candidates_;       // that pass the filters
};

// Names that stand for parts of a run: "kernel.array.x" -> "x".
std::string short_name(const std::string& key);

}  // namespace weft::sweep
