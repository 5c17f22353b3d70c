#include "platform/studies/sweep/definition/definition.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/config/difference.h"
#include "platform/config/reader.h"
#include "platform/studies/sweep/definition/figures.h"

namespace weft::sweep {

using config::error_at;
using config::Node;

namespace {

constexpr std::int64_t kMostReranked = 1'000'000;

bool under(const std::string& path, const std::string& key) {
  return path.size() > key.size() && path.compare(0, key.size(), key) == 0 && path[key.size()] == '.';
}

std::ptrdiff_t depth(const std::string& key) {
  return std::count(key.begin(), key.end(), '.');
}

// Refuses keys that do not affect results.
void refuse_administration(const std::string& key, const config::Place& place, const std::string& where) {
  for (const char* each : {"output", "workers", "name", "title"}) {
    if (key == each) {
      throw error_at(place, where, fmt::format("'{}' does not affect results and cannot be a sweep axis", key));
    }
  }
}

Expression expression_at(const std::string& text, const config::Place& place, const std::string& key) {
  try {
    return Expression(text);
  } catch (const Error& error) {
    throw error_at(place, key, error.what());
  }
}

// Returns a text, or the texts of a list.
std::vector<const Node*> texts_of(const Node& node, const std::string& key) {
  std::vector<const Node*> texts;
  if (node.kind != Node::Kind::List) return {&node};
  for (const Node& item : config::expect_list(node, key).children) texts.push_back(&item);
  return texts;
}

void rerank_fields(config::MapIo& io, Rerank& rerank) {
  static const config::Names<config::Rung> rungs{{"exact", config::Rung::Exact}, {"systemc", config::Rung::SystemC}};
  io.integer("count", rerank.count, 0, kMostReranked, config::Need::Required);
  io.choice("rung", rerank.rung, rungs);
}

Value value_of_node(const Node& node) {
  return node.kind == Node::Kind::Scalar ? parse_value(node.text, node.quoted) : Value(config::flow_text(node));
}

std::string number_text(double value) {
  if (std::abs(value) < 1e15 && value == std::floor(value)) return fmt::format("{}", std::llround(value));
  return fmt::format("{:.9g}", value);
}

}  // namespace

std::string short_name(const std::string& key) {
  if (key[0] == '$') return key.substr(1);
  const auto dot = key.rfind('.');
  return dot == std::string::npos ? key : key.substr(dot + 1);
}

Definition::Definition(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                       const config::Library& library)
    : library_(library) {
  const Node node = config::load_file(config::FileKind::Sweep,
                                      config::locate(config::FileKind::Sweep, name_or_path, library), library);
  read(node, overrides);
  name_axes();
  refuse_conflicts(overrides);
  compose_axes();
  filter(node);
  check_rules(node);
}

Node Definition::describe() {
  Definition none;
  config::MapSchema io;
  none.fields(io, nullptr);
  return io.take();
}

void Definition::fields(config::MapIo& io, const Node** set) {
  using namespace config::schema;
  io.text("name", name_);
  io.text("title", title_);
  io.text("output", output_);
  using Shape = config::MapIo::Shape;
  const auto optional = [&](const char* key, void (Definition::*read)(const Node&), const Shape& shape) {
    io.custom(
        key, config::Need::Optional, [this, read](const Node& each, const std::string&) { (this->*read)(each); },
        nullptr, shape);
  };
  for (const config::FileKind kind : {config::FileKind::Run, config::FileKind::Cluster}) {
    const auto read = [&](const Node& from, const std::string& key) {
      if (!run_name_.empty()) throw error_at(from.place, key, "a sweep is over a run or over a cluster, not both");
      base_ = config::load_file(kind, config::find_file(kind, config::read_text(from, key), from.place, key, library_),
                                library_);
      run_name_ = from.text;
      kind_ = kind;
    };
    io.custom(config::kind_word(kind), config::Need::Optional, read, nullptr, text);
  }
  io.custom(
      "set", config::Need::Optional, [&](const Node& each, const std::string&) { *set = &each; }, nullptr,
      [] { return map_of(config::map_node()); });
  io.custom(
      "space", config::Need::Required, [&](const Node& each, const std::string& key) { space_.emplace(each, key); },
      nullptr, Space::describe);
  const Shape texts = [] { return any_of({text(), list_of(text())}); };
  optional("where", &Definition::read_where, texts);
  optional("objectives", &Definition::read_objectives, [] { return list_of(map_of(text())); });
  optional("constraints", &Definition::read_constraints, texts);
  optional("rerank", &Definition::read_rerank, [] { return config::describe_map(Rerank{}, rerank_fields); });
  int workers = 0;
  io.integer("workers", workers, 1, 1024);
  if (workers > 0) workers_ = workers;
  io.mention("extends");
}

void Definition::read(const Node& node, const std::vector<config::Override>& overrides) {
  const Node* set = nullptr;
  config::MapReader reader(node, "");
  fields(reader, &set);
  reader.finish();
  if (run_name_.empty()) throw reader.error("run", "is missing; give the run that each point changes, or 'cluster'");
  if (set) read_set(*set);
  base_ = config::apply(std::move(base_), kind_, overrides, library_);
  base_.erase("output");
  base_.erase("workers");
}

// Values are applied to the base run at once, or to each value of an axis that sets a map with the key.
void Definition::read_set(const Node& node) {
  for (const Node& entry : config::expect_map(node, "set").children) {
    const std::string key = "set." + entry.key;
    refuse_administration(entry.key, entry.place, key);
    const auto same = [&](const Axis& axis) { return axis.key == entry.key; };
    if (std::any_of(axes().begin(), axes().end(), same)) throw error_at(entry.place, key, "is varied in space as well");
    Setting setting;
    setting.key = entry.key;
    setting.place = entry.place;
    if (entry.kind == Node::Kind::Scalar && !entry.text.empty() && entry.text[0] == '=') {
      setting.expression = expression_at(entry.text.substr(1), entry.place, key);
      settings_.push_back(std::move(setting));
      continue;
    }
    setting.overlay = config::overlay_of(kind_, entry.key, entry, library_);
    const auto& axes = space_->axes();
    if (std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return under(entry.key, axis.key); })) {
      settings_.push_back(std::move(setting));
    } else {
      base_ = config::merge(std::move(base_), setting.overlay, "");
    }
  }
}

