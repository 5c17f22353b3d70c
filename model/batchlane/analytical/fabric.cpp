#include "model/batchlane/analytical/fabric.h"

#include "model/batchlane/topology.h"

namespace weft::batchlane {

FabricUse fabric_of(const Alpha& alpha, const Fabric& fabric) {
  constexpr std::int64_t kSumBits = 32;  // NUM-2
  const std::int64_t pes = alpha.pes, lanes = alpha.lanes, macs = pes * lanes;
  std::int64_t adders = (std::int64_t{alpha.split} * lanes - 1) * alpha.groups();  // ADD-1
  if (alpha.dense()) adders += lanes * (pes - 1);                                  // DN-1
  FabricUse all;
  const auto add = [&](const FabricUse& each, std::int64_t count) {
    all.lut += each.lut * count;
    all.ff += each.ff * count;
  };
  add(fabric.mac, macs);
  add(fabric.accumulator, alpha.dense() ? lanes : macs);
  add(fabric.adder_bit, kSumBits * adders);
  add(fabric.pe, pes);
  add(fabric.port, std::int64_t{kPorts});
  add(fabric.once, 1);
  return all;
}

}  // namespace weft::batchlane
