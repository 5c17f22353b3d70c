#pragma once

#include <tuple>

#include "model/core/frequency.h"
#include "model/memory/ddr4_address.h"
#include "model/memory/ddr4_timing.h"

namespace weft::memory {

// One DDR4 channel with its controller. The defaults are the channel of an Alveo U200/U250.
struct Ddr4Config {
  Frequency data_rate_mtps = 2400;  // exactly; the DRAM clock runs at half of it, in MHz
  Ddr4Timing timing;
  Bytes capacity = Bytes{16} << 30;
  AddressMap map = AddressMap::intlv;
  bool auto_precharge_a3 = false;  // RDA/WRA where column bit A3 is 1, as the Alveo shells configure their controller
  bool refresh = true;

  // Scheduling, see Ddr4Controller.
  int read_queue = 32;     // 64-byte requests
  int write_queue = 32;    // 64-byte requests
  int bank_queue = 8;      // requests a bank can choose from
  int write_high = 32;     // a write drain starts when so many writes wait ...
  int write_low = 0;       // ... and ends when no more than so many are left
  int row_hit_limit = 16;  // accesses of one activation after which a waiting row conflict goes first

  static constexpr int kMaxQueue = 64;
  static constexpr int kMaxBankQueue = 16;

  // Throws weft::Error naming the field, its value and what is allowed.
  void validate() const;

  // Every field, in order.
  auto all() const {
    return std::tie(data_rate_mtps, timing, capacity, map, auto_precharge_a3, refresh, read_queue, write_queue,
                    bank_queue, write_high, write_low, row_hit_limit);
  }
  friend bool operator==(const Ddr4Config& a, const Ddr4Config& b) { return a.all() == b.all(); }
};

}  // namespace weft::memory
