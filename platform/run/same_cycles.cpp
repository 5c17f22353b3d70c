#include "platform/run/same_cycles.h"

namespace weft::run {

config::Node cycles_node(const config::RunConfig& run) {
  config::Node node = config::write_run(run);
  for (const char* key : {"name", "title", "host", "schedule", "published", "output", "workers", "verify", "memo_mb",
                          "strict_fit", "seed", "dataset_images"}) {
    node.erase(key);
  }
  if (config::Node* const board = node.find("board")) {
    for (const char* key : {"title", "pcie", "network", "default_host", "assumed"}) board->erase(key);
  }
  return node;
}

}  // namespace weft::run
