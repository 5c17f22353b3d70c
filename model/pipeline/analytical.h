#pragma once

#include "model/core/frequency.h"
#include "model/pipeline/pipeline.h"

namespace weft::pipeline {

// Cycles an image of the slowest block: no period is less, and none is more where FIFOs suffice.
Cycles slowest(const Pipeline& pipeline);

// Each shared block as a block of its own a stream, which never waits for the others.
Pipeline without_arbitration(const Pipeline& pipeline);

// The mean cycles an image, exactly: the maximum cycle ratio of the marked graph of all steps of an image, with the
// places of bounded FIFOs as edges back. Throws Error where steps wait for each other for ever.
// With shared blocks a lower bound: of without_arbitration(), or the cycles of a shared block, whichever is more.
Rational period(const Pipeline& pipeline);

// A token's residence is what it cannot spend less in a FIFO: the longest path from its being given to its being
// taken, without bounds, and a cycle until its place is there again. From token k over its residence to the place that
// token k + depth takes, and on until token k comes again, is a cycle of the graph; over all tokens of an image these
// cycles have all residences and, together, `depth` images. So no period is less than the sum of the residences over
// the depth: throughput <= depth / residence.
Rational store_bound(const Pipeline& pipeline, FifoId fifo);

}  // namespace weft::pipeline
