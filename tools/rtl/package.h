#pragma once

#include <filesystem>

#include "platform/config/run_config.h"
#include "platform/hardware/cosim/build.h"
#include "platform/hardware/rtl/package.h"

namespace weft::tools {

// What `weft rtl` writes of the kernel of a run, but for the texts.
rtl::Package package_of(const config::RunConfig& run, const cosim::Hardware& hardware);

// How co-simulation builds what `weft rtl` wrote into `folder`. Throws Error if that is another kernel.
cosim::BuildOptions exported_build(const std::filesystem::path& folder, const config::RunConfig& run,
                                   const cosim::Hardware& hardware);

}  // namespace weft::tools
