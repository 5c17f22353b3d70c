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

// Digest of a sequence of texts and numbers; boundaries between items count.
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

// Returns the network of a run, batch set. Throws Error.
using NetworkLoader = std::function<workloads::Network(const config::RunConfig&)>;

// Objective of a sweep: an expression of fields to minimise or maximise.
struct Objective {
  std::string expression;
  bool maximize = false;

  const char* direction() const { return maximize ? "maximize" : "minimize"; }
};
// JSON form of an objective: {"minimize": "seconds"}.
using NamedObjective = record::Named<std::string>;
inline NamedObjective named(const Objective& objective) {
  return {{objective.direction(), objective.expression}};
}

// Re-run of the best points on another rung.
struct Rerank {
  std::int64_t count = 0;
  config::Rung rung = config::Rung::Exact;
};

// True if a key of a run belongs to the host, the link or the schedule of an iteration.
bool of_iteration(const std::string& key);

// Checked sweep file: the base run, the points that pass the filters, and the objectives. docs/how-to/sweep.md
// describes the file.
class Definition {
 public:
  // `overrides` are applied to the run, like the file's own `set`. Throws InputError.
  Definition(const std::string& name_or_path, const std::vector<config::Override>& overrides,
             const config::Library& library);

  static config::Node describe();  // JSON Schema of the file

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  const std::string& output() const { return output_; }    // database of the results, or ""
  std::optional<int> workers() const { return workers_; }  // default: number of processors
  const std::vector<Axis>& axes() const { return space_->axes(); }
  // True if an axis is a key of the host, the link or the schedule of an iteration.
  bool varies_iteration() const;
  const std::string& run_name() const { return run_name_; }
  bool of_clusters() const { return kind_ == config::FileKind::Cluster; }  // points are cluster plans, not runs
  std::vector<std::string> filters() const;
  const std::vector<Objective>& objectives() const { return objectives_; }
  const std::vector<std::string>& constraints() const { return constraints_; }
  const std::optional<Rerank>& rerank() const { return rerank_; }  // nothing: no re-run
  // Replaces the file's number of points to re-run.
  void rerank_best(std::int64_t count);
  // Throws Error if there is no objective, or if points are already on the rung of rerank() or on several rungs.
  void check_rerank() const;

  // Tasks of workers are numbers: a point, or the re-run of a point on the rung of rerank().
  std::int64_t reranked(std::int64_t point) const { return points() + point; }
  bool is_reranked(std::int64_t task) const { return task >= points(); }
  std::int64_t point_of(std::int64_t task) const { return is_reranked(task) ? task - points() : task; }

  std::int64_t points() const { return static_cast<std::int64_t>(candidates_.size()); }
  std::int64_t candidates() const { return space_->size(); }
  std::vector<Value> parameters(std::int64_t point) const;  // by axis; empty if the point has none
  // The cluster of a point of a sweep over clusters. Throws Error if the values are invalid.
  std::unique_ptr<cluster::Cluster> cluster(std::int64_t point) const;
  const config::Library& library() const { return library_; }  // in which the files were found
  // The run of a task. Throws Error if the values are invalid.
  config::RunConfig run(std::int64_t task) const;

  // One point per value of each axis, enough to find every invalid value.
  std::vector<std::int64_t> samples() const;

  // Digest of everything except the code that decides the results: the run, the points in order, the referenced files
  // and the layers of the networks. Networks that cannot be loaded are left out; their points fail anyway.
  std::string digest(const NetworkLoader& load) const;

 private:
  struct Setting {  // value applied to the run, or an expression for it
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

  Definition() = default;
  // The keys of the file; the node of `set` is stored in `set`.
  void fields(config::MapIo& io, const config::Node** set);
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

  const Axis* axis_of(const std::string& name) const;  // by key or short name; throws if ambiguous
  bool varies(const std::string& path) const;
  Value value_of(const std::string& name, const Choice& choice, bool with_expressions,
                 std::optional<config::Node>& resolved) const;
  config::Node compose(const Choice& choice, bool with_expressions) const;
  Choice choice_of(std::int64_t point) const;
  std::string title_of(std::int64_t point) const;
  config::Node resolved(const config::Node& node) const;  // for runs; a cluster keeps the keys of its file
  void add_networks(Digest& digest, const NetworkLoader& load) const;

  config::Library library_;
  std::string name_, title_, output_, run_name_;
  std::optional<int> workers_;
  config::FileKind kind_ = config::FileKind::Run;  // kind of the base file
  config::Node base_;
  std::optional<config::Node> base_resolved_;  // the base alone, if it is a valid run
  std::optional<Space> space_;
  std::vector<std::vector<config::Node>> overlays_;  // by axis and value
  std::vector<std::size_t> order_;                   // axis indices, outer keys first
  std::map<std::string, std::vector<std::size_t>> names_;
  std::vector<Setting> settings_;  // values that axes would override, and expressions
  std::vector<Where> where_;
  std::vector<Objective> objectives_;
  std::vector<std::string> constraints_;
  std::optional<Rerank> rerank_;
  std::optional<config::Place> rerank_place_;  // nothing: set by an option
  std::vector<std::int64_t> candidates_;       // candidates that pass the filters
};

// Short name of a part of a run: "kernel.array.x" -> "x".
std::string short_name(const std::string& key);

}  // namespace weft::sweep
