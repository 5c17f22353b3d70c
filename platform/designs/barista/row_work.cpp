#include "platform/designs/barista/row_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "model/barista/tiling.h"
#include "model/core/error.h"
#include "model/memory/memory.h"
#include "platform/config/model_config.h"
#include "platform/design/named.h"
#include "workloads/gemm_lowering.h"

namespace weft::barista {

namespace {

Bytes channel_capacity(const config::Board& board) {
  if (const auto* ddr4 = std::get_if<config::Ddr4Memory>(&board.memory)) return ddr4->bytes_per_channel;
  return Bytes{1} << 46;  // ideal memory has no size
}

std::vector<float> random_matrix(std::mt19937_64& random, std::int64_t words) {
  std::vector<float> matrix(static_cast<std::size_t>(words));
  for (float& value : matrix) value = static_cast<float>(static_cast<std::int32_t>(random() >> 32)) * 0x1p-31F;
  return matrix;
}

}  // namespace

std::vector<RowWork> plan_rows(const config::RunConfig& run, const workloads::Network& network, const Alpha& alpha,
                               const Readings& readings) {
  const Bandwidths bandwidth = bandwidths(run, readings);
  std::vector<conv::Layer> layers = network.layers;
  layers.insert(layers.end(), network.fc_layers.begin(), network.fc_layers.end());
  std::vector<RowWork> rows;
  for (const config::Chosen& chosen : config::choose(run, layers)) {
    RowWork row;
    row.layer = layers[chosen.layer];
    row.kind = chosen.kind;
    row.fully_connected = chosen.layer >= network.layers.size();
    row.gemm = workloads::lower_gemm(row.layer, row.kind);
    row.count = std::int64_t{row.layer.batch} * row.layer.groups;
    row.terms = design::named(row.layer, row.kind, [&] { return equations(alpha, row.gemm, bandwidth); });
    rows.push_back(std::move(row));
  }
  return rows;
}

Placement placement_of(const config::RunConfig& run, const Alpha& alpha, const Gemm& gemm) {
  const Tiles tiles(alpha, gemm);
  const std::vector<int> channels = config::port_channels(run);
  Placement placement;
  std::copy_n(channels.begin(), kPorts, placement.channel_of_port.begin());
  placement.channel_bytes.assign(static_cast<std::size_t>(*std::max_element(channels.begin(), channels.end())) + 1, 0);
  const auto put = [&](Port port, Bytes bytes) {
    Bytes& used = placement.channel_bytes[static_cast<std::size_t>(channels[static_cast<std::size_t>(port)])];
    const Address base = used;
    used += align_up(bytes, stream::kPageBytes);
    return base;
  };
  placement.bases.a = put(Port::A, tiles.a_words(alpha) * 4);
  placement.bases.b = put(Port::B, tiles.b_words(alpha) * 4);
  placement.bases.c = put(Port::C, align_up(tiles.c_words(alpha) * 4, alpha.beat_bytes()));
  placement.params = put(Port::A, alpha.beat_bytes());
  const Bytes capacity = channel_capacity(run.board);
  for (std::size_t i = 0; i < placement.channel_bytes.size(); ++i) {
    if (placement.channel_bytes[i] <= capacity) continue;
    throw Error(fmt::format("the tiles need {} bytes in memory channel {}, which holds {}; use another port map",
                            placement.channel_bytes[i], i, capacity));
  }
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
  for (const Bytes bytes : placement.channel_bytes) contents.channels.emplace_back(bytes);
  const auto words = [&](Port port, Address base) {
    const int channel = placement.channel_of_port[static_cast<std::size_t>(port)];
    return contents.channels[static_cast<std::size_t>(channel)].floats(base);
  };
  std::mt19937_64 random(seed);
  contents.a = random_matrix(random, gemm.r * gemm.p);
  contents.b = random_matrix(random, gemm.p * gemm.c);
  tile_a(alpha, gemm, contents.a.data(), words(Port::A, placement.bases.a));
  tile_b(alpha, gemm, contents.b.data(), words(Port::B, placement.bases.b));
  return contents;
}

}  // namespace weft::barista
