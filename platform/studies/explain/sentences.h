#pragma once

#include <string>
#include <vector>

#include "platform/studies/explain/explanation.h"

namespace weft::explain {

// Three: what limits it, what to change first and what that gains, what limits it then. `lines`: a ladder, its first
// line the run as it is.
std::vector<std::string> sentences(const std::vector<Line>& lines, const std::vector<Change>& changes);

// "2.51 s", "738 ms".
std::string duration_text(double seconds);

}  // namespace weft::explain
