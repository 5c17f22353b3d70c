#include "platform/iteration/training/trained_network.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "platform/config/reader.h"
#include "platform/iteration/training/restoration_file.h"
#include "workloads/onnx/catalogue.h"

namespace weft::training {

using namespace weft::workloads;

namespace {

// What may have been folded, where nobody says what was.
std::string folded_note(const std::vector<std::string>& layers, const std::string& file) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> shown(layers.begin(),
                                 layers.begin() + static_cast<std::ptrdiff_t>(std::min(layers.size(), kMost)));
  if (layers.size() > kMost) shown.emplace_back("...");
  return fmt::format(
      "{} of its convolutions have a bias and no batch normalisation ({}): if export folded it into them, "
      "{} can restore it",
      layers.size(), config::join(shown), file);
}

}  // namespace

TrainedNetwork load_trained(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                            const ImportOptions& options) {
  ImportedGraph imported = find_graph(name_or_path, search_dirs, options);
  TrainedNetwork trained;
  trained.network = std::move(imported.network);
  const std::filesystem::path path = restoration_path(imported.graph.file);
  std::error_code unreadable;  // then reading it says why
  if (!std::filesystem::exists(path, unreadable) && !unreadable) {
    trained.forward = std::move(imported.graph);
    const std::vector<std::string> folded = maybe_folded(trained.forward);
    if (!folded.empty()) trained.notes.push_back(folded_note(folded, path.string()));
    return trained;
  }
  trained.restoration = read_restoration(path);
  trained.forward = restore(imported.graph, *trained.restoration);
  for (const std::string& each : trained.restoration->left_out) trained.notes.push_back("left out: " + each);
  for (const std::string& each : trained.restoration->assumed) trained.notes.push_back("assumed: " + each);
  return trained;
}

}  // namespace weft::training
