
#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/config/reader.h"

namespace weft::design {

namespace {

const Design* find_design(const std::string& name) {
  const auto found =
      std::find_if(designs().begin(), designs().end(), [&](const Design* each) { return each->name() == name; });
  return found == designs().end() ? nullptr : *found;
}

// Returns the name of the design in a kernel's node.
std::string name_of(const config::Node& kernel, const std::string& key) {
  const config::Node* const given = kernel.kind == config::Node::Kind::Map ? kernel.find(config::kDesignKey) : nullptr;
  if (!given) return config::kDefaultDesign;
  std::vector<std::string> names;
  for (const Design* each : designs()) names.emplace_back(each->name());
  return names[config::read_choice(*given, key.empty() ? config::kDesignKey : key + "." + config::kDesignKey, names)];
}

const Design& design_of(const config::Experiment& experiment, const config::Library& library) {
  try {
    const config::Node run = experiment.composed_run(library);
    const config::Node* const kernel = run.find("kernel");
    if (kernel) return *find_design(name_of(*kernel, "kernel"));
  } catch (const InputError&) {
    // Reading the experiment reports this error better.
  }
  return *find_design(config::kDefaultDesign);
}

}  // namespace

const Design& design_of(const config::Kernel& kernel) {
  const Design* const design = find_design(kernel.design());
  if (!design) throw std::logic_error(std::string("no design '") + kernel.design() + "' in the table");
  return *design;
}

config::KernelPtr read_kernel(const config::Node& node, const std::string& key) {
  return find_design(name_of(node, key))->read_kernel(node, key);
}

config::KernelPtr load_kernel(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                              const config::Library& library) {
  return read_kernel(config::compose_kernel(name_or_path, overrides, library), "kernel");
}

config::RunConfig read_run(config::Node node) {
  config::RunConfig run = config::read_run(std::move(node), read_kernel);
  if (run.sparsity && !design_of(run).takes_sparsity()) {
    std::vector<std::string> sparse;
    for (const Design* each : designs()) {
      if (each->takes_sparsity()) sparse.emplace_back(each->name());
    }
    throw config::error_at(
        run.sparsity->place, "sparsity",
        fmt::format("design {} computes every weight; remove 'sparsity', or use a kernel of design {}",
                    run.kernel->design(), config::join(sparse, " or ")));
  }
  return run;
}

config::RunConfig load_run(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                           const config::Library& library) {
  config::RunConfig run = read_run(config::compose_run(name_or_path, overrides, library));
  if (run.sparsity && !run.sparsity->file.empty()) library.note(run.sparsity->file);
  return run;
}

const dse::Explorer& explorer_of(const config::Experiment& experiment, const config::Library& library) {
  const Design& design = design_of(experiment, library);
  const dse::Explorer* const explorer = design.explorer();
  if (!explorer) throw Error(std::string("weft dse cannot explore design ") + design.name());
  return *explorer;
}

const Design& design_named(const std::string& name) {
  if (const Design* const design = find_design(name)) return *design;
  std::vector<std::string> names;
  for (const Design* each : designs()) names.emplace_back(each->name());
  throw Error(fmt::format("there is no design '{}'; known: {}", name, config::join(names)));
}

}  // namespace weft::design
