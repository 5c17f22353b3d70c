#include "model/barista/kernel.h"

#include <algorithm>
#include <memory>

#include "kernels/fp32.h"

namespace weft::barista {

namespace {

LoadSubsystem load(const stream::RangeLoop& loop, const stream::PortConfig& port, const Alpha& alpha, bool with_data) {
  LoadSubsystem subsystem;
  subsystem.reader = stream::DdrReader(loop, port, alpha.beat_bytes());
  subsystem.fill = TileFill(loop.words, alpha.band, loop.count(), with_data);
  subsystem.port.data = stream::BeatQueue(stream::Lanes::of_words(with_data ? alpha.band : 0));
  return subsystem;
}

Fifos fifos_of(const Plan& plan) {
  Fifos fifos;
  for (std::size_t i = 0; i < kFifos; ++i) {
    const auto fifo = static_cast<FifoId>(i);
    fifos[fifo] = Fifo(plan.alpha.fifo[fifo], fifo_width(plan.alpha, fifo), plan.with_data);
  }
  return fifos;
}

}  // namespace

Kernel::Kernel(std::shared_ptr<const Plan> plan_of_gemm)
    : plan(std::move(plan_of_gemm)),
      a(load(plan->a, plan->alpha.a_port, plan->alpha, plan->with_data)),
      b(load(plan->b, plan->alpha.b_port, plan->alpha, plan->with_data)),
      mesh(*plan),
      fifos(fifos_of(*plan)) {
  c.drain = Drain(*plan);
  c.encode = Encode(*plan);
  c.writer = stream::DdrWriter(plan->c, plan->alpha.c_port, plan->alpha.beat_bytes());
}

Cycles Kernel::quiet_until(Cycles now) const {
  return std::min({a.reader.quiet_until(now, plan->a, a.port, fifos[FifoId::ABeat]),
                   b.reader.quiet_until(now, plan->b, b.port, fifos[FifoId::BBeat]), mesh.quiet_until(now),
                   c.writer.quiet_until(now, c.port)});
}

PeCycles pe_cycles_of_products(const Alpha& alpha, const Gemm& gemm) {
  const Tiles tiles(alpha, gemm);
  const std::int64_t rows = tiles.rt * alpha.tr, columns = tiles.ct * alpha.tc, products = tiles.k * alpha.tp;
  const std::int64_t elements = std::int64_t{alpha.tr} * alpha.tc;
  PeCycles all{};
  const auto of = [&](PeClass each) -> std::int64_t& { return all[static_cast<std::size_t>(each)]; };
  of(PeClass::Zeros) = gemm.zeros;
  of(PeClass::Useful) = gemm.macs() - gemm.zeros;
  of(PeClass::PaddedRows) = (rows - gemm.r) * columns * products;
  of(PeClass::PaddedColumns) = gemm.r * (columns - gemm.c) * products;
  of(PeClass::PaddedProducts) = gemm.r * gemm.c * (products - gemm.p);
  // Each element works in Tp of the mesh cycles of a tile.
  of(PeClass::FillDrain) = tiles.outputs() * tiles.k * (alpha.mesh_cycles() - alpha.tp) * elements;
  of(PeClass::FinalAdd) = tiles.outputs() * alpha.final_add_cycles() * elements;
  return all;
}

GemmResult collect(Kernel& kernel, const BlockActivities& activities, Cycles cycles, memory::Memory& memory) {
  const Plan& plan = *kernel.plan;
  auto result = stream::counted<GemmResult>(kernel, activities, cycles, memory);
  result.pe_cycles = pe_cycles_of_products(plan.alpha, plan.gemm);
  result.overflows = kernel.mesh.overflows();
  const std::int64_t elements = std::int64_t{plan.alpha.tr} * plan.alpha.tc;
  const Activities& mesh = activities[static_cast<std::size_t>(Block::Mesh)];
  const auto of = [&](PeClass each) -> std::int64_t& { return result.pe_cycles[static_cast<std::size_t>(each)]; };
  of(PeClass::StarvedATile) = kernel.mesh.starved()[0] * elements;
  of(PeClass::StarvedBTile) = kernel.mesh.starved()[1] * elements;
  of(PeClass::BlockedCTile) = mesh.of(Activity::Blocked) * elements;
  of(PeClass::Idle) = mesh.of(Activity::Idle) * elements;
  return result;
}

GemmResult run_exact(const Plan& plan, memory::Memory& memory, DataMemory* data,
                     const stream::SteppingOptions& options) {
  const fp32::PeArithmetic arithmetic;
  Kernel kernel(std::make_shared<const Plan>(plan));
  return stream::run_stepped(kernel, topology(), memory, data, options);
}

}  // namespace weft::barista
