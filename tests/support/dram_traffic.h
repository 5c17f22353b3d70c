#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "model/memory/config.h"
#include "model/memory/ddr4_controller.h"

namespace weft::test {

// A command of a plain controller, which the fast one is compared with.
struct DramCommand {
  memory::Nck time;
  memory::Command kind;
  int bank = 0;                                          // bank of all commands but PREA and REF
  int row = 0;                                           // row of ACT, and of the request of RD and WR
  int tag = -1;                                          // tag of the request of RD and WR
  memory::RowOutcome outcome = memory::RowOutcome::hit;  // row outcome of that request
  friend bool operator==(const DramCommand& a, const DramCommand& b) {
    return a.time == b.time && a.kind == b.kind && a.bank == b.bank && a.row == b.row && a.tag == b.tag &&
           a.outcome == b.outcome;
  }
};

// A request that is offered `after` clocks after the one before was accepted, or later.
struct Offer {
  memory::Nck after;
  Address address;
  bool write;
};

class DramTraffic {
 public:
  explicit DramTraffic(std::uint64_t seed) : random_(seed) {}

  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }

 protected:
  // Any map, with or without auto-precharge and refresh; in one of `often` a device in which each parameter binds at
  // times.
  memory::Ddr4Config any_device(std::int64_t often) {
    memory::Ddr4Config config;
    config.map = static_cast<memory::AddressMap>(below(3));
    config.auto_precharge_a3 = below(2) != 0;
    config.refresh = below(4) != 0;
    memory::Ddr4Timing& t = config.timing;
    t.refi_nck = static_cast<int>(below(2) != 0 ? 2000 : 900 + below(800));
    if (below(often) != 0) return config;
    t.cl_nck = static_cast<int>(9 + below(16));
    t.cwl_nck = static_cast<int>(9 + below(std::min(t.cl_nck - 8, 8)));
    t.rcd_nck = static_cast<int>(9 + below(14));
    t.rp_nck = static_cast<int>(9 + below(14));
    t.ras_nck = static_cast<int>(20 + below(40));
    t.rc_nck = t.ras_nck + t.rp_nck + static_cast<int>(below(2) * below(12));
    t.rrd_s_nck = static_cast<int>(3 + below(6));
    t.rrd_l_nck = t.rrd_s_nck + static_cast<int>(below(5));
    t.faw_nck = static_cast<int>(12 + below(30));
    t.ccd_l_nck = static_cast<int>(4 + below(5));
    t.rtp_nck = static_cast<int>(4 + below(10));
    t.wr_nck = static_cast<int>(8 + below(16));
    t.wtr_s_nck = static_cast<int>(1 + below(6));
    t.wtr_l_nck = t.wtr_s_nck + static_cast<int>(below(8));
    t.turnaround_nck = static_cast<int>(1 + below(4));
    t.rfc_nck = static_cast<int>(100 + below(340));
    return config;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace weft::test
