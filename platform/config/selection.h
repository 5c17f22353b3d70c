#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/conv/convolution.h"
#include "platform/config/node.h"

namespace weft::config {

// Whether `text` matches a pattern in which * stands for any characters and ? for one.
bool matches_glob(const std::string& pattern, const std::string& text);

// A choice of convolutions: "conv1", "inception3b.*:GW", "*:F", or several of these separated by commas.
class Selection {
 public:
  Selection() = default;  // everything
  // Throws InputError at `place` for a pattern that cannot match.
  Selection(const std::string& pattern, const Place& place, const std::string& key);

  // These and no others; names are taken as they stand. Nothing of a file: for what a program chooses. Not empty.
  static Selection exactly(const std::vector<std::pair<std::string, conv::Kind>>& convolutions);

  bool everything() const { return items_.empty() && exactly_.empty(); }
  bool matches(const std::string& layer, conv::Kind kind) const;
  const std::string& pattern() const { return pattern_; }
  const Place& place() const { return place_; }

  // The error of a selection that matches none of `existing` ("layer:kind"): it names what there is.
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

// One convolution of a run: which layer, which of its three.
struct Chosen {
  std::size_t layer = 0;
  conv::Kind kind = conv::Kind::F;
};

}  // namespace weft::config
