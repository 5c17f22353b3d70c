#pragma once

#include <string>
#include <vector>

#include "model/fpgpt/analytical/readings.h"
#include "platform/config/kernel.h"
#include "platform/config/run_config.h"

namespace weft::fpgpt {

// The readings of the analytical equations: those that the run gives; of the others those that follow the kernel's
// profile do so (`auto`), the rest are the defaults. Throws InputError at the key or value that does not exist.
Readings readings_of(const config::RunConfig& run);
Readings readings_of(const Profile& profile, const std::vector<config::ReadingChoice>& given);

// Every reading with its value, as a file would give it; those of fixed point alone where the format is, or if given.
std::vector<config::ReadingChoice> all_readings(const Profile& profile, NumberFormat format,
                                                const std::vector<config::ReadingChoice>& given);

}  // namespace weft::fpgpt
