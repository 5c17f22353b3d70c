#pragma once

#include "workloads/graph/graph.h"

namespace weft::workloads {

// Sets the floating-point operations and the bytes read and written of an operator of `graph`, by the rules of
// docs/training-graph.md. Internal to workloads/. Throws Error if they exceed 64 bits.
void set_work(const Graph& graph, Operator& op);

}  // namespace weft::workloads
