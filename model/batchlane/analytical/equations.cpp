#include "model/batchlane/analytical/equations.h"

#include <algorithm>

#include "model/batchlane/topology.h"
#include "model/core/error.h"

namespace weft::batchlane {

namespace {

constexpr const char* kCycles = "the cycles of a pass";

Cycles transfer_cycles(const stream::Transfer& transfer, Cycles latency) {
  return transfer.beats(Alpha::kBeatBytes) + latency;
}

Cycles compute_cycles(const Plan& plan, Readings::Balance balance) {
  Cycles per_kernel = 0;  // cycles of one kernel over all tiles
  for (const Tile& tile : plan.tiles) per_kernel += tile.cycles;
  if (balance == Readings::Balance::Mean) {
    return ceil_div(checked::product(kCycles, {plan.kept_kernels(), per_kernel}), plan.workers);
  }
  std::int64_t kernels = 0;
  for (auto strip = plan.kept.begin(); strip != plan.kept.end(); strip += plan.workers) {
    kernels += *std::max_element(strip, strip + plan.workers);
  }
  return checked::product(kCycles, {kernels, per_kernel});
}

// 36 Kb BRAM blocks, as simple dual-port memory, for `depth` words of `bits` bits.
std::int64_t bram36(std::int64_t bits, std::int64_t depth) {
  std::int64_t best = ceil_div(bits, 72) * ceil_div(depth, 512);
  for (std::int64_t width = 36, words = 1024; width >= 9; width /= 2, words *= 2) {
    best = std::min(best, ceil_div(bits, width) * ceil_div(depth, words));
  }
  return best;
}

}  // namespace

EquationTerms equations(const Plan& plan, const Readings& readings, const Latencies& latencies) {
  EquationTerms t;
  const bool gw = plan.kind == conv::Kind::GW;
  t.compute = compute_cycles(plan, readings.balance);
  for (std::int64_t unit = 0; unit < plan.units(); ++unit) {
    // The channels of a unit differ in start address, not in length.
    const Cycles each = transfer_cycles(plan.channel_transfer(unit * plan.streamed), latencies.read);
    checked::add(t.reads, checked::product(kCycles, {plan.channels, each}), kCycles);
    t.transfers += plan.channels;
    checked::add(t.csb, ceil_div(plan.csb_transfer(unit).bytes, Alpha::kBeatBytes), kCycles);
    if (gw) continue;
    const int outputs = plan.outputs_of(static_cast<int>(unit / plan.units_per_block()));
    const Cycles writes = outputs * transfer_cycles(plan.result_transfer(unit, 0), latencies.write);
    checked::add(t.writes, writes, kCycles);
    t.transfers += outputs;
    if (unit + 1 == plan.units()) t.tail = writes + 1;
  }
  t.fill = plan.channels_of(0) * transfer_cycles(plan.channel_transfer(0), latencies.read);
  if (gw) {
    stream::Transfer gradients = plan.gradient_transfer(0);
    if (readings.gw_gradients == Readings::GwGradients::Words) gradients.bytes *= 4;
    const Cycles each_gradient = transfer_cycles(gradients, latencies.read);
    checked::add(t.reads, checked::product(kCycles, {plan.outputs, each_gradient}), kCycles);
    t.transfers += plan.outputs;
    t.fill += plan.outputs_of(0) * each_gradient;
    for (std::int64_t step = 0; step < plan.steps(); ++step) {
      if (plan.kernels_of(step) == 0) continue;
      const Cycles each = transfer_cycles(plan.sum_transfer(step), latencies.write);
      checked::add(t.writes, each, kCycles);
      ++t.transfers;
      t.tail = plan.adder_cycles() + each + 1;
      if (readings.gw_sums == Readings::GwSums::Accumulated) {
        checked::add(t.reads, transfer_cycles(plan.sum_transfer(step), latencies.read), kCycles);
        ++t.transfers;
      }
    }
  }
  if (readings.tail == Readings::Tail::Hidden) t.tail = 0;
  const bool serial = readings.writes == Readings::Writes::Serial;
  const Cycles port = checked::sum(kCycles, {t.reads, serial ? t.writes : 0});
  const Cycles computed = checked::sum(kCycles, {t.fill, t.compute, t.tail}), memory = std::max(port, t.csb);
  t.memory_bound = memory > computed;
  t.cycles = std::max(computed, memory);
  if (gw && readings.gw_overlap == Readings::GwOverlap::None) {
    t.memory_bound = memory > t.compute;
    t.cycles = checked::sum(kCycles, {t.compute, plan.adder_cycles(), memory});
  }
  return t;
}

BramUse bram36_of(const Plan& plan) {
  const Alpha& alpha = plan.alpha;
  BramUse use;
  // In each cycle a PE reads and writes one accumulator per lane. Across channels all PEs add to the same accumulators.
  const std::int64_t depth = std::int64_t{alpha.outputs_per_pe} * alpha.tile_pixels, bits = 32 * alpha.lanes;
  const std::int64_t memories = 2 * (alpha.dense() ? 1 : alpha.pes);
  if (alpha.accumulators_in_uram) {
    use.uram = memories * ceil_div(bits, 72) * ceil_div(depth, 4096);
  } else {
    use.accumulators = memories * bram36(bits, depth);
  }
  std::int64_t pixels = 0;
  for (const Tile& tile : plan.tiles) pixels = std::max<std::int64_t>(pixels, tile.in_rows * plan.in.w);
  // PEs that share data have common channel buffers; across channels each PE has its own.
  const std::int64_t buffers = std::min<std::int64_t>(alpha.ahead, plan.streamed);
  use.channels = (alpha.dense() ? alpha.pes : alpha.groups()) * bram36(8 * alpha.lanes, buffers * pixels);
  const std::int64_t strip = alpha.block() * plan.kernel_bytes;
  use.kernels = bram36(72, ceil_div(alpha.strips * strip, 9)) + bram36(8 * Alpha::kBeatBytes, alpha.csb_beats);
  return use;
}

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
