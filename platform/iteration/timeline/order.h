#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/graph/dependencies.h"

namespace weft::timeline {

// The kernel (bitstream) of each operator; nothing for those of the host.
using Kernels = std::vector<std::optional<std::size_t>>;

// Bitstreams loaded by an iteration in this order that follows an equal one.
std::int64_t loads(const std::vector<workloads::OperatorId>& order, const Kernels& kernels);

// An order that the dependencies allow with as few loads as a greedy search finds, and never more than the order
// 0, 1, 2, ...: operators of the host as soon as they can be, convolutions of the kernel that is loaded before others,
// then the kernel that most are ready for.
std::vector<workloads::OperatorId> fewest_loads(const workloads::Dependencies& dependencies, const Kernels& kernels);

// No order has fewer loads: each kernel is loaded once if there are several, and where one convolution depends on
// another of another kernel there is one between them.
std::int64_t least_loads(const workloads::Dependencies& dependencies, const Kernels& kernels);

}  // namespace weft::timeline
