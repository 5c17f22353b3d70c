#pragma once

#include <cstddef>
#include <cstdint>

#include "model/core/topology.h"
#include "platform/design/design.h"

namespace weft::run {

// A unit's result as words in memory that processes share: as many for every unit of a design.
std::size_t unit_words(const Topology& topology);
void write_unit(const design::UnitResult& unit, std::int64_t* words);
design::UnitResult read_unit(const Topology& topology, const std::int64_t* words);

}  // namespace weft::run
