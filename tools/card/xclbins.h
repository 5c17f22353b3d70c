#pragma once

#include <string>

#include "platform/config/run_config.h"

namespace weft::tools {

// Writes the xclbins of a run, for `weft card`. `place` without a slash at its end: one file, for a run of one
// bitstream. With one: a folder of as many files as the run has bitstreams, and index.json, which says what convolution
// needs which and what the kernels are, with the run as run.yaml. Returns lines that say what was written. Throws
// Error.
std::string write_xclbins(const config::RunConfig& run, const std::string& place);

}  // namespace weft::tools
