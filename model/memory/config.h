#pragma once

#include <memory>
#include <tuple>
#include <vector>

#include "model/core/frequency.h"
#include "model/memory/ddr4_address.h"
#include "model/memory/ddr4_timing.h"
#include "model/memory/memory.h"

namespace weft::memory {

enum class ControllerKind { frfcfs, mig };  // Ddr4Controller, MigController

// One DDR4 channel with its controller. The defaults are the channel of an Alveo U200/U250.
struct Ddr4Config {
  Frequency data_rate_mtps = 2400;  // exactly; the DRAM clock runs at half of it, in MHz
  Ddr4Timing timing;
  Bytes capacity = Bytes{16} << 30;
  AddressMap map = AddressMap::intlv;
  bool auto_precharge_a3 = false;  // RDA/WRA where column bit A3 is 1, as the Alveo shells configure their controller
  bool refresh = true;

  ControllerKind controller = ControllerKind::frfcfs;
  int stage1 = 4, stage2 = 4;  // mig: requests that the FIFOs of a group machine hold

  // frfcfs: scheduling, see Ddr4Controller.
  int read_queue = 32;     // 64-byte requests
  int write_queue = 32;    // 64-byte requests
  int bank_queue = 8;      // requests a bank can choose from
  int write_high = 32;     // a write drain starts when this many writes wait ...
  int write_low = 0;       // ... and ends when at most this many are left
  int row_hit_limit = 16;  // accesses of one activation after which a waiting row conflict goes first

  static constexpr int kMaxQueue = 64;
  static constexpr int kMaxBankQueue = 16;
  static constexpr int kMaxStage = 16;

  // Throws weft::Error naming the field, its value and the allowed values.
  void validate() const;

  template <class Self>
  static auto all(const Self& self) {
    return std::tie(self.data_rate_mtps, self.timing, self.capacity, self.map, self.auto_precharge_a3, self.refresh,
                    self.controller, self.stage1, self.stage2, self.read_queue, self.write_queue, self.bank_queue,
                    self.write_high, self.write_low, self.row_hit_limit);
  }
  friend bool operator==(const Ddr4Config& a, const Ddr4Config& b);
};

enum class MemoryKind { ideal, ddr4 };

inline constexpr Bytes kWidestBeat = 128;  // AXI4 allows no bus of more than 1024 bits (A3.4.1)

struct MemoryConfig {
  MemoryKind kind = MemoryKind::ddr4;
  Frequency kernel_clock = 100;
  Bytes beat_bytes = 64;                // width of a port: a power of two up to kWidestBeat
  std::vector<int> port_beat_bytes;     // widths of the first ports, if they differ from beat_bytes
  std::vector<int> port_channel = {0};  // channel of each port; its size is the number of ports
  // Number of ports of a DMA engine, which are the last. Their beats may return several per cycle, and they reach every
  // channel. Their addresses count through the channels, each of the size of its capacity; a burst may go to another
  // channel than the previous one when the port has nothing in flight. `port_channel` is their first channel.
  int dma_ports = 0;
  int channels = 1;
  Cycles latency_cycles = 0;         // ddr4: controller, PHY and shell on top of the DRAM's own latency
  Cycles write_response_cycles = 0;  // ddr4: additional latency of a write's response
  Cycles ideal_latency_cycles = 1;   // ideal: L, see IdealMemory
  Ddr4Config ddr4;                   // of every channel

  Bytes beat_bytes_of(std::size_t port) const {
    return port < port_beat_bytes.size() ? port_beat_bytes[port] : beat_bytes;
  }

  // Throws weft::Error naming the field, its value and the allowed values.
  void validate() const;

  template <class Self>
  static auto all(const Self& self) {
    return std::tie(self.kind, self.kernel_clock, self.beat_bytes, self.port_beat_bytes, self.port_channel,
                    self.dma_ports, self.channels, self.latency_cycles, self.write_response_cycles,
                    self.ideal_latency_cycles, self.ddr4);
  }
  friend bool operator==(const MemoryConfig& a, const MemoryConfig& b);
};

// Validates the configuration and builds the memory that `config.kind` names.
std::unique_ptr<Memory> make_memory(const MemoryConfig& config);

}  // namespace weft::memory
