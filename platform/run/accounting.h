#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/core/topology.h"
#include "platform/design/design.h"
#include "platform/run/result.h"

namespace weft::run {

// A unit's result as words in memory shared by processes; their number is the same for every unit of a design.
std::size_t unit_words(const Topology& topology);
void write_unit(const design::UnitResult& unit, std::int64_t* words);
design::UnitResult read_unit(const Topology& topology, const std::int64_t* words);

// Returns the result before simulation: its cycles are those of the equations.
Result prepared(const config::RunConfig& config, const workloads::Network& network, const design::Work& work);

// Joins the results of runs that share the convolutions of `run` among them; rows in the order of `run`.
Result merged(const config::RunConfig& run, const workloads::Network& network, const std::vector<Result>& parts);

// Resets a row to the values known without simulation, before its units are added.
void begin_adding(Row& row, const Topology& topology);

// Adds a unit of work to its row. `counted`: the cycles are copied from an equal unit that was simulated.
void add(Row& row, const design::UnitResult& unit, bool counted);

// Copies the simulated values of `from`, whose units all equal those of `row`. The account of simulation effort is not
// copied.
void take_simulated(Row& row, const Row& from);

// Fills in the launch costs of each row's units, with the cycles that the equations expect, and their tensors.
void describe_units(const design::Work& work, std::vector<Row>& rows);

// Counts kernels and loads. Training runs the forward convolutions in order, then GW and GI from the last layer to the
// first; the kernel that it ends with is on the card when the next iteration begins.
void count_kernels(Result& result);

// Fills in the number of used memory channels and the peak rate of one.
void describe_memory(Result& result);

// Throws Error if a kernel does not fit the board.
void require_fit(const Result& result);

}  // namespace weft::run