void Definition::read_where(const Node& node) {
  for (const Node* each : texts_of(node, "where")) {
    const std::string text = config::read_text(*each, "where");
    where_.push_back({expression_at(text, each->place, "where"), each->place, "where"});
  }
}

void Definition::read_objectives(const Node& node) {
  for (const Node& item : config::expect_list(node, "objectives").children) {
    const bool one = item.kind == Node::Kind::Map && item.children.size() == 1;
    if (!one || (item.children[0].key != "minimize" && item.children[0].key != "maximize")) {
      throw error_at(item.place, "objectives", "must be a list of {minimize: FIELD} and {maximize: FIELD}");
    }
    const std::string key = "objectives." + item.children[0].key;
    const std::string text = config::read_text(item.children[0], key);
    expression_at(text, item.place, key);
    objectives_.push_back({text, item.children[0].key == "maximize"});
  }
}

void Definition::read_constraints(const Node& node) {
  for (const Node* each : texts_of(node, "constraints")) {
    const std::string text = config::read_text(*each, "constraints");
    expression_at(text, each->place, "constraints");
    constraints_.push_back(text);
  }
}

void Definition::read_rerank(const Node& node) {
  Rerank rerank;
  config::read_map(node, "rerank", rerank, rerank_fields);
  if (rerank.count > 0) rerank_ = rerank;
  rerank_place_ = node.place;
}

void Definition::rerank_best(std::int64_t count) {
  Rerank rerank = rerank_.value_or(Rerank{});
  rerank.count = count;
  rerank_ = count > 0 ? std::optional(rerank) : std::nullopt;
  rerank_place_.reset();
}

void Definition::check_rerank() const {
  if (!rerank_) return;
  const auto fail = [&](const std::string& why) -> Error {
    if (rerank_place_) return error_at(*rerank_place_, "rerank", why);
    return Error("--rerank: " + why);
  };
  if (of_clusters()) throw fail("must be removed, because a sweep over clusters makes plans, and a plan has no rung");
  if (objectives_.empty()) throw fail("needs an objective to find the best points: the sweep has none; add one");
  const auto is_rung = [](const Axis& axis) { return axis.key == "rung"; };
  if (std::any_of(axes().begin(), axes().end(), is_rung)) {
    throw fail("the points are on several rungs, because space varies 'rung': remove it there");
  }
  const Node* rung = base_.find("rung");
  if (rung && rung->text == config::to_string(rerank_->rung)) {
    throw fail(fmt::format(
        "the points are on the {} rung already; --set rung=analytical computes them by the equations", rung->text));
  }
}

