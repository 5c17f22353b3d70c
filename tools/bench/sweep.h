#pragma once

#include <string>

namespace weft::tools {

// Processor milliseconds that a sweep adds to the simulation of each of its points: reading its values, handing it out,
// sending and recording what came of it. `run` with `set` laid over it, `points` times.
double sweep_overhead_ms(const std::string& run, const std::string& set, int points);

// How many of two workers are at work at a time, on average, over points of equal cost: the speed-up that two
// processors of their own give. Other work on the machine, which would hide it in wall times, slows points and sweep
// alike.
double sweep_speed_up();

}  // namespace weft::tools
