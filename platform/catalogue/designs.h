#pragma once

#include <string>
#include <vector>

#include "platform/config/compose.h"
#include "platform/config/run_config.h"
#include "platform/design/design.h"
#include "platform/dse/explorer.h"

namespace weft::design {

// Files that hold a kernel, read by the design that the kernel's key `design` names. All throw InputError.

config::KernelPtr read_kernel(const config::Node& node, const std::string& key);
config::KernelPtr load_kernel(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                              const config::Library& library);

config::RunConfig read_run(config::Node node);
// The run `name_or_path` (a file, or a name in the library's runs/) with the overrides applied.
config::RunConfig load_run(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                           const config::Library& library);

// How the design of the study's run is explored; of the default design where that cannot be told, for reading the study
// says then what is wrong. Throws Error if it is no design that can be explored.
const dse::Explorer& explorer_of(const config::Study& study, const config::Library& library);

// The table of designs: every design that weft knows.
const std::vector<const Design*>& designs();

// The design of a kernel, of a run.
const Design& design_of(const config::Kernel& kernel);
inline const Design& design_of(const config::RunConfig& run) {
  return design_of(*run.kernel);
}

// The design of this name. Throws Error, with those there are, if there is none.
const Design& design_named(const std::string& name);

}  // namespace weft::design
