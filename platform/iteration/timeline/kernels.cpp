#include "platform/iteration/timeline/kernels.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/catalogue/load.h"
#include "platform/config/run_config.h"
#include "platform/config/selection.h"
#include "platform/config/study.h"
#include "platform/iteration/timeline/iteration.h"
#include "platform/record/json.h"

namespace weft::timeline {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDseKey = "schedule.kernels.dse";
constexpr const char* kResultJson = "result.json";  // of a directory of results

std::string text_of(const fs::path& path, const config::Place& place) {
  std::error_code code;
  if (!fs::is_regular_file(path, code)) {
    throw config::error_at(
        place, kDseKey, fmt::format("no such file: '{}'; weft dse NAME --out DIR makes the result DIR", path.string()));
  }
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) throw config::error_at(place, kDseKey, fmt::format("cannot read '{}'", path.string()));
  return text;
}

dse::KernelSet of_result(const config::RunConfig& run, const config::Library& library) {
  const config::KernelsOfDse& wanted = run.schedule.kernels;
  std::error_code code;
  fs::path path(wanted.dse);
  if (fs::is_directory(path, code)) path /= kResultJson;
  library.note(path);
  const std::string json = text_of(path, wanted.place);
  const design::Design& design = design::design_of(run);
  if (!design.explorer()) {
    throw config::error_at(wanted.place, kDseKey, fmt::format("the design {} has no exploration", design.name()));
  }
  return dse::kernel_set(*design.explorer(), record::from_json<dse::Result>(path.string(), json), path.string(), wanted,
                         run);
}

// What is wrong with a run as an exploration's is wrong with its asking for one.
void put_at(config::Node& node, const config::Place& place) {
  node.place = place;
  for (config::Node& child : node.children) put_at(child, place);
}

// The exploration `file`, of the run of a part instead of its own.
config::Study study_of(const Part& part, const fs::path& file, const config::Library& library) {
  const config::KernelsOfDse& wanted = part.run.schedule.kernels;
  config::Study study;
  study.file = config::load_file(config::FileKind::Dse, file, library);
  for (const char* key : {"set", "published"}) study.file.erase(key);
  config::Node run = config::write_run(part.run);
  for (const char* key : {"schedule", "published", "output"}) run.erase(key);
  put_at(run, wanted.place);
  study.file.set("run", std::move(run));
  return study;
}

dse::KernelSet of_exploration(const Part& part, const config::Library& library, const dse::Progress& progress) {
  const config::KernelsOfDse& wanted = part.run.schedule.kernels;
  const fs::path file = config::find_file(config::FileKind::Dse, wanted.dse, wanted.place, kDseKey, library);
  config::Study study = study_of(part, file, library);
  const dse::Explorer& explorer = design::explorer_of(study, library);
  explorer.keep_only(study.file, wanted);
  const auto exploration = explorer.load(study, library);
  const auto simulated = [](const config::RunConfig&, const workloads::Network&,
                            const std::function<void(std::int64_t, std::int64_t)>&) -> Cycles {
    throw std::logic_error("an exploration without a rerank simulates nothing");
  };
  return dse::kernel_set(explorer, exploration->explore(part.network, simulated, progress), file.string(), wanted,
                         part.run);
}

}  // namespace

std::vector<Part> parts_on(const Part& part, const dse::KernelSet& set, const std::string& what) {
  const config::Place& place = part.run.schedule.kernels.place;
  if (set.network != part.network.name) {
    throw config::error_at(place, kDseKey,
                           fmt::format("'{}' is about network '{}', not '{}'", what, set.network, part.network.name));
  }
  std::vector<conv::Layer> layers = part.network.layers;
  layers.insert(layers.end(), part.network.fc_layers.begin(), part.network.fc_layers.end());
  std::set<std::pair<std::string, conv::Kind>> left;
  for (const config::Chosen& chosen : config::choose(part.run, layers)) {
    left.emplace(layers[chosen.layer].name, chosen.kind);
  }
  std::vector<Part> parts;
  for (const dse::FoundKernel& found : set.kernels) {
    std::vector<std::pair<std::string, conv::Kind>> runs;
    for (const auto& convolution : found.convolutions) {
      if (left.erase(convolution) != 0) runs.push_back(convolution);
    }
    if (runs.empty()) continue;  // the set may have GI of the first layer, and the run may not
    parts.push_back(part);
    parts.back().run.kernel = found.kernel;
    parts.back().run.only = config::Selection::exactly(runs);
  }
  if (!left.empty()) {
    const auto& [layer, kind] = *left.begin();
    throw config::error_at(
        place, kDseKey,
        fmt::format("'{}' has no kernel for {} of {} convolutions; one is '{}:{}'", what, left.size(),
                    config::choose(part.run, layers).size(), layer, conv::to_string(kind)));
  }
  return parts;
}

namespace {

std::vector<Part> on_kernels(const config::RunConfig& run, std::vector<Part> parts, const config::Library& library,
                             const dse::Progress& progress) {
  const config::KernelsOfDse& wanted = run.schedule.kernels;
  if (!wanted.given()) return parts;
  if (wanted.is_result() && run.schedule.im2col != config::Im2colPlace::Card) {
    throw config::error_at(wanted.place, kDseKey,
                           fmt::format("'{}' has kernels for im2col on the card; with schedule.im2col: cpu name an "
                                       "exploration, which is made for the products that are left to the card",
                                       wanted.dse));
  }
  std::vector<Part> split;
  for (const Part& part : parts) {
    const dse::KernelSet set =
        wanted.is_result() ? of_result(part.run, library) : of_exploration(part, library, progress);
    for (Part& each : parts_on(part, set, wanted.dse)) split.push_back(std::move(each));
  }
  return split;
}

}  // namespace

std::vector<Part> parts_on_kernels(const config::RunConfig& run, std::vector<Part> parts,
                                   const config::Library& library, const dse::Progress& progress) {
  try {
    return on_kernels(run, std::move(parts), library, progress);
  } catch (const InputError& error) {
    throw ScheduleError(error);
  }
}

}  // namespace weft::timeline
