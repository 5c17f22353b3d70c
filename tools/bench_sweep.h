#pragma once

#include <string>

namespace weft::tools {

// Processor milliseconds that a sweep adds to the simulation of each of its points: reading its values, handing it out,
// sending and recording what came of it. `run` with `set` laid over it, `points` times.
double sweep_overhead_ms(const std::string& run, const std::string& set, int points);

// How many times as fast two workers run points of equal cost as one does.
double sweep_speed_up();

}  // namespace weft::tools
