#include "platform/studies/sweep/definition/space.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "platform/config/compose.h"
#include "platform/config/difference.h"
#include "platform/config/reader.h"

namespace weft::sweep {

using config::error_at;
using config::Node;

namespace {

constexpr std::int64_t kMaxCandidates = 5'000'000;
constexpr double kMaxValues = 100'000;
constexpr double kLargest = 1e15;   // largest range of exact whole numbers
constexpr double kSlack = 1e-9;     // fraction of a step: 0.1 * 3 must equal 0.3
constexpr double kLogSlack = 1e-4;  // for log scales: 1.414214 to the fourth must equal 4

enum class Scale : std::uint8_t { Linear, Log };

struct Range {
  double from = 0, to = 0, step = 0, factor = 0;
  int count = 0;
  Scale scale = Scale::Linear;
};

bool whole_text(const Node* node) {
  return node && node->text.find_first_of(".eE") == std::string::npos;
}

std::vector<double> values_of(const Range& r, const Node& node, const std::string& key) {
  const auto fail = [&](const std::string& why) { return error_at(node.place, key, why); };
  const auto given = [&](const char* name) { return node.find(name) != nullptr; };
  if (int{given("step")} + int{given("factor")} + int{given("count")} != 1) {
    throw fail("a range is {from, to} with one of step, factor and count");
  }
  if (given("scale") && !given("count")) throw fail("scale needs count; a factor already gives a log range");
  if (r.from > r.to) throw fail(fmt::format("the range is empty: from {} is above to {}", r.from, r.to));
  const bool log = given("factor") || r.scale == Scale::Log;
  if (log && r.from <= 0) throw fail(fmt::format("a log range starts above 0, not at {}", r.from));
  std::vector<double> values;
  if (given("count")) {
    if (r.count == 1 && r.from != r.to) throw fail("a count of 1 is only one value; write it as a list, [VALUE]");
    for (int i = 0; i < r.count; ++i) {
      const double share = r.count == 1 ? 0.0 : static_cast<double>(i) / (r.count - 1);
      values.push_back(log ? r.from * std::pow(r.to / r.from, share) : r.from + (r.to - r.from) * share);
    }
    values.back() = r.to;
    return values;
  }
  if (given("step") && r.step <= 0) throw fail("step must be above 0");
  if (given("factor") && r.factor <= 1) throw fail("factor must be above 1");
  const double steps = given("step") ? (r.to - r.from) / r.step : std::log(r.to / r.from) / std::log(r.factor);
  if (steps > kMaxValues) throw fail(fmt::format("the range has more than {} values", kMaxValues));
  for (int i = 0; i <= static_cast<int>(std::floor(steps + (log ? kLogSlack : kSlack))); ++i) {
    values.push_back(std::min(r.to, log ? r.from * std::pow(r.factor, i) : r.from + i * r.step));
  }
  return values;
}

Node number_node(double value, bool whole, const config::Place& place) {
  Node node = config::scalar_node(whole ? fmt::format("{}", std::llround(value)) : fmt::format("{:.9g}", value));
  node.place = place;
  return node;
}

void range_fields(config::MapIo& io, Range& range) {
  io.real("from", range.from, -kLargest, kLargest, config::Need::Required);
  io.real("to", range.to, -kLargest, kLargest, config::Need::Required);
  io.real("step", range.step, -kLargest, kLargest);
  io.real("factor", range.factor, -kLargest, kLargest);
  io.integer("count", range.count, 1, static_cast<std::int64_t>(kMaxValues));
  io.choice("scale", range.scale, {{"linear", Scale::Linear}, {"log", Scale::Log}});
}

std::vector<Node> read_range(const Node& node, const std::string& key) {
  Range range;
  config::read_map(node, key, range, range_fields);
  // Whole bounds give whole values: a batch of 2.83 is not meant. 1.0 gives real values.
  const Node* step = node.find("step");
  const bool whole =
      whole_text(node.find("from")) && whole_text(node.find("to")) && (step == nullptr || whole_text(step));
  std::vector<Node> values;
  for (const double value : values_of(range, node, key)) {
    Node each = number_node(value, whole, node.place);
    if (values.empty() || values.back().text != each.text) values.push_back(std::move(each));
  }
  return values;
}

}  // namespace

std::vector<Node> read_values(const Node& node, const std::string& key) {
  if (node.kind == Node::Kind::Map && node.find("from")) return read_range(node, key);
  if (node.kind != Node::Kind::List) {
    throw error_at(node.place, key,
                   fmt::format("must be a list of values or a range {{from: 1, to: 64, factor: 2}}, not {}",
                               config::describe(node)));
  }
  if (node.children.empty()) throw error_at(node.place, key, "the list is empty; a sweep needs a value to try");
  std::set<std::string> seen;
  for (const Node& value : node.children) {
    if (value.kind == Node::Kind::Null) throw error_at(value.place, key, "has an empty value in its list");
    if (!seen.insert(config::flow_text(value)).second) {
      throw error_at(value.place, key, fmt::format("'{}' is given twice", config::flow_text(value)));
    }
  }
  return node.children;
}

Node Space::describe() {
  using namespace config::schema;
  const Node any = config::map_node();
  constexpr double kNone = 2 * kLargest;  // no default
  const Node values = any_of({list_of(any), config::describe_map(Range{0, 0, kNone, kNone}, range_fields)});
  Node space = config::describe_map(Range{}, [&](config::MapIo& io, Range&) {
    io.mention("product", [&] { return list_of(map_of(values)); });
    io.mention("zip", [&] { return any_of({list_of(map_of(values)), map_of(values)}); });
    io.mention("points", [&] { return list_of(map_of(any)); });
  });
  space.set("additionalProperties", values);
  return space;
}

Space::Space(const Node& node, const std::string& key) {
  root_ = read_map(config::expect_map(node, key), key);
  if (axes_.empty()) throw error_at(node.place, key, "is empty; a sweep needs at least one key with values to try");
}

std::size_t Space::new_axis(const std::string& name, const config::Place& place, const std::string& key) {
  const bool own = name[0] == '$';
  if (!config::is_key(own ? name.substr(1) : name) || (own && name.find('.') != std::string::npos)) {
    throw error_at(place, key,
                   fmt::format("'{}' is neither a key of a run (words joined by dots) nor a parameter ($word)", name));
  }
  const auto same = [&](const Axis& axis) { return axis.key == name; };
  if (std::any_of(axes_.begin(), axes_.end(), same)) {
    throw error_at(place, key, fmt::format("'{}' is varied twice", name));
  }
  axes_.push_back({name, own, place, {}});
  return axes_.size() - 1;
}

Space::Part Space::read_map(const Node& node, const std::string& key) {
  std::vector<Part> parts;
  for (const Node& entry : config::expect_map(node, key).children) {
    const std::string path = key + "." + entry.key;
    if (entry.key == "product") {
      parts.push_back(read_list(entry, path, Part::Kind::Product));
    } else if (entry.key == "zip") {
      parts.push_back(read_list(entry, path, Part::Kind::Zip));
    } else if (entry.key == "points") {
      parts.push_back(read_points(entry, path));
    } else {
      parts.push_back(read_axis(entry, path));
    }
  }
  return product(std::move(parts), node, key);
}

Space::Part Space::read_list(const Node& node, const std::string& key, Part::Kind kind) {
  std::vector<Part> parts;
  if (node.kind == Node::Kind::Map) {  // zip: {a: [...], b: [...]}
    for (const Node& entry : node.children) {
      Node one = config::map_node();
      one.place = entry.place;
      one.set(entry.key, entry);
      parts.push_back(read_map(one, key));
    }
  } else {
    for (const Node& item : config::expect_list(node, key).children) parts.push_back(read_map(item, key));
  }
  if (parts.empty()) throw error_at(node.place, key, "is empty; it needs at least one key with values to try");
  return kind == Part::Kind::Zip ? zip(std::move(parts), node, key) : product(std::move(parts), node, key);
}

Space::Part Space::read_axis(const Node& node, const std::string& key) {
  Part part;
  part.kind = Part::Kind::Axis;
  part.axis = new_axis(node.key, node.place, key);
  axes_[part.axis].values = read_values(node, key);
  part.size = static_cast<std::int64_t>(axes_[part.axis].values.size());
  return part;
}

Space::Part Space::read_points(const Node& node, const std::string& key) {
  Part part;
  part.kind = Part::Kind::Points;
  const std::size_t first = axes_.size();
  for (const Node& point : config::expect_list(node, key).children) {
    Choice choice(axes_.size(), kUnset);
    for (const Node& entry : config::expect_map(point, key).children) {
      const auto found = std::find_if(axes_.begin() + static_cast<std::ptrdiff_t>(first), axes_.end(),
                                      [&](const Axis& axis) { return axis.key == entry.key; });
      const auto at = static_cast<std::size_t>(found - axes_.begin());
      const std::size_t axis = at < axes_.size() ? at : new_axis(entry.key, entry.place, key);
      std::vector<Node>& values = axes_[axis].values;
      const std::string text = config::flow_text(entry);
      const auto same =
          std::find_if(values.begin(), values.end(), [&](const Node& v) { return config::flow_text(v) == text; });
      choice.resize(axes_.size(), kUnset);
      choice[axis] = static_cast<int>(same - values.begin());
      if (same == values.end()) values.push_back(entry);
    }
    part.choices.push_back(std::move(choice));
  }
  if (part.choices.empty()) throw error_at(node.place, key, "is empty; it needs at least one point");
  for (Choice& choice : part.choices) {
    choice.resize(axes_.size(), kUnset);
    choice.erase(choice.begin(), choice.begin() + static_cast<std::ptrdiff_t>(first));
    // A parameter omitted by a point is undefined in expressions; an omitted key keeps the run's value.
    for (std::size_t i = first; i < axes_.size(); ++i) {
      if (axes_[i].own && choice[i - first] == kUnset) {
        throw error_at(node.place, key, fmt::format("a point gives no value for '{}'", axes_[i].key));
      }
    }
  }
  part.axis = first;
  part.size = static_cast<std::int64_t>(part.choices.size());
  return part;
}

Space::Part Space::product(std::vector<Part> parts, const Node& node, const std::string& key) const {
  Part part;
  for (const Part& each : parts) {
    part.size *= each.size;
    if (part.size > kMaxCandidates) {
      throw error_at(node.place, key, fmt::format("more than {} points before any filter", kMaxCandidates));
    }
  }
  part.parts = std::move(parts);
  return part;
}

Space::Part Space::zip(std::vector<Part> parts, const Node& node, const std::string& key) const {
  Part part;
  part.kind = Part::Kind::Zip;
  part.size = parts.front().size;
  for (const Part& each : parts) {
    if (each.size != part.size) {
      throw error_at(
          node.place, key,
          fmt::format("zipped axes must have the same number of values, but have {} and {}", part.size, each.size));
    }
  }
  part.parts = std::move(parts);
  return part;
}

void Space::choose(std::int64_t candidate, Choice& choice) const {
  choice.assign(axes_.size(), kUnset);
  choose(root_, candidate, choice);
}

void Space::choose(const Part& part, std::int64_t candidate, Choice& choice) const {
  switch (part.kind) {
    case Part::Kind::Axis:
      choice[part.axis] = static_cast<int>(candidate);
      return;
    case Part::Kind::Zip:
      for (const Part& each : part.parts) choose(each, candidate, choice);
      return;
    case Part::Kind::Points: {
      const Choice& chosen = part.choices[static_cast<std::size_t>(candidate)];
      std::copy(chosen.begin(), chosen.end(), choice.begin() + static_cast<std::ptrdiff_t>(part.axis));
      return;
    }
    case Part::Kind::Product:
      break;
  }
  for (auto each = part.parts.rbegin(); each != part.parts.rend(); ++each) {
    choose(*each, candidate % each->size, choice);
    candidate /= each->size;
  }
}

}  // namespace weft::sweep
