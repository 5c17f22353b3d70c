#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/reader.h"

namespace weft::config {

// `assumed` of a board or host: the dotted keys whose figures are assumptions.
template <class Io>
void assumed_fields(Io& io, std::vector<std::string>& assumed) {
  io.custom(
      "assumed", Need::Optional,
      [&](const Node& node, const std::string& path) {
        assumed.clear();
        for (const Node& item : expect_list(node, path).children) assumed.push_back(read_text(item, path));
      },
      [&]() -> std::optional<Node> {
        Node list = list_node();
        for (const std::string& key : assumed) list.children.push_back(scalar_node(key, true));
        return assumed.empty() ? std::nullopt : std::optional<Node>(std::move(list));
      });
}

// What an override has replaced or set in `node`, at `key` of the run, is no assumption of the file any more. Throws
// InputError for an override that names what is not there; files are checked when they are composed.
inline void drop_settled(std::vector<std::string>& assumed, const Node& node, const std::string& key) {
  const auto by_option = [](const Node& at) { return at.place.source && at.place.source->option; };
  if (const Node* const list = node.find("assumed")) {
    for (const Node& item : list->children) {
      if (!by_option(item) || find_path(node, item.text)) continue;
      throw error_at(item.place, key.empty() ? "assumed" : key + ".assumed",
                     "names '" + item.text + "', which is not given here");
    }
  }
  const auto settled = [&](const std::string& each) {
    const Node* const at = find_path(node, each);
    return !at || by_option(*at);
  };
  assumed.erase(std::remove_if(assumed.begin(), assumed.end(), settled), assumed.end());
}

}  // namespace weft::config
