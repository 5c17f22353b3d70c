#include "platform/config/selection.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include "platform/config/reader.h"

namespace weft::config {

bool matches_glob(const std::string& pattern, const std::string& text) {
  // Escapes all special characters except * and ?.
  std::string plain;
  for (const char c : pattern) {
    if (c == '[' || c == '\\') plain += '\\';
    plain += c;
  }
  return ::fnmatch(plain.c_str(), text.c_str(), 0) == 0;
}

std::optional<conv::Kind> parse_kind(const std::string& text) {
  for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) {
    if (text == conv::to_string(kind)) return kind;
  }
  return std::nullopt;
}

Selection::Selection(const std::string& pattern, const Place& place, const std::string& key)
    : pattern_(pattern), place_(place), key_(key) {
  std::size_t begin = 0;
  while (begin <= pattern.size()) {
    const std::size_t end = std::min(pattern.find(',', begin), pattern.size());
    std::string layer = pattern.substr(begin, end - begin);
    Item item;
    const auto colon = layer.rfind(':');
    if (colon != std::string::npos) {
      const std::string kind = layer.substr(colon + 1);
      item.kind = parse_kind(kind);
      if (!item.kind) {
        throw error_at(
            place, key,
            fmt::format("'{}' in '{}' is no kind of convolution; it must be one of F, GI, GW", kind, pattern));
      }
      layer.resize(colon);
    }
    if (layer.empty()) {
      throw error_at(place, key,
                     fmt::format("'{}' names no layer; write for instance 'conv1', '*:GW' or "
                                 "'inception3b.*:GW'",
                                 pattern));
    }
    item.layer = std::move(layer);
    items_.push_back(std::move(item));
    begin = end + 1;
  }
}

Selection Selection::exactly(const std::vector<std::pair<std::string, conv::Kind>>& convolutions) {
  Selection selection;
  for (const auto& [layer, kind] : convolutions) {
    selection.pattern_ += fmt::format("{}{}:{}", selection.pattern_.empty() ? "" : ",", layer, conv::to_string(kind));
    selection.exactly_.emplace(layer, kind);
  }
  return selection;
}

bool Selection::matches(const std::string& layer, conv::Kind kind) const {
  if (everything() || exactly_.count({layer, kind}) != 0) return true;
  for (const Item& item : items_) {
    if ((!item.kind || *item.kind == kind) && matches_glob(item.layer, layer)) return true;
  }
  return false;
}

InputError Selection::nothing_matches(const std::vector<std::string>& existing) const {
  constexpr std::size_t kShown = 12, kNear = 3;
  std::vector<std::string> layers;
  for (const std::string& each : existing) {
    const std::string layer = each.substr(0, each.rfind(':'));
    if (layers.empty() || layers.back() != layer) layers.push_back(layer);
  }
  const auto quoted = [](const std::vector<std::string>& names) { return "'" + join(names, "', '") + "'"; };
  const std::vector<std::string> near = nearest_of(pattern_.substr(0, pattern_.rfind(':')), layers, kNear);
  if (!near.empty() && std::find(existing.begin(), existing.end(), pattern_) == existing.end()) {
    return error_at(place_, key_,
                    fmt::format("no convolution matches '{}'; did you mean {}? (weft run --rows all --rung analytical "
                                "prints all {})",
                                pattern_, quoted(near), existing.size()));
  }
  std::vector<std::string> shown = existing.size() <= kShown ? existing : layers;
  const std::size_t all = shown.size();
  shown.resize(std::min(kShown, all));
  if (all > kShown) shown.push_back(fmt::format("... {} layers in all", all));
  return error_at(place_, key_,
                  fmt::format("no convolution matches '{}'; there {}", pattern_,
                              existing.empty() ? std::string("are none in this run") : "are: " + join(shown)));
}

}  // namespace weft::config
