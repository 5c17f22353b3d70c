#pragma once

#include "model/core/frequency.h"
#include "model/pipeline/pipeline.h"

namespace weft::pipeline {

// Cycles an image of the slowest block: no period is less, and none is more where FIFOs suffice.
Cycles slowest(const Pipeline& pipeline);

// The mean cycles an image, exactly: the maximum cycle ratio of the marked graph of all steps of an image, with the
// places of bounded FIFOs as edges back. Throws Error where steps wait for each other for ever.
Rational period(const Pipeline& pipeline);

}  // namespace weft::pipeline