std::vector<std::string> Definition::filters() const {
  std::vector<std::string> texts;
  for (const Where& where : where_) texts.push_back(where.expression.text());
  return texts;
}

void Definition::name_axes() {
  for (std::size_t i = 0; i < axes().size(); ++i) {
    names_[axes()[i].key].push_back(i);
    const std::string name = short_name(axes()[i].key);
    if (name != axes()[i].key) names_[name].push_back(i);
  }
}

void Definition::refuse_conflicts(const std::vector<config::Override>& overrides) const {
  for (const Axis& axis : axes()) {
    refuse_administration(axis.key, axis.place, "space." + axis.key);
    for (const config::Override& each : overrides) {
      if (each.key == axis.key || under(each.key, axis.key) || under(axis.key, each.key)) {
        throw Error(fmt::format("{}: '{}' is varied by the sweep itself; change its space, or copy the sweep file",
                                each.option, axis.key));
      }
    }
  }
}

void Definition::compose_axes() {
  for (std::size_t i = 0; i < axes().size(); ++i) {
    const Axis& axis = axes()[i];
    overlays_.emplace_back();
    if (axis.own) continue;
    order_.push_back(i);
    for (const Node& value : axis.values) {
      Node whole = value;
      // An axis value replaces the whole board; it is not merged into the old one.
      whole.key.clear();
      try {
        overlays_.back().push_back(config::overlay_of(kind_, axis.key, std::move(whole), library_));
      } catch (const InputError&) {
        throw;
      } catch (const Error& error) {
        throw error_at(value.place, "space." + axis.key, error.what());
      }
    }
  }
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return depth(axes()[a].key) < depth(axes()[b].key); });
  try {
    base_resolved_ = resolved(base_);
  } catch (const Error&) {
    base_resolved_.reset();  // completed by the axes; otherwise every point fails with a reason
  }
}

Node Definition::compose(const Choice& choice, bool with_expressions) const {
  Node node = base_;
  for (const std::size_t axis : order_) {
    if (choice[axis] == kUnset) continue;
    node = config::merge(std::move(node), overlays_[axis][static_cast<std::size_t>(choice[axis])], "");
  }
  std::optional<Node> resolved;
  for (const Setting& setting : settings_) {
    if (!setting.expression) {
      node = config::merge(std::move(node), setting.overlay, "");
      continue;
    }
    if (!with_expressions) continue;
    Node value;
    try {
      value = config::scalar_node(number_text(setting.expression->number(
          [&](const std::string& name) { return value_of(name, choice, false, resolved); })));
    } catch (const InputError&) {
      throw;
    } catch (const Error& error) {
      throw error_at(setting.place, "set." + setting.key, error.what());
    }
    value.place = setting.place;
    node = config::merge(std::move(node), config::overlay_of(kind_, setting.key, std::move(value), {}), "");
  }
  return node;
}

Node Definition::resolved(const Node& node) const {
  return of_clusters() ? node : config::write_run(design::read_run(node));
}

const Axis* Definition::axis_of(const std::string& name) const {
  const auto found = names_.find(name);
  if (found == names_.end()) return nullptr;
  if (found->second.size() > 1) {
    std::vector<std::string> keys;
    for (const std::size_t axis : found->second) keys.push_back(axes()[axis].key);
    throw Error(fmt::format("'{}' can mean {}; write it in full", name, config::join(keys, " or ")));
  }
  return &axes()[found->second.front()];
}

// True if the given part of the run differs between points.
bool Definition::varies(const std::string& path) const {
  const auto touches = [&](const std::string& key) { return key == path || under(path, key) || under(key, path); };
  // The run's `memory` overrides that of its board.
  const auto touches_memory = [&](const std::string& key) {
    return touches(key) || (key.rfind("memory", 0) == 0 && touches("board." + key));
  };
  return std::any_of(axes().begin(), axes().end(), [&](const Axis& a) { return touches_memory(a.key); }) ||
         std::any_of(settings_.begin(), settings_.end(), [&](const Setting& s) { return touches_memory(s.key); });
}

