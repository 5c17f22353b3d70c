#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/core/units.h"
#include "model/fpdeep/assignment.h"

namespace weft::fpdeep {

// Input of a layer, on links and in memory: the OFM of the layer before as computed, which a pool's gradient needs, or
// as the layer reads it. Unpooled: a pool is computed again on each board that reads its output.
enum class Features : std::uint8_t { Unpooled, Pooled };

inline constexpr std::int64_t kBefore = -1;  // place of the image: before the first layer

// Tensor along the boards. A place is the index of a layer, and stands for the board with the layer's last part: there
// the parts of its output are joined. A join is at the place of its latest input, a pool at that of its input.
struct Tensor {
  std::int64_t from = kBefore;       // place where it is made
  std::int64_t last = kBefore;       // place of its last reader
  std::int64_t last_join = kBefore;  // place of the last join that reads it
  Words words = 0;                   // per image

  // True if the tensor crosses each cut within layer `at`, and the cut after it.
  bool within(std::int64_t at) const { return from < at && last >= at; }
  bool after(std::int64_t at) const { return from <= at && last > at; }
};

struct Tensors {
  std::vector<Tensor> all;
  std::vector<std::size_t> of;     // tensor that the readers of each node read
  std::vector<std::size_t> input;  // tensor that each layer reads
  std::vector<Words> output;       // of each layer, as its parts are sent: pooled, if only a pool reads it
};
Tensors tensors(const Chain& chain, Features features);

// Place of each node.
std::vector<std::int64_t> places(const Chain& chain);
// Nodes that read each node.
std::vector<std::vector<std::size_t>> readers(const Chain& chain);

}  // namespace weft::fpdeep
