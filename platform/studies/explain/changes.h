#pragma once

#include <vector>

#include "platform/catalogue/designs.h"
#include "platform/config/compose.h"

namespace weft::explain {

// All changes to a run that are tried: those of its design, and if `iteration` also those of its schedule, batch, host
// and board. A change that alters a key of `held`, or a key below it, is left out. Order: as they are made together.
std::vector<design::Counterfactual> changes_of(const config::RunConfig& run, bool iteration,
                                               const std::vector<std::string>& held, const config::Library& library);

// Keys that differ between two runs, as KEY=VALUE of --set: making them on `from` gives `to`.
std::vector<std::string> sets_between(const config::RunConfig& from, const config::RunConfig& to);

// The same with a map of values replaced by a KEY=VALUE for each of its keys.
std::vector<std::string> leaves(const std::vector<std::string>& sets);

// True if the equations of the run's design depend on no key that the change alters.
bool is_unknown_to_equations(const design::Counterfactual& change, const config::RunConfig& run);

}  // namespace weft::explain