Value Definition::value_of(const std::string& name, const Choice& choice, bool with_expressions,
                           std::optional<Node>& resolved) const {
  if (const Axis* axis = axis_of(name)) {
    const int chosen = choice[static_cast<std::size_t>(axis - axes().data())];
    if (chosen != kUnset) return value_of_node(axis->values[static_cast<std::size_t>(chosen)]);
  }
  const Axis* left_out = axis_of(name);
  const std::string path = left_out ? left_out->key : name;
  const Node* found = nullptr;
  if (base_resolved_ && !varies(path)) {
    found = config::find_path(*base_resolved_, path);
  } else {
    if (!resolved) resolved = this->resolved(compose(choice, with_expressions));
    found = config::find_path(*resolved, path);
  }
  if (found) return value_of_node(*found);
  if (record::find_named_column(point_columns(), name) >= 0) {
    throw Error(
        fmt::format("'{}' is a result, which is known after a point has run: filter by it in 'constraints'", name));
  }
  std::vector<std::string> known;
  for (const auto& each : names_) known.push_back(each.first);
  throw Error(fmt::format("the name '{}' is neither varied by the sweep nor a key of the run{}", name,
                          config::suggestion(name, known)));
}

void Definition::filter(const Node& node) {
  Choice choice;
  for (std::int64_t candidate = 0; candidate < space_->size(); ++candidate) {
    space_->choose(candidate, choice);
    std::optional<Node> resolved;
    const auto passes = [&](const Where& where) {
      try {
        return where.expression.holds([&](const std::string& name) { return value_of(name, choice, true, resolved); });
      } catch (const InputError&) {
        throw;
      } catch (const Error& error) {
        throw error_at(where.place, where.key, error.what());
      }
    };
    if (std::all_of(where_.begin(), where_.end(), passes)) candidates_.push_back(candidate);
  }
  if (candidates_.empty()) nothing_left(node);
}

void Definition::nothing_left(const Node& node) const {
  std::vector<std::string> counts;
  Choice choice;
  for (const Where& where : where_) {
    std::int64_t left = 0;
    for (std::int64_t candidate = 0; candidate < space_->size(); ++candidate) {
      space_->choose(candidate, choice);
      std::optional<Node> resolved;
      left += where.expression.holds([&](const std::string& name) { return value_of(name, choice, true, resolved); });
    }
    if (left == 0) {
      throw error_at(where.place, "where",
                     fmt::format("none of the {} points of the space satisfies '{}'; change 'where'", space_->size(),
                                 where.expression.text()));
    }
    counts.push_back(fmt::format("'{}' alone leaves {}", where.expression.text(), left));
  }
  throw error_at(node.find("where")->place, "where",
                 fmt::format("the filters contradict each other: of {} points, {}, and together none; change one",
                             space_->size(), config::join(counts)));
}

// Checks that objectives and constraints use only result fields and names that filters may use.
void Definition::check_rules(const Node& node) const {
  const Choice first = choice_of(0);
  const auto check = [&](const std::string& text, const char* key) {
    std::optional<Node> resolved;
    const Expression expression(text);
    for (const std::string& name : expression.names()) {
      if (record::find_named_column(point_columns(), name) >= 0) continue;
      try {
        value_of(name, first, true, resolved);
      } catch (const Error&) {
        std::vector<std::string> known;
        for (const record::Column& each : point_columns()) known.push_back(each.name);
        for (const auto& each : names_) known.push_back(each.first);
        throw error_at(node.find(key)->place, key,
                       fmt::format("'{}' in '{}' is no field of a result, no axis and no key of the run{}", name, text,
                                   config::suggestion(name, known)));
      }
    }
  };
  for (const Objective& objective : objectives_) check(objective.expression, "objectives");
  for (const std::string& constraint : constraints_) check(constraint, "constraints");
}

Choice Definition::choice_of(std::int64_t point) const {
  Choice choice;
  space_->choose(candidates_.at(static_cast<std::size_t>(point)), choice);
  return choice;
}

std::vector<Value> Definition::parameters(std::int64_t point) const {
  const Choice choice = choice_of(point);
  std::vector<Value> values;
  for (std::size_t axis = 0; axis < choice.size(); ++axis) {
    values.push_back(
        choice[axis] == kUnset ? Value() : value_of_node(axes()[axis].values[static_cast<std::size_t>(choice[axis])]));
  }
  return values;
}

