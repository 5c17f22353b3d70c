#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/graph/dependencies.h"

namespace weft::timeline {

// Kernel (bitstream) of each operator; nothing for host operators.
using Kernels = std::vector<std::optional<std::size_t>>;

// Number of bitstreams loaded by an iteration in this order, if it follows an equal one.
std::int64_t loads(const std::vector<workloads::OperatorId>& order, const Kernels& kernels);

// Returns an order allowed by the dependencies with few loads, by a greedy search; never more loads than the order 0,
// 1, 2, ... Priorities: ready host operators, then convolutions of the loaded kernel, then the kernel with the most
// ready convolutions.
std::vector<workloads::OperatorId> fewest_loads(const workloads::Dependencies& dependencies, const Kernels& kernels);

// Lower bound on the loads of any order: each kernel is loaded once if there are several, and at least once between two
// dependent convolutions of different kernels.
std::int64_t least_loads(const workloads::Dependencies& dependencies, const Kernels& kernels);

}  // namespace weft::timeline
