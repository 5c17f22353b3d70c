#pragma once

#include <cstdint>

namespace weft::tools {

// A step of a block is two events: a token or none in, a token or none out.
struct PipelineCosts {
  double thousand_images_seconds = 0;  // MobileNetV2 in training, its FIFOs sized, on the exact rung
  std::int64_t peak_bytes = 0;
  double exact_events_per_s = 0;    // nothing skipped
  double systemc_events_per_s = 0;  // of a smaller network
};
// Processor seconds on one core. Entities are as fast as 1031 images a second at 200 MHz need.
PipelineCosts pipeline_costs();

}  // namespace weft::tools
