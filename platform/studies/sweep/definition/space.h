#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/config/node.h"

namespace weft::sweep {

// Key that a sweep varies, or a parameter of the sweep ("$name") that only expressions use.
struct Axis {
  std::string key;
  bool own = false;
  config::Place place;
  std::vector<config::Node> values;
};

// Value of every axis at one candidate, as an index; kUnset where a list of points omits the axis.
using Choice = std::vector<int>;
inline constexpr int kUnset = -1;

// Candidates of a parameter space: products and zips of axes, and lists of points, in the order written, last axis
// fastest. Candidates are expanded on demand.
class Space {
 public:
  // `node`: a map in which every entry is an axis (KEY: list or range), `product: [...]`, `zip: [...]` or `points:
  // [...]`; the map is the product of its entries. Throws InputError.
  Space(const config::Node& node, const std::string& key);

  static config::Node describe();  // JSON Schema of the map

  const std::vector<Axis>& axes() const { return axes_; }
  std::int64_t size() const { return root_.size; }
  void choose(std::int64_t candidate, Choice& choice) const;

 private:
  struct Part {
    enum class Kind { Axis, Product, Zip, Points };
    Kind kind = Kind::Product;
    std::int64_t size = 1;
    std::size_t axis = 0;         // Axis
    std::vector<Part> parts;      // Product, Zip
    std::vector<Choice> choices;  // Points: one entry per axis that existed when the list was read
  };

  Part read_map(const config::Node& node, const std::string& key);
  Part read_list(const config::Node& node, const std::string& key, Part::Kind kind);
  Part read_points(const config::Node& node, const std::string& key);
  Part read_axis(const config::Node& node, const std::string& key);
  Part product(std::vector<Part> parts, const config::Node& node, const std::string& key) const;
  Part zip(std::vector<Part> parts, const config::Node& node, const std::string& key) const;
  std::size_t new_axis(const std::string& name, const config::Place& place, const std::string& key);
  void choose(const Part& part, std::int64_t candidate, Choice& choice) const;

  std::vector<Axis> axes_;
  Part root_;
};

// Values of an axis: a list, or a range {from, to} with `step`, `factor` or `count` (and `scale: log`).
std::vector<config::Node> read_values(const config::Node& node, const std::string& key);

}  // namespace weft::sweep
