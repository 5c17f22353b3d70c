#pragma once

#include <string>

#include "platform/design/design.h"

// What the equations of a run stand for, so that nobody takes their cycles for those of another kernel.
namespace weft::report {

// "for profile rtl read with burst exact, ...; they do not know memory.*, ...": the readings that the profile's
// switches ask for, and the keys that the equations do not depend on.
std::string equations_text(const design::EquationsNote& note);

}  // namespace weft::report
