#pragma once

#include <filesystem>

#include "platform/card/card.h"
#include "platform/card/xrt/launch.h"

namespace weft::xrt {

// First line of a transcript.
inline constexpr const char* kTranscriptColumns = "call,address,bytes,data,start_ps,end_ps,why\n";

// Serves shims with one card until the program has ended. `folder`: of the run, in which programs of the project find
// the card's status (platform/card/status.h). `transcript`: CSV file with one line per call; empty: none. Throws Error.
CardReport serve_card(Visits& visits, const std::filesystem::path& folder, const card::CardSettings& settings,
                      const std::filesystem::path& transcript);

}  // namespace weft::xrt
