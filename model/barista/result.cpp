#include "model/barista/result.h"

#include "model/stream/ports.h"

namespace weft::barista {

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
  // Each element is at work in Tp of a tile's mesh cycles.
  of(PeClass::FillDrain) = tiles.outputs() * tiles.k * (alpha.mesh_cycles() - alpha.tp) * elements;
  of(PeClass::FinalAdd) = tiles.outputs() * alpha.final_add_cycles() * elements;
  return all;
}

GemmResult collect(const Kernel& kernel, const BlockActivities& activities, Cycles cycles, memory::Memory& memory) {
  const Plan& plan = *kernel.plan;
  GemmResult result;
  result.cycles = cycles;
  result.activities = activities;
  result.limiter = limiter(activities);
  result.pe_cycles = pe_cycles_of_products(plan.alpha, plan.gemm);
  const std::int64_t elements = std::int64_t{plan.alpha.tr} * plan.alpha.tc;
  const Activities& mesh = activities[static_cast<std::size_t>(Block::Mesh)];
  const auto of = [&](PeClass each) -> std::int64_t& { return result.pe_cycles[static_cast<std::size_t>(each)]; };
  of(PeClass::StarvedATile) = kernel.mesh.starved()[0] * elements;
  of(PeClass::StarvedBTile) = kernel.mesh.starved()[1] * elements;
  of(PeClass::BlockedCTile) = mesh.of(Activity::Blocked) * elements;
  of(PeClass::Idle) = mesh.of(Activity::Idle) * elements;
  const auto put_port = [&](Port id, const auto& port) {
    result.ports[static_cast<std::size_t>(id)] = stream::port_stats(memory, port_id(id), port);
  };
  put_port(Port::A, kernel.a.port);
  put_port(Port::B, kernel.b.port);
  put_port(Port::C, kernel.c.port);
  return result;
}

}  // namespace weft::barista
