#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platform/config/compose.h"
#include "platform/dse/explorer.h"
#include "platform/iteration/timeline/parts.h"

namespace weft::timeline {

// A part on the kernels of a set, each with the convolutions of the part that it runs. `what`: where the set comes
// from, for messages. Throws InputError at schedule.kernels.dse for a convolution that no kernel runs.
std::vector<Part> parts_on(const Part& part, const dse::KernelSet& set, const std::string& what);

// Parts on the kernels that `schedule.kernels` of the run names; as they are if it names none. An exploration is made
// for the run: of it, the budget, the space and how kernels are shared; all else is of the run. Throws ScheduleError
// (iteration.h).
std::vector<Part> parts_on_kernels(const config::RunConfig& run, std::vector<Part> parts,
                                   const config::Library& library, const dse::Progress& progress);

}  // namespace weft::timeline
