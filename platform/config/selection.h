#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/conv/convolution.h"
#include "platform/config/node.h"

namespace weft::config {

// True if `text` matches a pattern in which * stands for any characters and ? for one.
bool matches_glob(const std::string& pattern, const std::string& text);

// A selection of convolutions: "conv1", "inception3b.*:GW", "*:F", or several of these separated by commas.
class Selection {
 public:
  Selection() = default;  // selects everything
  // Throws InputError at `place` for a pattern that cannot match.
  Selection(const std::string& pattern, const Place& place, const std::string& key);

  // Selects exactly these, which must not be empty; names are literal. For selections of a program, not of a file.
  static Selection exactly(const std::vector<std::pair<std::string, conv::Kind>>& convolutions);

  bool everything() const { return items_.empty() && exactly_.empty(); }
  bool matches(const std::string& layer, conv::Kind kind) const;
  const std::string& pattern() const { return pattern_; }
  const Place& place() const { return place_; }

  // Returns the error of a selection that matches none of `existing` ("layer:kind"); it lists those.
  InputError nothing_matches(const std::vector<std::string>& existing) const;

 private:
  struct Item {
    std::string layer;
    std::optional<conv::Kind> kind;
  };
  std::string pattern_;
  Place place_;
  std::string key_;
  std::vector<Item> items_;
  std::set<std::pair<std::string, conv::Kind>> exactly_;
};

std::optional<conv::Kind> parse_kind(const std::string& text);

// One convolution of a run: index of its layer, and its kind.
struct Chosen {
  std::size_t layer = 0;
  conv::Kind kind = conv::Kind::F;
};

}  // namespace weft::config
