#pragma once

#include "model/pipeline/exact.h"

namespace weft::pipeline {

// simulate() of a pipeline with shared blocks: whom such a block serves depends on what has come by then, so that steps
// are made in the order of their cycles. A block is looked at when a token or a place that it may wait for is there,
// and when its step may end. Between two cycles, behind the last step of an image of the first block without inputs,
// the state is compared with those of earlier images.
Simulated simulate_shared(const Pipeline& pipeline, std::int64_t images, const SimulateOptions& options);

}  // namespace weft::pipeline
