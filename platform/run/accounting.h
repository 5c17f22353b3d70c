#pragma once

#include <vector>

#include "platform/design/design.h"
#include "platform/run/result.h"

namespace weft::run {

// Adds a unit of work to its row. `counted`: its cycles are those of another unit, which was simulated for both.
void add(Row& row, const design::UnitResult& unit, bool counted);

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
