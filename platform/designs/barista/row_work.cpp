#include "platform/designs/barista/row_work.h"

#include <memory>
#include <random>

#include "kernels/fp32.h"
#include "model/memory/memory.h"
#include "platform/config/model_config.h"
#include "workloads/lowering.h"

namespace weft::barista {

namespace {

// Random values of a format; integers as their bits (BAR-10).
std::vector<float> random_matrix(std::mt19937_64& random, std::int64_t words, NumberFormat format) {
  std::vector<float> matrix(static_cast<std::size_t>(words));
  for (float& value : matrix) {
    const auto drawn = static_cast<std::int32_t>(random() >> 32);
    value = format.is_fixed() ? from_bits(static_cast<std::uint32_t>(drawn >> (32 - format.bits)))
                              : static_cast<float>(drawn) * 0x1p-31F;
  }
  return matrix;
}

}  // namespace

std::vector<RowWork> plan_rows(const config::RunConfig& run, const workloads::Network& network, const Alpha& alpha,
                               const Readings& readings) {
  const Bandwidths bandwidth = bandwidths(run, readings);
  const int bits = word_bits(readings, alpha.format);
  std::vector<RowWork> rows = design::chosen_rows<RowWork>(run, network);
  for (RowWork& row : rows) {
    row.gemm = workloads::lower_gemm(row.layer, row.kind);
    row.count = std::int64_t{row.layer.batch} * row.layer.groups;
    row.terms = design::named(row.layer, row.kind, [&] { return equations(alpha, row.gemm, bandwidth, bits); });
  }
  return rows;
}

Placement placement_of(const config::RunConfig& run, const Alpha& alpha, const Gemm& gemm) {
  const Tiles tiles(alpha, gemm);
  Placement placement(run);
  placement.bases.a = placement.put(Port::A, tiles.a_words(alpha) * 4);
  placement.bases.b = placement.put(Port::B, tiles.b_words(alpha) * 4);
  placement.bases.c = placement.put(Port::C, align_up(tiles.c_words(alpha) * 4, alpha.beat_bytes()));
  placement.params = placement.put(Port::A, alpha.beat_bytes());
  placement.require_fit(run.board, "the tiles need");
  return placement;
}

Cycles params_visible(const config::RunConfig& run, const Placement& placement) {
  const std::unique_ptr<memory::Memory> memory = memory::make_memory(config::memory_config(run));
  memory->reset();
  memory->send_read(port_id(Port::A), kParamsSent, placement.params, 1);
  Cycles visible = kNever;
  for (Cycles now = kParamsSent + 1; visible == kNever; ++now) {
    memory->advance(now);
    visible = memory->next_read_beat(port_id(Port::A));
  }
  return visible;
}

Contents contents_of(const Alpha& alpha, const Gemm& gemm, const Placement& placement, std::uint64_t seed) {
  Contents contents;
  contents.channels = placement.stores();
  const auto words = [&](Port port, Address base) {
    const int channel = placement.channel_of_port[static_cast<std::size_t>(port)];
    return contents.channels[static_cast<std::size_t>(channel)].floats(base);
  };
  std::mt19937_64 random(seed);
  contents.a = random_matrix(random, gemm.r * gemm.p, alpha.format);
  contents.b = random_matrix(random, gemm.p * gemm.c, alpha.format);
  tile_a(alpha, gemm, contents.a.data(), words(Port::A, placement.bases.a));
  tile_b(alpha, gemm, contents.b.data(), words(Port::B, placement.bases.b));
  return contents;
}

}  // namespace weft::barista
