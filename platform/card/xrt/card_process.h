#pragma once

#include <filesystem>

#include "platform/card/card.h"
#include "platform/card/xrt/launch.h"

namespace weft::xrt {

// The first line of a transcript.
inline constexpr const char* kTranscriptColumns = "call,address,bytes,data,start_ps,end_ps,why\n";

// Serves the shims that visit with one card, until the program has ended. `transcript`: a file that gets a line for
// each call, as CSV; empty: none. Throws Error.
// `folder`: of the run, where programs of the project find the card's status (platform/card/status.h).
CardReport serve_card(Visits& visits, const std::filesystem::path& folder, const card::CardSettings& settings,
                      const std::filesystem::path& transcript);

}  // namespace weft::xrt
