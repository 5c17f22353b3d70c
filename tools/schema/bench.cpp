#include "tools/schema/schema.h"

namespace weft::tools::schema {

Json bench() {
  return list("the simulator's own speed (weft bench)",
              object("a measurement", {{"what", text("what is measured, on one core")},
                                       {"measured", number("that of `unit`", "what came of it")},
                                       {"bar", number("that of `unit`", "what it is to reach")},
                                       {"unit", text("of both")},
                                       {"ratio", number("1", "how many times better than the bar; 1 reaches it")},
                                       {"peak_bytes", integer("bytes", "memory at most; 0: not measured")}}));
}

Json bench_growth() {
  return list("what the exact rung costs as things grow (weft bench --growth)",
              object("a point", {{"series", text("what changes along it: batch, groups, convolutions, array or layer")},
                                 {"convolution", text("as LAYER:KIND; of several the last")},
                                 {"convolutions", integer("convolutions", "after each other in one worker")},
                                 {"groups", integer("groups", "of each")},
                                 {"batch", integer("images", "images")},
                                 {"array_x", integer("PEs", "columns of the array")},
                                 {"array_y", integer("PEs", "rows of the array")},
                                 {"cycles", integer("cycles", "of all of them")},
                                 {"processor_seconds", number("s", "of processor time")},
                                 {"distinct", integer("stretches", "different ones, which were simulated")},
                                 {"memory_steps", integer("steps", "of the memory that were simulated")},
                                 {"peak_bytes", integer("bytes", "memory at most")}}));
}

}  // namespace weft::tools::schema
