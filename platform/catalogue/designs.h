#pragma once

#include <string>
#include <vector>

#include "platform/config/compose.h"
#include "platform/config/run_config.h"
#include "platform/design/design.h"
#include "platform/dse/explorer.h"

namespace weft::design {

// Readers of kernels and runs; the kernel's key `design` selects the design that reads it. All throw InputError.

config::KernelPtr read_kernel(const config::Node& node, const std::string& key);
config::KernelPtr load_kernel(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                              const config::Library& library);

config::RunConfig read_run(config::Node node);
// Reads the run `name_or_path` (a file, or a name in the library's runs/) with the overrides applied.
config::RunConfig load_run(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                           const config::Library& library);

// Returns the explorer of the design of the experiment's run; of the default design if the experiment has an error,
// which reading it reports later. Throws Error if the design has no exploration.
const dse::Explorer& explorer_of(const config::Experiment& experiment, const config::Library& library);

// Every design that weft knows.
const std::vector<const Design*>& designs();

// Returns the design of a kernel or of a run.
const Design& design_of(const config::Kernel& kernel);
inline const Design& design_of(const config::RunConfig& run) {
  return design_of(*run.kernel);
}

// Returns the design of this name. If there is none, throws Error that lists the names.
const Design& design_named(const std::string& name);

}  // namespace weft::design
