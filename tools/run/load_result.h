#pragma once

#include <filesystem>

#include "platform/run/result.h"
#include "tools/run/report.h"

namespace weft::tools {

// A result of `weft run` as it was saved: nothing is planned or simulated again, and neither the network's file nor any
// other outside the directory is read. What was not saved is empty: of the network all but its name and the host's
// layers; of a row its bitstream and tensors, and of its launches all but the cycles.
struct SavedRun {
  run::Result result;
  Around around;
};

// Throws Error if there is none, InputError for one that is not as this `weft run` writes it.
SavedRun load_result(const std::filesystem::path& folder);

}  // namespace weft::tools