// Title of a point: "point 7 of best-array: kernel.array.x 8, kernel.array.y 32".
std::string Definition::title_of(std::int64_t point) const {
  std::string title = fmt::format("point {} of {}", point, name_);
  const std::vector<Value> values = parameters(point);
  const char* separator = ": ";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::holds_alternative<std::monostate>(values[i])) continue;
    title += fmt::format("{}{} {}", separator, axes()[i].key, weft::to_text(values[i]));
    separator = ", ";
  }
  return title;
}

std::unique_ptr<cluster::Cluster> Definition::cluster(std::int64_t point) const {
  Node node = compose(choice_of(point), true);
  node.set("title", config::scalar_node(title_of(point), true));
  return cluster::read_cluster(node, library_);
}

config::RunConfig Definition::run(std::int64_t task) const {
  config::RunConfig run = design::read_run(compose(choice_of(point_of(task)), true));
  if (is_reranked(task)) run.rung = rerank_.value().rung;
  run.title = title_of(point_of(task));
  if (run.rung != config::Rung::Analytical) config::require_simulated_memory(run);
  return run;
}

std::vector<std::int64_t> Definition::samples() const {
  std::set<std::pair<std::size_t, int>> seen;
  std::vector<std::int64_t> points;
  for (std::int64_t point = 0; point < this->points(); ++point) {
    const Choice choice = choice_of(point);
    bool fresh = false;
    for (std::size_t axis = 0; axis < choice.size(); ++axis) fresh |= seen.insert({axis, choice[axis]}).second;
    if (fresh || point == 0) points.push_back(point);
  }
  return points;
}

bool of_iteration(const std::string& key) {
  const auto within = [&](const char* part) { return key == part || key.rfind(std::string(part) + ".", 0) == 0; };
  return within("host") || within("schedule") || within("board.pcie");
}

bool Definition::varies_iteration() const {
  return std::any_of(axes().begin(), axes().end(), [](const Axis& axis) { return of_iteration(axis.key); });
}

// Networks enter the digest by their layers: a file may change without its name.
void Definition::add_networks(Digest& digest, const NetworkLoader& load) const {
  std::set<std::string> seen;
  const auto of_network = [](const Axis& axis) { return axis.key == "network" || under(axis.key, "network"); };
  const bool varied = std::any_of(axes().begin(), axes().end(), of_network);
  for (const std::int64_t point : varied ? samples() : std::vector<std::int64_t>{0}) {
    try {
      const Node node = compose(choice_of(point), true);
      const Node* network = node.find("network");
      if (!network || network->kind != Node::Kind::Scalar || !seen.insert(network->text).second) continue;
      config::RunConfig run;
      if (of_clusters()) {
        run.workload = config::NamedNetwork{network->text, network->place};
      } else {
        run = design::read_run(node);
      }
      for (const conv::Layer& layer : load(run).layers) {
        digest.add(fmt::format("{} {} {} {} {} {} {} {}", layer.name, layer.channels, layer.filters, layer.groups,
                               layer.h.size, layer.w.size, layer.h.kernel, layer.w.kernel));
        for (const conv::LayerAxis& a : {layer.h, layer.w}) {
          digest.add(fmt::format("{} {} {} {}", a.stride, a.pad_begin, a.pad_end, a.dilation));
        }
      }
    } catch (const Error& error) {
      digest.add(std::string("none"));
    }
  }
}

std::string Definition::digest(const NetworkLoader& load) const {
  Digest digest;
  digest.add(config::to_yaml(base_));
  for (const Setting& each : settings_) {
    digest.add(each.key + (each.expression ? each.expression->text() : config::to_yaml(each.overlay)));
  }
  for (std::size_t axis = 0; axis < axes().size(); ++axis) {
    digest.add(axes()[axis].key);
    for (const Node& value : axes()[axis].values) digest.add(config::flow_text(value));
    for (const Node& overlay : overlays_[axis]) digest.add(config::to_yaml(overlay));
  }
  for (const std::int64_t candidate : candidates_) digest.add(static_cast<std::uint64_t>(candidate));
  digest.add(static_cast<std::uint64_t>(space_->size()));
  // A cluster names its board, whose file may change: the resolved keys are digested.
  for (const std::int64_t point : of_clusters() ? samples() : std::vector<std::int64_t>()) {
    try {
      digest.add(cluster(point)->resolved_yaml());
    } catch (const Error&) {
      digest.add(std::string("none"));
    }
  }
  add_networks(digest, load);
  return digest.text();
}

}  // namespace weft::sweep
