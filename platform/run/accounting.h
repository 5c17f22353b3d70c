#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/core/topology.h"
#include "platform/design/design.h"
#include "platform/run/result.h"

namespace weft::run {

// A unit's result as words in memory that processes share: as many for every unit of a design.
std::size_t unit_words(const Topology& topology);
void write_unit(const design::UnitResult& unit, std::int64_t* words);
design::UnitResult read_unit(const Topology& topology, const std::int64_t* words);

// What is known of the work of a run without simulating it: its cycles are those of the equations.
Result prepared(const config::RunConfig& config, const workloads::Network& network, const design::Work& work);

// A row with nothing but what is known without simulating it, for its units to be added.
void begin_adding(Row& row, const Topology& topology);

// Adds a unit of work to its row. `counted`: its cycles are those of another unit, which was simulated for both.
void add(Row& row, const design::UnitResult& unit, bool counted);

// Takes over what add() and the design's limiter() made of another row, all of whose units are equal to those of this
// one; what it took to simulate them is not taken over.
void take_simulated(Row& row, const Row& from);

// Fills in what launching the units of each row takes, with the cycles that the equations expect, and their tensors.
void describe_units(const design::Work& work, std::vector<Row>& rows);

// Training runs the forward convolutions in order, then from the last layer back GW and GI of each. Loading a kernel
// that is not the one on the card is a reconfiguration.
void count_kernels(Result& result);

// What the channels of the board offer.
void describe_memory(Result& result);

// Throws Error if a kernel does not fit the board.
void require_fit(const Result& result);

}  // namespace weft::run
