#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "model/memory/clock_ratio.h"

namespace weft::memory {

enum class Command : std::uint8_t {
  activate,
  precharge,
  precharge_all,
  read,
  read_ap,  // with auto precharge
  write,
  write_ap,
  refresh,
};
inline constexpr int kCommands = 8;
constexpr int index_of(Command command) {
  return static_cast<int>(command);
}
const char* name_of(Command command);

struct IssuedCommand {
  Nck time;
  Command command;
  int bank;  // 0 for PREA and REF
  int row;   // of an ACT
};

// A set of commands, one bit each.
using CommandSet = std::uint32_t;
constexpr CommandSet set_of(Command command) {
  return 1U << index_of(command);
}
template <typename... More>
constexpr CommandSet set_of(Command command, More... more) {
  return set_of(command) | set_of(more...);
}
constexpr bool contains(CommandSet set, Command command) {
  return (set & set_of(command)) != 0;
}

// Timing parameters of a speed bin and organisation, in DRAM clocks. Defaults: DDR4-2400 17-17-17, 8 Gb x4 (1/2 KB
// pages), the devices on the DIMMs of an Alveo U200/U250.
struct Ddr4Timing {
  static constexpr int kMostNck = 3000;  // largest value of each except tREFI; the longest tRFC is 550 ns
  int cl_nck = 17;
  int cwl_nck = 12;
  int burst_length = 8;  // BL8 fixed; BC4 is not modelled
  int rcd_nck = 17;
  int rp_nck = 17;
  int ras_nck = 39;
  int rc_nck = 56;
  int rrd_s_nck = 4;
  int rrd_l_nck = 6;
  int faw_nck = 16;
  int ccd_s_nck = 4;
  int ccd_l_nck = 6;
  int rtp_nck = 9;
  int wr_nck = 18;
  int wtr_s_nck = 3;
  int wtr_l_nck = 9;
  int turnaround_nck = 2;  // bus clocks between read data and the preamble of write data
  int refi_nck = 9360;     // 7.8 us
  int rfc_nck = 420;       // 350 ns, 8 Gb

  template <class Self>
  static auto all(const Self& self) {
    return std::tie(self.cl_nck, self.cwl_nck, self.burst_length, self.rcd_nck, self.rp_nck, self.ras_nck, self.rc_nck,
                    self.rrd_s_nck, self.rrd_l_nck, self.faw_nck, self.ccd_s_nck, self.ccd_l_nck, self.rtp_nck,
                    self.wr_nck, self.wtr_s_nck, self.wtr_l_nck, self.turnaround_nck, self.refi_nck, self.rfc_nck);
  }
  friend bool operator==(const Ddr4Timing& a, const Ddr4Timing& b);

  constexpr int burst_nck() const { return burst_length / 2; }
  constexpr int read_data_nck() const { return cl_nck + burst_nck(); }    // RD to the end of its last data beat
  constexpr int write_data_nck() const { return cwl_nck + burst_nck(); }  // WR to the end of its last data beat
};
static_assert(sizeof(Ddr4Timing) == 19 * sizeof(int), "all() names every field");

enum class Scope : std::uint8_t { bank, bank_group, rank };

// A `later` command to the same bank / bank group / rank must come at least `delay_nck` after the `window`-th last of
// the `earlier` commands (the last one for window 1; tFAW uses the fourth last).
struct Constraint {
  Scope scope;
  CommandSet earlier;
  CommandSet later;
  int window;
  Nck delay_nck;
  const char* source;  // parameter and description in JESD79-4
};

// Returns all minimum delays that the DRAM demands between two commands. Ddr4Device checks the state rules (ACT needs a
// closed bank, RD an open one, REF all banks closed).
std::vector<Constraint> timing_table(const Ddr4Timing& timing);

}  // namespace weft::memory
