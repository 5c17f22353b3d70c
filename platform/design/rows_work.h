#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "model/memory/store.h"
#include "model/stream/ports.h"
#include "platform/config/model_config.h"
#include "platform/design/design.h"

namespace weft::design {

// Returns the result of `make()`. Adds the names of layer and kind to an overflow and throws it as Error.
template <class Make>
auto named(const conv::Layer& layer, conv::Kind kind, Make make) {
  try {
    return make();
  } catch (const checked::Overflow& overflow) {
    throw Error(fmt::format("layer '{}', {}: {}", layer.name, conv::to_string(kind), overflow.what()));
  }
}

// A convolution of a layer chosen by a run: common part of a design's rows.
struct ChosenRow {
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  bool fully_connected = false;
};

// Returns all rows that a run chooses of a network. `RowWork`: a design's own row, derived from ChosenRow.
template <class RowWork>
std::vector<RowWork> chosen_rows(const config::RunConfig& run, const workloads::Network& network) {
  std::vector<conv::Layer> layers = network.layers;
  layers.insert(layers.end(), network.fc_layers.begin(), network.fc_layers.end());
  std::vector<RowWork> rows;
  for (const config::Chosen& chosen : config::choose(run, layers)) {
    RowWork& row = rows.emplace_back();
    static_cast<ChosenRow&>(row) = {layers[chosen.layer], chosen.kind, chosen.layer >= network.layers.size()};
  }
  return rows;
}

// Work whose rows and units are planned together.
template <class RowWork>
class RowsWork : public Work {
 public:
  std::vector<Row> rows() const override {
    const Budget budget = config::budget(run_.board);
    std::vector<Row> rows;
    for (const RowWork& work : rows_) {
      rows.push_back(named(work.layer, work.kind, [&] {
        Row row;
        row.layer = work.layer;
        row.kind = work.kind;
        row.fully_connected = work.fully_connected;
        fill(row, work, budget);
        row.cycles = row.equations.cycles;
        row.limiter = row.equations.limiter;
        return row;
      }));
    }
    return rows;
  }
  std::vector<Unit> units() const override { return units_; }

 protected:
  explicit RowsWork(config::RunConfig run) : run_(std::move(run)) {}

  // Fills in all of `row` that is known without simulating, except for values taken from `work` and the equations.
  virtual void fill(Row& row, const RowWork& work, const Budget& budget) const = 0;
  const RowWork& row_of(std::size_t unit) const { return rows_[units_[unit].row]; }

  config::RunConfig run_;
  std::vector<RowWork> rows_;
  std::vector<Unit> units_;
};

// Counts of a simulated unit. `Simulated`: result type of a design's kernel.
template <class Simulated>
UnitResult unit_result(const Simulated& simulated) {
  UnitResult result;
  result.cycles = simulated.cycles;
  result.skipped_cycles = simulated.skipped_cycles;
  result.blocks = {simulated.activities.begin(), simulated.activities.end()};
  result.ports = {simulated.ports.begin(), simulated.ports.end()};
  result.pe_cycles = {simulated.pe_cycles.begin(), simulated.pe_cycles.end()};
  return result;
}

// Tensors placed consecutively in their memory channels, each page-aligned.
template <std::size_t kPorts>
struct PlacedTensors {
  std::array<int, kPorts> channel_of_port{};
  std::vector<Bytes> channel_bytes;  // bytes used of each channel, from 0 on

  PlacedTensors() = default;
  explicit PlacedTensors(const config::RunConfig& run) {
    const std::vector<int> channels = config::port_channels(run);
    std::copy_n(channels.begin(), kPorts, channel_of_port.begin());
    channel_bytes.assign(static_cast<std::size_t>(*std::max_element(channels.begin(), channels.end())) + 1, 0);
  }

  // Places the next tensor of a port and returns its address in the port's channel.
  template <class Port>
  Address put(Port port, Bytes bytes) {
    Bytes& used = channel_bytes[static_cast<std::size_t>(channel_of_port[static_cast<std::size_t>(port)])];
    const Address base = used;
    used += align_up(std::max<Bytes>(bytes, 1), stream::kPageBytes);
    return base;
  }
  // Throws Error if a channel is too small; `who`: "the tiles need".
  void require_fit(const config::Board& board, const std::string& who) const {
    const Bytes capacity = config::channel_capacity(board);
    for (std::size_t i = 0; i < channel_bytes.size(); ++i) {
      if (channel_bytes[i] <= capacity) continue;
      throw Error(fmt::format("{} {} bytes in memory channel {}, which holds {}; use another port map", who,
                              channel_bytes[i], i, capacity));
    }
  }
  std::vector<memory::Store> stores() const {
    std::vector<memory::Store> stores;
    for (const Bytes bytes : channel_bytes) stores.emplace_back(bytes);
    return stores;
  }
};

}  // namespace weft::design
